/** `sotto models use`: chooses the weights or servers of a model. A running server switches over by itself. */
import { join, resolve } from "node:path";
import { InvalidArgumentError, type Command } from "commander";
import { withDraft } from "../../adapters/context-fit.js";
import type { Config } from "../../config.js";
import { availableMemory } from "../../engines/llama/cgroup.js";
import { contextHere, type Machine, speedHere } from "../../models/choice/fit-here.js";
import { fileOf } from "../../models/choice/source-views.js";
import { readWeightsFacts } from "../../models/gguf/gguf.js";
import { formatBytes, speedText } from "../../models/sizes.js";
import { checkWithDraft } from "../../models/gguf/check-weights.js";
import {
  firstExisting,
  requireFree,
  storeSource,
  upstreamSource,
} from "../../models/choice/choose-source.js";
import { isFileAddress, parseReference } from "../../models/pull/reference.js";
import { describeSource, type ModelSource, starterOf } from "../../models/choice/source.js";
import { WeightsError } from "../../models/weights-error.js";
import { engineBounds, type EngineMember } from "../../protocol/engine-member.js";
import { upstreamProfiles } from "../../core/model-views.js";
import { isChatModelId, isModelId, modelIds, type ModelId } from "../../core/models.js";
import { findingsOf } from "./engine-findings.js";
import { machineHere } from "./machine-here.js";
import { modelsFolder, pull } from "./models-pull.js";
import { report } from "../output.js";
import { readSettings } from "../settings.js";
import { storeCommand, withStore } from "../store-command.js";

const serverOptions = [
  "profile",
  "name",
  "key",
  "weight",
  "contextTokens",
  "vision",
  "acceptSharedCache",
  "acceptLogging",
  "allowPublic",
] as const;

/** Those of servers are checked with the addresses. */
interface UseOptions extends Partial<Record<(typeof serverOptions)[number], unknown>> {
  context?: number;
  draft?: string;
  force?: boolean;
}

export function useCommand(models: Command): void {
  storeCommand(models, "use <model> <source...>", "choose what serves omega, prism, lambda or iota")
    .option(
      "--profile <kind>",
      `kind of server at the address: ${upstreamProfiles.join(", ")} (default: openai)`,
    )
    .option("--name <name>", "the model's name on that server (default: the one it serves)")
    .option("--key <key>", "key for that server; kept in the database")
    .option("--weight <number>", "share of the requests beside other servers (default: 1)", parseWeight)
    .option("--context-tokens <n>", "its context, where that server does not report it", parseContext)
    .option(
      "--context <n>",
      "context of each request with these weights (default: as much as memory allows)",
      parseContext,
    )
    .option(
      "--draft <source>",
      "a smaller model with the same vocabulary that guesses the tokens of these weights",
    )
    .option("--vision", "its model reads images, where that server does not report it")
    .option("--accept-shared-cache", "accept a server that shares its prompt cache between accounts")
    .option("--accept-logging", "accept a server that logs, stores or passes on requests")
    .option("--allow-public", "allow an address outside this machine and private networks")
    .option("--force", "do not check that the file fits into memory, for machines whose GPU holds it")
    .notes(
      `
A source is a file, the name of one in the data directory's models folder, an entry of the catalogue, an hf: URI
or an https address of a .gguf file (both are downloaded first), or addresses of servers.

Examples:
  sotto models use omega /models/my-model.gguf
  sotto models use prism qwen3-4b
  sotto models use omega qwen3-4b --context 65536
  sotto models use omega qwen3-4b --draft /models/qwen3-0.6b.gguf
  sotto models use lambda hf:owner/repo:Q4_K_M
  sotto models use omega http://gpu1:8000/v1 http://gpu2:8000/v1 --profile vllm
  sotto models use omega default                  back to the starter weights
  sotto models use iota off                       no embeddings`,
    )
    .action(async (model: string, sources: string[], options: UseOptions, command: Command) => {
      const id = parseModel(model);
      const config = readSettings(command);
      requireFree(config.models, id);
      const source = await findSource(config, id, sources, options);
      const here = await withStore(command, async ({ store, record }) => {
        await storeSource(store, id, source);
        await record("changed source of model", id);
        if (!isChatModelId(id)) return null;
        return describeHere(source, await machineHere(config, store), fileOf(modelsFolder(config), source));
      });
      report(
        command,
        { model: id, source: withoutKeys(source), ...here?.json },
        `${source.type === "off" ? `${id} is off` : `${id} is served by ${describeSource(source)}`}. A running server switches over within seconds.${here === null ? "" : `\n${here.text}`}`,
      );
    });
}

/** What the weights get on this machine; null for engines elsewhere, and for what cannot be read. */
async function describeHere(source: ModelSource, machine: Machine, file: string | null) {
  const { contextTokens: chosen, draft } = source.type === "weights" ? source : {};
  const factsOf = (path: string) => readWeightsFacts(path).catch(() => null);
  const own = file === null ? null : await factsOf(file);
  if (own === null) return null;
  const facts = withDraft(own, draft === undefined ? null : await factsOf(draft));
  const { contextTokens, sequences, cacheType, memoryBytes } = contextHere(facts, machine, chosen);
  const speed = speedHere(facts.activeBytes, machine);
  const trained = facts.contextTokens === null ? "" : ` (trained for ${facts.contextTokens})`;
  return {
    json: {
      context_here: contextTokens,
      concurrent_here: sequences,
      cache_type: cacheType,
      memory_bytes: memoryBytes,
      tokens_per_second_here: speed,
      has_chat_template: facts.hasChatTemplate,
    },
    text:
      `Context you get here: ${contextTokens} tokens${trained}, for ${sequences} at once, in ${formatBytes(memoryBytes)} of memory; ${speedText(speed)}.` +
      (facts.hasChatTemplate ? "" : `\n${baseModelNote}`),
  };
}

const baseModelNote =
  "It has no chat template: POST /v1/completions continues texts with it, and conversations are refused.";

async function findSource(
  config: Config,
  model: ModelId,
  texts: readonly string[],
  options: UseOptions,
): Promise<ModelSource> {
  const [text = "", ...more] = texts;
  if (texts.every(isServerAddress)) {
    if (options.context !== undefined)
      throw new WeightsError(
        "--context only works with weights on this machine. For a server: --context-tokens.",
      );
    if (options.draft !== undefined)
      throw new WeightsError("--draft only works with weights on this machine.");
    return upstreams(texts, options, config.engine.strictPreflight);
  }
  if (more.length > 0) throw new WeightsError("Several sources are only possible for addresses of servers.");
  for (const name of serverOptions) {
    if (options[name] !== undefined)
      throw new WeightsError(
        `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} only works with addresses of servers.`,
      );
  }
  const { context: contextTokens, draft } = options;
  if (text === "default" || text === "starter") {
    if (contextTokens !== undefined)
      throw new WeightsError(
        "--context only works with a file: the starter has the context it was trained for.",
      );
    if (draft !== undefined) throw new WeightsError("--draft only works with a file.");
    return starterOf(model);
  }
  if (text === "off" && !isChatModelId(model)) return { type: "off" };
  const path = await findFile(config, text);
  const availableBytes = options.force === true ? Infinity : availableMemory();
  const chosen = contextTokens === undefined ? {} : { contextTokens };
  const found = draft === undefined ? {} : { draft: await findFile(config, draft) };
  await checkWithDraft(path, found.draft, { ...config.engine, ...chosen, availableBytes }, model);
  return { type: "weights", path, ...chosen, ...found };
}

const isServerAddress = (text: string): boolean => {
  if (!/^https?:\/\//i.test(text)) return false;
  const reference = parseReference(text);
  return reference.type === "address" && !isFileAddress(reference.url);
};

/** Absolute: the server may be started from another folder. */
async function findFile(config: Config, text: string): Promise<string> {
  if (parseReference(text).type !== "local") return (await pull(config, text)).path;
  const here = join(modelsFolder(config), text);
  const found = firstExisting([resolve(text), here, `${here}.gguf`]);
  if (found !== null) return found;
  throw new WeightsError(
    `There is no file ${resolve(text)}, and no ${text} in ${modelsFolder(config)}. See: sotto models list, sotto models catalog`,
  );
}

async function upstreams(
  urls: readonly string[],
  options: UseOptions,
  strict: boolean,
): Promise<ModelSource> {
  const given = Object.fromEntries(serverOptions.map((name) => [name, options[name]]));
  const { profile = "openai" } = options;
  const { source, members } = upstreamSource(urls.map((url) => ({ ...given, url, profile })));
  await runPreflight(members, strict);
  return source;
}

/** Prints the warnings of the preflight, and refuses an engine that must not be used. */
async function runPreflight(members: readonly EngineMember[], strict: boolean): Promise<void> {
  const { refusal, warnings } = await findingsOf(members, strict);
  for (const text of warnings) console.error(`warning: ${text}`);
  if (refusal !== null) throw new WeightsError(refusal);
}

/** A key is stored, and never shown again. */
const withoutKeys = (source: ModelSource) =>
  source.type === "upstreams"
    ? {
        ...source,
        upstreams: source.upstreams.map((member) => {
          if (!("url" in member)) return member;
          const { key, ...rest } = member;
          return { ...rest, has_key: key !== undefined };
        }),
      }
    : source;

export function parseModel(text: string): ModelId {
  if (isModelId(text)) return text;
  throw new WeightsError(`There is no model '${text}': choose ${modelIds.join(", ")}.`);
}

function parseContext(text: string): number {
  const { min, max } = engineBounds.contextTokens;
  const tokens = Number(text);
  if (Number.isInteger(tokens) && tokens >= min && tokens <= max) return tokens;
  throw new InvalidArgumentError(`Write a whole number of tokens from ${min} to ${max}.`);
}

function parseWeight(text: string): number {
  const { max } = engineBounds.weight;
  const weight = Number(text);
  if (weight > 0 && weight <= max) return weight;
  throw new InvalidArgumentError(`Write a number above 0, at most ${max}.`);
}
