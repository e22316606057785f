/** `sotto models pull`: weights from Hugging Face or any https address to this machine. */
import { basename, join, resolve } from "node:path";
import { InvalidArgumentError, type Command } from "commander";
import type { Config } from "../../config.js";
import type { Pulled } from "../../models/pull/pull.js";
import { formatBytes } from "../../models/sizes.js";
import { WeightsError } from "../../models/weights-error.js";
import { report } from "../output.js";
import { pullProgress } from "./pull-progress.js";
import { readSettings } from "../settings.js";
import { storeCommand } from "../store-command.js";
import { untilSignal } from "../until-signal.js";

export function pullCommand(models: Command): void {
  storeCommand(models, "pull <model>", "download weights; the same command continues an interrupted download")
    .option("--sha256 <hash>", "hash that the file must have", parseHash)
    .notes(
      `
Examples:
  sotto models pull qwen3-4b                                from the catalogue (sotto models catalog)
  sotto models pull hf:unsloth/Qwen3-4B-Instruct-2507-GGUF:Q4_K_M
  sotto models pull hf:owner/repo/file.gguf
  sotto models pull https://example.com/model.gguf --sha256 3f1a…`,
    )
    .action(async (model: string, { sha256 }: { sha256?: string }, command: Command) => {
      const { path, facts, wasHere } = await pull(readSettings(command), model, sha256);
      report(
        command,
        { path, bytes: facts.bytes, quantisation: facts.quantisation, was_here: wasHere },
        `${path} ${wasHere ? "was downloaded already" : "was downloaded"}: ${facts.quantisation}, ${formatBytes(facts.bytes)}.\nUse it for a model: sotto models use omega ${basename(path)}`,
      );
    });
}

/** Shows progress on stderr. Ctrl-C keeps what has arrived. */
export async function pull(config: Config, model: string, sha256?: string): Promise<Pulled> {
  // Loaded here, since every other command starts faster without it.
  const { pullWeights } = await import("../../models/pull/pull.js");
  const progress = pullProgress();
  const stopped = new WeightsError("Stopped. What has arrived is kept: the same command continues.");
  return untilSignal(stopped, (signal) =>
    pullWeights(model, {
      folder: modelsFolder(config),
      endpoint: config.downloads.hfEndpoint,
      token: config.downloads.hfToken,
      allowedHosts: config.downloads.hosts,
      signal,
      sha256,
      onFile: progress.file,
      onProgress: progress.update,
      onChecking: progress.checking,
    }),
  ).finally(progress.stop);
}

export const modelsFolder = (config: Config): string => join(resolve(config.service.dataDir), "models");

function parseHash(text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError("A SHA-256 has 64 hexadecimal digits.");
}
