/** `--write`, `--dry-run` and `--restore`: the client's own file. */
import { isAbsolute, join } from "node:path";
import { structuredPatch } from "diff";
import { mergeSettings } from "./merge.js";
import { type FileNow, readOwnFile, restoreOwnFile, writeOwnFile } from "./own-file.js";
import type { Environment } from "../environment.js";
import {
  type ConfigFile,
  type ConnectClient,
  type ConnectTarget,
  keyPlaceholder,
} from "../../connect/client.js";
import { fileText } from "../../connect/file-text.js";
import { UserError } from "../../core/user-error.js";

export interface Machine {
  /** Given with `--file`. */
  file: string | undefined;
  home: string;
  env: Environment;
}

interface Written {
  path: string;
  outcome: "written" | "unchanged" | "would change";
  backup?: string;
  text: string;
}

export async function writeFile(
  client: ConnectClient,
  target: ConnectTarget,
  machine: Machine,
  isDryRun: boolean,
): Promise<Written> {
  const { place, format, settings } = fileOf(client, target);
  const { key } = target;
  if (key === null && fileText(format, settings).includes(keyPlaceholder)) {
    throw new UserError(
      `${client.name} has the key in its file. Pipe it in with --key -, or create one with --new-key <email>.`,
    );
  }
  const path = pathOf(place, machine);
  const now = await readOwnFile(path);
  const after = mergeSettings(now.text, format, settings, path);
  if (now.text === after) {
    return { path: now.path, outcome: "unchanged", text: `${now.path} has these settings already.` };
  }
  if (isDryRun) return preview(now, after, key);
  const written = await write(now, after, key);
  const hasMore = client.configure(target).some(({ type }) => type !== "file");
  if (hasMore) written.text += `\nMore to do by hand: sotto connect ${client.id} prints it.`;
  return written;
}

export async function restoreFile(
  client: ConnectClient,
  machine: Machine,
): Promise<{ path: string; outcome: string }> {
  const path = pathOf(fileOf(client, anyTarget).place, machine);
  const outcomes = {
    restored: "restored as it was",
    removed: "removed, since there was none before",
    unchanged: "was as before already",
  };
  const outcome = await restoreOwnFile(path);
  if (outcome === "never written") {
    throw new UserError(`There is nothing to restore: --write has changed no file of ${client.name}.`);
  }
  return { path, outcome: outcomes[outcome] };
}

/** Which file a client has does not depend on the target. */
const anyTarget: ConnectTarget = { origin: "", key: null, model: "omega", models: [], stream: false };

function fileOf(client: ConnectClient, target: ConnectTarget): ConfigFile {
  const file = client.configure(target).find((part) => part.type === "file");
  if (file !== undefined) return file;
  throw new UserError(
    `${client.name} has no file to write. sotto connect ${client.id} prints what to enter or to run.`,
  );
}

function pathOf({ variable, folder, file }: ConfigFile["place"], machine: Machine): string {
  if (machine.file !== undefined) return machine.file;
  const named = variable === undefined ? undefined : machine.env[variable];
  // A relative one would depend on where the client is started.
  if (named !== undefined && isAbsolute(named)) return join(named, file);
  return join(machine.home, folder, file);
}

async function write(now: FileNow, after: string, key: string | null): Promise<Written> {
  const { path } = now;
  const { backup } = await writeOwnFile(now, after);
  const kept = backup === null ? "There was no file before." : `What it was before is in ${backup}.`;
  const isOpen = key !== null && after.includes(key) && (now.mode & 0o044) !== 0;
  const warning = isOpen ? `\nIt holds a key and others on this machine can read it: chmod 600 ${path}` : "";
  const text = `${path} is written. ${kept} Undo it with --restore.${warning}`;
  return { path, outcome: "written", ...(backup === null ? {} : { backup }), text };
}

function preview({ path, text }: FileNow, after: string, key: string | null): Written {
  const lines = lineDiff(text, after).map((line) => masked(line, key));
  return { path, outcome: "would change", text: [`${path} would change:`, ...lines].join("\n") };
}

/** People share diffs: no key in one is whole, new or old. */
function masked(line: string, key: string | null): string {
  const hidden = key === null ? line : line.replaceAll(key, `${key.slice(0, 9)}…${key.slice(-4)}`);
  return hidden.replace(/\b(sk-[\w-]{0,8})[\w-]{12,}/g, "$1…");
}

/** The lines that a change removes and adds, for people. No unchanged line is shown: it may hold a secret. */
function lineDiff(before: string, after: string): string[] {
  const { hunks } = structuredPatch("", "", before, after, "", "", { context: 0, stripTrailingCr: true });
  return hunks.flatMap(({ newStart, lines }) => [
    `@@ line ${newStart} @@`,
    // Without git's remark on a missing newline at the end.
    ...lines.filter((line) => !line.startsWith("\\")).map((line) => `${line.slice(0, 1)} ${line.slice(1)}`),
  ]);
}
