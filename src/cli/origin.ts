/** The server that a command talks to over HTTP. */
import type { Command } from "commander";
import { UserError } from "../core/user-error.js";
import { readSettings, serviceUrl } from "./settings.js";

/** Without a trailing slash or `/v1`, which people copy along. */
export function originOf(url: string | undefined, command: Command): string {
  const text = url ?? serviceUrl(readSettings(command));
  const parsed = URL.canParse(text) ? new URL(text) : null;
  // It is shown in shell commands as it is: nothing that a shell would interpret.
  if (
    parsed === null ||
    !/^https?:\/\/[\w.:[\]-]+(?:\/[\w./~-]*)?$/.test(parsed.href) ||
    parsed.username !== ""
  ) {
    command.error("error: --url must be an address like https://chat.example.com.", { exitCode: 2 });
  }
  return parsed.href.replace(/\/+$/, "").replace(/\/v1$/, "");
}

export const noServerAt = (origin: string): UserError =>
  new UserError(`No server answers at ${origin}. Start it (sotto serve), or say where it is with --url.`);
