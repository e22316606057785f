/** `sotto connect`: the configuration of a client, printed or written into the client's own file. */
import { homedir } from "node:os";
import { Option, type Command } from "commander";
import { requireAccount } from "../../core/accounts/accounts.js";
import { createKey } from "../../core/keys/issue-keys.js";
import { keyHash } from "../../core/keys/key-format.js";
import { systemClock } from "../../core/clock.js";
import { connectClients, findClient } from "../../protocol/connect/clients.js";
import { keyVariable, type ConnectClient, type ConnectTarget } from "../../protocol/connect/client.js";
import { modelIds, type ModelId } from "../../protocol/models.js";
import { readPiped } from "../input.js";
import { report } from "../output.js";
import { environmentOf } from "../environment.js";
import { readSettings } from "../settings.js";
import { storeCommand, withStore } from "../store-command.js";
import { learnLimits, type Learned } from "./limits.js";
import type { Machine } from "./place.js";
import { clientList, configurationText, partJson } from "./print.js";
import { restoreFiles, writeFiles, type FilesRequest } from "./write.js";

interface ConnectOptions {
  url?: string;
  key?: string;
  newKey?: string;
  model: ModelId;
  stream?: boolean;
  file?: string;
  write?: boolean;
  restore?: boolean;
  dryRun?: boolean;
}

const wrongUsage = { exitCode: 2 };

export function connectCommand(program: Command): void {
  storeCommand(program, "connect [client]", "print the configuration of a client, or write it into its file")
    .option("--url <url>", "where the service is (default: SOTTO_PUBLIC_URL, or this machine)")
    .option("--key <key>", `the key to fill in; - reads it from standard input (default: ${keyVariable})`)
    .option("--new-key <email>", "create a key for this account and fill it in")
    .addOption(new Option("--model <model>", "the model to use").choices(modelIds).default("omega"))
    .option("--stream", "code that reads the reply as it is generated")
    .option("--write", "put it into the client's file, and keep everything else that is there")
    .option("--restore", "put back what --write found there")
    .option("--dry-run", "show what --write would change, and change nothing")
    .option("--file <path>", "the client's file, where it is not in its usual place")
    .addHelpText(
      "after",
      `
Examples:
  sotto connect                                       list the clients
  sotto connect codex                                 print the configuration of Codex CLI
  sotto connect claude-code --write --key -           write it; the key is piped in
  sotto connect opencode --write --new-key ada@example.com
  sotto connect claude-code --restore                 undo it
  sotto connect librechat --write --file ./librechat.yaml --dry-run`,
    )
    .action(async (id: string | undefined, options: ConnectOptions, command: Command) => {
      if (id === undefined) {
        report(
          command,
          connectClients.map(({ id, name, group, api, checked }) => ({ id, name, group, api, checked })),
          clientList(),
        );
        return;
      }
      const client = findClient(id);
      if (client === undefined) {
        const known = connectClients.map(({ id: one }) => one).join(", ");
        command.error(`error: there is no client '${id}'. Known are: ${known}.`, wrongUsage);
      }
      await connect(client, options, command);
    });
}

async function connect(client: ConnectClient, options: ConnectOptions, command: Command): Promise<void> {
  const machine = machineOf(command);
  if (options.restore === true) {
    const request = { client, file: options.file, machine };
    const restored = await restoreFiles(request);
    report(command, restored, restored.map(({ path, outcome }) => `${path}: ${outcome}.`).join("\n"));
    return;
  }
  const origin = originOf(options.url, command);
  const isWriting = options.write === true || options.dryRun === true;
  const key = await keyOf(client, options, command);
  const learned = await learnLimits(origin, key);
  const { model, stream = false } = options;
  const target: ConnectTarget = { origin, key, model, models: learned.models, stream };
  explain(learned, origin, key);
  if (!isWriting) {
    const parts = client.configure(target);
    const value = { client: client.id, url: origin, model, limits: learned.from, parts: parts.map(partJson) };
    report(command, value, configurationText(client, parts));
    return;
  }
  const request: FilesRequest = { client, file: options.file, machine, target };
  const written = await writeFiles(request, options.dryRun === true);
  report(command, written, written.map(({ text }) => text).join("\n"));
}

/** Beside the configuration, not in it: standard output can be piped on. */
function explain(learned: Learned, origin: string, key: string | null): void {
  if (learned.from === "assumed") {
    const [model] = learned.models;
    const context = model?.contextTokens.toLocaleString("en") ?? "";
    console.error(`The limits are assumed (${context} tokens of context): ${origin}: ${learned.why}.`);
  }
  if (key === null) {
    console.error(
      `Without a key there is a placeholder. Create one: sotto keys create <email>, or add --new-key <email>.`,
    );
  }
}

async function keyOf(
  client: ConnectClient,
  { key, newKey, dryRun }: ConnectOptions,
  command: Command,
): Promise<string | null> {
  if (newKey !== undefined) {
    if (key !== undefined || dryRun === true) {
      command.error("error: --new-key creates a key: not together with --key or --dry-run.", wrongUsage);
    }
    const request = { name: client.name, models: null, operations: null, expiresAt: null };
    return withStore(command, async (store, record) => {
      const account = await requireAccount(store, newKey);
      const issued = await createKey(store, systemClock, account, request);
      await record("created key", issued.key.id);
      return issued.text;
    });
  }
  const pipe = `printf %s "$${keyVariable}" | sotto connect ${client.id} --key -`;
  const given =
    key === "-" ? await readPiped(command, "key", pipe) : (key ?? environmentOf(command)[keyVariable]);
  if (given === undefined || given === "") return null;
  if (keyHash(given.trim()) === null) {
    command.error(
      "error: this is not a key of Sotto: they begin with sk-sotto- and end in a checksum.",
      wrongUsage,
    );
  }
  return given.trim();
}

/** Without a slash or `/v1` at the end, which people copy along. */
function originOf(url: string | undefined, command: Command): string {
  const text = url ?? configuredUrl(command);
  const parsed = URL.canParse(text) ? new URL(text) : null;
  // It goes into commands and files as it is: nothing that a shell could take for its own.
  if (
    parsed === null ||
    !/^https?:\/\/[\w.:[\]-]+(?:\/[\w./~-]*)?$/.test(parsed.href) ||
    parsed.username !== ""
  ) {
    command.error("error: --url must be an address like https://chat.example.com.", wrongUsage);
  }
  return parsed.href.replace(/\/+$/, "").replace(/\/v1$/, "");
}

function configuredUrl(command: Command): string {
  const { accounts, service } = readSettings(command);
  if (accounts.publicUrl !== undefined) return accounts.publicUrl;
  const host = service.host === "0.0.0.0" || service.host === "::" ? "127.0.0.1" : service.host;
  return `http://${host.includes(":") ? `[${host}]` : host}:${service.port}`;
}

function machineOf(command: Command): Machine {
  const env = environmentOf(command);
  const home = (process.platform === "win32" ? env["USERPROFILE"] : env["HOME"]) ?? homedir();
  return { home, platform: process.platform, env };
}
