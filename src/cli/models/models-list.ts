/** `sotto models list`: what answers for each model, and the weights that are here. */
import type { Command } from "commander";
import { basename } from "node:path";
import { listWeights, type ListedWeights } from "../../models/list-weights.js";
import { readMapping, type Mapping } from "../../models/choice/mapping.js";
import { memoryNeed } from "../../models/gguf/memory.js";
import { formatBytes } from "../../models/sizes.js";
import { describeSource } from "../../models/choice/source.js";
import { modelIds } from "../../core/models.js";
import { modelsFolder } from "./models-pull.js";
import { report, table } from "../output.js";
import { readSettings } from "../settings.js";
import { storeCommand, withStore } from "../store-command.js";

export function listCommand(models: Command): void {
  storeCommand(models, "list", "list the models, what serves them, and the weights on this machine").action(
    async (_: unknown, command: Command) => {
      const config = readSettings(command);
      const { mapping, weights } = await withStore(command, async (store) => {
        const mapping = await readMapping(store, config.models);
        return { mapping, weights: await listWeights(modelsFolder(config), mapping, store) };
      });
      const need = (item: ListedWeights) =>
        item.facts === null ? null : memoryNeed(item.facts, config.engine);
      report(
        command,
        {
          models: modelIds.map((model) => modelJson(mapping, model)),
          weights: weights.map((item) => weightsJson(item, need(item)?.usualBytes ?? null)),
        },
        `${modelTable(mapping)}\n\n${weightsTable(weights, (item) => need(item)?.usualBytes ?? null)}`,
      );
    },
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
  memory: (item: ListedWeights) => number | null,
): string {
  if (weights.length === 0) return "No weights on this machine yet. See: sotto models catalog";
  const rows = weights.map((item) => {
    const { facts, problem, speed, models } = item;
    if (facts === null) return [basename(item.path), problem ?? "", "", "", "", "", models.join(", ")];
    const memoryBytes = memory(item);
    return [
      basename(item.path),
      facts.quantisation,
      formatBytes(facts.bytes),
      String(facts.contextTokens ?? "?"),
      memoryBytes === null ? "?" : formatBytes(memoryBytes),
      speed === null ? "not measured" : speed.tokensPerSecond.toFixed(1),
      models.join(", "),
    ];
  });
  return table(["file", "quantisation", "size", "context", "memory", "tokens/s", "answers for"], rows);
}

function modelJson(mapping: Mapping, model: (typeof modelIds)[number]) {
  const desired = mapping[model];
  return desired.type === "unreadable"
    ? { model, fault: desired.reason }
    : { model, type: desired.source.type, source: describeSource(desired.source), chosen_by: desired.from };
}

const weightsJson = ({ path, facts, problem, speed, models }: ListedWeights, memoryBytes: number | null) => ({
  path,
  models,
  fault: problem,
  architecture: facts?.architecture ?? null,
  quantisation: facts?.quantisation ?? null,
  parameters: facts?.parameters ?? null,
  bytes: facts?.bytes ?? null,
  context_tokens: facts?.contextTokens ?? null,
  memory_bytes: memoryBytes,
  tokens_per_second: speed?.tokensPerSecond ?? null,
  measured_at: speed?.at ?? null,
});
