/** `--write` and `--restore`: every file of a client, or none of them. */
import { UserError } from "../../core/user-error.js";
import {
  keyPlaceholder,
  type ConfigFile,
  type ConnectClient,
  type ConnectTarget,
} from "../../protocol/connect/client.js";
import { fileText } from "../../protocol/connect/file-text.js";
import { lineDiff } from "./diff.js";
import { mergeSettings } from "./merge/merge.js";
import { readOwnFile, restoreOwnFile, writeOwnFile, type FileNow } from "./own-file.js";
import { pathOf, type Machine } from "./place.js";
import { isFile } from "./print.js";

interface RestoreRequest {
  client: ConnectClient;
  /** In place of the usual one. */
  file: string | undefined;
  machine: Machine;
}

export interface FilesRequest extends RestoreRequest {
  target: ConnectTarget;
}

interface Written {
  path: string;
  outcome: "written" | "unchanged" | "would change";
  backup?: string;
  /** For people. */
  text: string;
}

export async function writeFiles(request: FilesRequest, isDryRun: boolean): Promise<Written[]> {
  const { client, target } = request;
  const files = filesOf(client, target);
  if (
    target.key === null &&
    files.some(({ format, settings }) => fileText(format, settings).includes(keyPlaceholder))
  ) {
    throw new UserError(
      `${client.name} has the key in its file. Pipe it in with --key -, or create one with --new-key <email>.`,
    );
  }
  // All are merged before the first is written: one that is refused leaves the others alone.
  const planned: { now: FileNow; after: string }[] = [];
  for (const { path, part } of placed(files, request)) {
    const now = await readOwnFile(path);
    planned.push({ now, after: mergeSettings(now.text, part.format, part.settings, path) });
  }
  const written: Written[] = [];
  for (const { now, after } of planned) {
    written.push(isDryRun ? preview(now, after, target.key) : await write(now, after, target.key));
  }
  const steps = client.configure(target).filter((part) => !isFile(part));
  const last = written.at(-1);
  if (last !== undefined && steps.length > 0 && !isDryRun) {
    last.text += `\nMore to do by hand: sotto connect ${client.id} prints it.`;
  }
  return written;
}

export async function restoreFiles(request: RestoreRequest): Promise<{ path: string; outcome: string }[]> {
  const restored: { path: string; outcome: string }[] = [];
  const words = {
    restored: "restored as it was",
    removed: "removed, since there was none before",
    unchanged: "was as before already",
  };
  for (const { path } of placed(filesOf(request.client, anyTarget), request)) {
    const outcome = await restoreOwnFile(path);
    if (outcome !== "never written") restored.push({ path, outcome: words[outcome] });
  }
  if (restored.length === 0) {
    throw new UserError(
      `There is nothing to restore: --write has changed no file of ${request.client.name}.`,
    );
  }
  return restored;
}

/** Which files a client has is the same for all. */
const anyTarget: ConnectTarget = { origin: "", key: null, model: "omega", models: [], stream: false };

function filesOf(client: ConnectClient, target: ConnectTarget): ConfigFile[] {
  const files = client.configure(target).filter(isFile);
  if (files.length === 0) {
    throw new UserError(
      `${client.name} has no file to write. sotto connect ${client.id} prints what to enter or to run.`,
    );
  }
  return files;
}

function placed(
  files: readonly ConfigFile[],
  { client, file, machine }: RestoreRequest,
): { path: string; part: ConfigFile }[] {
  return files.map((part, position) => {
    if (file !== undefined && position === 0) return { path: file, part };
    if (part.place === null) {
      throw new UserError(`Say which file it is (${part.name}): sotto connect ${client.id} --file <path>.`);
    }
    return { path: pathOf(part.place, machine), part };
  });
}

async function write(now: FileNow, after: string, key: string | null): Promise<Written> {
  const { path } = now;
  if (now.text === after) return { path, outcome: "unchanged", text: `${path} has these settings already.` };
  const { backup } = await writeOwnFile(now, after);
  const kept = backup === null ? "There was no file before." : `What it was before is in ${backup}.`;
  const isOpen = key !== null && after.includes(key) && (now.mode & 0o044) !== 0;
  const warning = isOpen ? `\nIt holds a key and others on this machine can read it: chmod 600 ${path}` : "";
  const text = `${path} is written. ${kept} Undo it with --restore.${warning}`;
  return { path, outcome: "written", ...(backup === null ? {} : { backup }), text };
}

function preview(now: FileNow, after: string, key: string | null): Written {
  const { path } = now;
  if (now.text === after) return { path, outcome: "unchanged", text: `${path} has these settings already.` };
  const lines = lineDiff(now.text, after).map((line) => masked(line, key));
  return { path, outcome: "would change", text: [`${path} would change:`, ...lines].join("\n") };
}

/** The diff is to be looked at, perhaps with others: no key in it is whole, new or old. */
function masked(line: string, key: string | null): string {
  const hidden = key === null ? line : line.replaceAll(key, `${key.slice(0, 9)}…${key.slice(-4)}`);
  return hidden.replace(/\b(sk-[\w-]{0,8})[\w-]{12,}/g, "$1…");
}
