/** `sotto models list`: what answers for each model, and the weights that are here. */
import type { Command } from "commander";
import { basename } from "node:path";
import { listWeights, type ListedWeights } from "../../models/list-weights.js";
import { readMapping, type Mapping } from "../../models/choice/mapping.js";
import { contextHere } from "../../models/choice/fit-here.js";
import type { ContextHere } from "../../core/model-views.js";
import { machineHere } from "./machine-here.js";
import { formatBytes } from "../../models/sizes.js";
import { describeSource, isStarter } from "../../models/choice/source.js";
import { modelIds } from "../../core/models.js";
import { modelsFolder } from "./models-pull.js";
import { table } from "../output.js";
import { onStore, storeCommand } from "../store-command.js";

export function listCommand(models: Command): void {
  storeCommand(models, "list", "list the models, what serves them, and the weights on this machine").action(
    onStore(async ({ config, store }) => {
      const mapping = await readMapping(store, config.models);
      const weights = await listWeights(modelsFolder(config), mapping, store);
      const machine = await machineHere(config, store);
      const here = ({ facts }: ListedWeights) => (facts === null ? null : contextHere(facts, machine));
      return [
        {
          models: modelIds.map((model) => modelJson(mapping, model)),
          weights: weights.map((item) => weightsJson(item, here(item))),
        },
        `${modelTable(mapping)}\n\n${weightsTable(weights, here)}`,
      ];
    }),
  );
}

function modelTable(mapping: Mapping): string {
  const rows = modelIds.map((model) => {
    const desired = mapping[model];
    if (desired.type === "unreadable") return [model, desired.reason, ""];
    return [model, describeSource(desired.source), desired.from];
  });
  return table(["model", "answered by", "chosen by"], rows);
}

function weightsTable(
  weights: readonly ListedWeights[],
  here: (item: ListedWeights) => ContextHere | null,
): string {
  if (weights.length === 0) return "No weights on this machine yet. See: sotto models catalog";
  const rows = weights.map((item) => {
    const { facts, problem, speed, models } = item;
    if (facts === null) return [basename(item.path), problem ?? "", "", "", "", "", models.join(", ")];
    const fit = here(item);
    return [
      `${basename(item.path)}${facts.hasChatTemplate ? "" : " (no chat template)"}`,
      facts.quantisation,
      formatBytes(facts.bytes),
      `${fit?.contextTokens ?? "?"} of ${facts.contextTokens ?? "?"}`,
      fit === null ? "?" : formatBytes(fit.memoryBytes),
      speed === null ? "not measured" : speed.tokensPerSecond.toFixed(1),
      models.join(", "),
    ];
  });
  return table(["file", "quantisation", "size", "context here", "memory", "tokens/s", "answers for"], rows);
}

function modelJson(mapping: Mapping, model: (typeof modelIds)[number]) {
  const desired = mapping[model];
  if (desired.type === "unreadable") return { model, fault: desired.reason };
  const { source, from } = desired;
  const type = isStarter(source) ? "starter" : source.type;
  return { model, type, source: describeSource(source), chosen_by: from };
}

const weightsJson = ({ path, facts, problem, speed, models }: ListedWeights, here: ContextHere | null) => ({
  path,
  models,
  fault: problem,
  architecture: facts?.architecture ?? null,
  quantisation: facts?.quantisation ?? null,
  has_chat_template: facts?.hasChatTemplate ?? null,
  parameters: facts?.parameters ?? null,
  bytes: facts?.bytes ?? null,
  context_tokens: facts?.contextTokens ?? null,
  context_here: here?.contextTokens ?? null,
  concurrent_here: here?.sequences ?? null,
  memory_bytes: here?.memoryBytes ?? null,
  tokens_per_second: speed?.tokensPerSecond ?? null,
  measured_at: speed?.at ?? null,
});
