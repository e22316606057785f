/** `sotto connect`: the configuration of a client, printed or written into the client's own file. */
import { homedir } from "node:os";
import { type Command, Option } from "commander";
import { fetchLimits, type Limits } from "./limits.js";
import { clientList, configurationText, partJson } from "./print.js";
import type { Machine } from "./write.js";
import { environmentOf } from "../environment.js";
import { readPiped } from "../input.js";
import { report } from "../output.js";
import { originOf } from "../origin.js";
import { storeCommand, withStore } from "../store-command.js";
import { typed } from "../terminal.js";
import { editDistance } from "../../config.js";
import {
  assumedLimits,
  type ConnectClient,
  type ConnectTarget,
  keyVariable,
  modelOf,
} from "../../connect/client.js";
import { connectClients, findClient } from "../../connect/clients.js";
import { betterModels, type Fit, fitOf } from "../../connect/fit.js";
import { requireAccount } from "../../core/accounts/accounts.js";
import { systemClock } from "../../core/clock.js";
import { createKey } from "../../core/keys/issue-keys.js";
import { keyHash } from "../../core/keys/key-format.js";
import { type ChatModelId, chatModelIds } from "../../core/models.js";

interface ConnectOptions {
  url?: string;
  key?: string;
  newKey?: string;
  model: ChatModelId;
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
    .addOption(new Option("--model <model>", "the model to use").choices(chatModelIds).default("omega"))
    .option("--stream", "code that reads the reply as it is generated")
    .option("--write", "write it into the client's file, and keep everything else that is there")
    .option("--restore", "restore the file as it was before --write")
    .option("--dry-run", "show what --write would change, and change nothing")
    .option("--file <path>", "the client's file, if it is not in its usual place")
    .notes(
      `
Examples:
  sotto connect                                       list the clients
  sotto connect codex                                 print the configuration of Codex CLI
  sotto connect claude-code --write --key -           write it; the key is piped in
  sotto connect opencode --write --new-key ada@example.com
  sotto connect claude-code --restore                 undo it
  sotto connect openai-compatible                     base URL, key and model for any other client`,
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
        const near = nearestClient(id);
        const hint = near === null ? "" : ` Did you mean ${near}?`;
        command.error(
          `error: there is no client '${id}'.${hint} Known are: ${known}. For any other, use openai-compatible.`,
          wrongUsage,
        );
      }
      await connect(client, options, command);
    });
}

/** One whose name shares a word with it, as `claude`, or is off by two letters. */
function nearestClient(id: string): string | null {
  const wanted = id.toLowerCase();
  const ids = connectClients.map((client) => client.id);
  const starts = ids.find((one) => one.startsWith(wanted) || wanted.startsWith(one));
  const shares = ids.find((one) => one.split("-").some((word) => wanted.split(/[^a-z0-9]+/).includes(word)));
  return starts ?? ids.find((one) => editDistance(wanted, one) <= 2) ?? shares ?? null;
}

async function connect(client: ConnectClient, options: ConnectOptions, command: Command): Promise<void> {
  if (options.restore === true) {
    const { restoreFile } = await fileCommands();
    const restored = await restoreFile(client, machineOf(command, options));
    report(command, [restored], `${restored.path}: ${restored.outcome}.`);
    return;
  }
  const origin = originOf(options.url, command);
  const key = await keyOf(client, options, command);
  const limits = await fetchLimits(origin, key);
  const { model, stream = false, write = false, dryRun = false } = options;
  const target: ConnectTarget = { origin, key, model, models: limits.models, stream };
  warn(limits, origin, key);
  const fit = fitOf(client, modelOf(target));
  warnOfFit(fit, client, target);
  if (write || dryRun) {
    const { writeFile } = await fileCommands();
    const written = await writeFile(client, target, machineOf(command, options), dryRun);
    report(command, [written], written.text);
    return;
  }
  const parts = client.configure(target);
  const value = {
    client: client.id,
    url: origin,
    model,
    limits: limits.from,
    fit,
    parts: parts.map(partJson),
  };
  report(command, value, configurationText(client, parts));
}

/** Loaded when a file is edited: printing needs none of its libraries. */
const fileCommands = () => import("./write.js");

function machineOf(command: Command, { file }: ConnectOptions): Machine {
  const env = environmentOf(command);
  const home = (process.platform === "win32" ? env["USERPROFILE"] : env["HOME"]) ?? homedir();
  return { file, home, env };
}

/** On standard error: standard output is the configuration alone. */
function warn(limits: Limits, origin: string, key: string | null): void {
  if (limits.from === "assumed") {
    const context = assumedLimits.contextTokens.toLocaleString("en");
    console.error(
      `The context of the models is unknown, since ${origin} ${limits.why}: ${context} tokens are written instead.`,
    );
  }
  if (key === null) {
    console.error(
      typed(
        `A placeholder is shown instead of a key. Create one: sotto keys create <email>, or add --new-key <email>.`,
      ),
    );
  }
}

/** The configuration is printed or written all the same: the model behind the name can be changed later. */
function warnOfFit({ text, wanted }: Fit, client: ConnectClient, target: ConnectTarget): void {
  if (wanted === null) return;
  const [better] = betterModels(client, modelOf(target), target.models);
  const wayOut =
    better === undefined
      ? `Ask the operator for ${wanted.text}; on the server, sotto models lists what there is.`
      : `${better.id} fits better, with ${better.contextTokens.toLocaleString("en")}: add --model ${better.id}.`;
  console.error(typed(`warning: ${text} ${wayOut}`));
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
    return withStore(command, async ({ store, record }) => {
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
