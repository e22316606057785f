/** `sotto models`: which weights serve which model, and how they are downloaded. */
import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Command } from "commander";
import { type Best, bestFor, readingSpeed } from "../../models/choice/best-model.js";
import { isChatModelId, modelIds } from "../../core/models.js";
import { activeBytesOf, catalog, type CatalogEntry } from "../../models/choice/catalog.js";
import { requireFree, requirePrevious, storeSource } from "../../models/choice/choose-source.js";
import { describeSource, isStarter } from "../../models/choice/source.js";
import { contextHere, entrySize, fitsHere, speedHere } from "../../models/choice/fit-here.js";
import { formatBytes, formatTokenRate, speedText } from "../../models/sizes.js";
import { machineHere, withSettings } from "./machine-here.js";
import { modelsFolder, pullCommand } from "./models-pull.js";
import { parseModel, useCommand } from "./models-use.js";
import { report, table, tableOf } from "../output.js";
import { pullProgress } from "./pull-progress.js";
import { readSettings } from "../settings.js";
import { storeCommand } from "../store-command.js";
import { type ListedWeights, listWeights } from "../../models/list-weights.js";
import { type Mapping, readMapping } from "../../models/choice/mapping.js";
import type { ContextHere } from "../../core/model-views.js";

export function modelsCommand(program: Command): void {
  const models = program.command("models").description("list, pull and choose the weights behind the models");
  listCommand(models);
  catalogCommand(models);
  pullCommand(models);
  useCommand(models);
  rollBackCommand(models);
  mirrorCommand(models);
}

function catalogCommand(models: Command): void {
  storeCommand(
    models,
    "catalog",
    "list open models to choose from, with what each gets on this machine",
  ).action(async (_: unknown, command: Command) => {
    const config = readSettings(command);
    const machine = await withSettings(config, (settings) => machineHere(config, settings));
    const best = bestFor(machine);
    const entries = catalog.map((entry) => ({
      entry,
      fits: fitsHere(entrySize(entry), machine),
      here: contextHere(entrySize(entry), machine),
      tokensPerSecond: chats(entry) ? speedHere(activeBytesOf(entry), machine) : null,
    }));
    const text = tableOf(entries, {
      id: ({ entry }) => entry.id,
      title: ({ entry }) => entry.title,
      licence: ({ entry }) => entry.licence,
      size: ({ entry }) => formatBytes(entry.bytes),
      memory: ({ fits, here }) => (fits === "no" ? "too large here" : formatBytes(here.memoryBytes)),
      "context here": ({ entry, fits, here }) =>
        fits === "no" ? "" : `${here.contextTokens} of ${entry.contextTokens}`,
      "at once": ({ fits, here }) => (fits === "no" ? "" : here.sequences),
      "tokens/s": ({ entry, tokensPerSecond }) => speedCell(entry, tokensPerSecond),
      suits: ({ entry }) => entry.suits.join(", "),
      "good for": ({ entry }) => entry.goodFor,
    });
    report(
      command,
      entries.map(({ entry, fits, here, tokensPerSecond }) => ({
        id: entry.id,
        title: entry.title,
        licence: entry.licence,
        parameters: entry.parametersBillion * 1e9,
        uri: entry.uri,
        bytes: entry.bytes,
        memory_bytes: here.memoryBytes,
        context_tokens: entry.contextTokens,
        context_here: fits === "no" ? null : here.contextTokens,
        concurrent_here: fits === "no" ? null : here.sequences,
        tokens_per_second_here: tokensPerSecond,
        suits: entry.suits,
        good_for: entry.goodFor,
        best_here: entry === best?.entry,
      })),
      `${text}\n\n${advice(best)}`,
    );
  });
}

function rollBackCommand(models: Command): void {
  storeCommand(models, "roll-back <model>", "return to what served a model before its latest change").onStore(
    async ({ config, store, record }, model: string) => {
      const id = parseModel(model);
      requireFree(config.models, id);
      const source = await requirePrevious(store, id);
      await storeSource(store, id, source);
      await record("rolled back model", id);
      const shown = describeSource(source);
      return [
        { model: id, type: source.type, source: shown },
        `${id} is served by ${shown} again. A running server switches over within seconds.`,
      ];
    },
  );
}

function mirrorCommand(models: Command): void {
  storeCommand(
    models,
    "mirror <folder>",
    "write the starter weights to a folder, for a web server of your own",
  )
    .notes(
      `
Writes two GGUF files and SHA256SUMS. Serve the folder over https, or copy it, and set SOTTO_STARTER_SOURCE where the npm
packages with the weights are not installed.

Examples:
  sotto models mirror /srv/www/sotto-starter
  SOTTO_STARTER_SOURCE=https://files.example.com/sotto-starter sotto serve`,
    )
    .action(async (folder: string, _: unknown, command: Command) => {
      // Loaded here, since every other command starts faster without it.
      const { mirrorStarters } = await import("../../models/starter-mirror.js");
      const progress = pullProgress();
      progress.file("starter weights", 1, 1);
      const files = await mirrorStarters(resolve(folder), progress.update).finally(progress.stop);
      const source = pathToFileURL(resolve(folder)).href;
      const lines = files.map(({ path, bytes, sha256 }) => `${sha256}  ${path}  ${formatBytes(bytes)}`);
      report(
        command,
        { source, files },
        `${lines.join("\n")}\nUse it: SOTTO_STARTER_SOURCE=${source}, or the https address it is served at.`,
      );
    });
}

/** Tokens a second are those of replies. */
const chats = ({ suits }: CatalogEntry): boolean => suits.some(isChatModelId);

function speedCell(entry: CatalogEntry, tokensPerSecond: number | null): string {
  if (!chats(entry)) return "";
  return tokensPerSecond === null ? "?" : formatTokenRate(tokensPerSecond);
}

function advice(best: Best | null): string {
  if (best === null) return "This machine has too little memory for any of them.";
  const { entry, tokensPerSecond, isSlow } = best;
  const command = `sotto models use omega ${entry.id}`;
  if (isSlow)
    return `Nothing here reaches ${readingSpeed} tokens a second on this machine. The fastest is ${entry.title}, ${speedText(tokensPerSecond)}: ${command}`;
  return `The best model for this machine is ${entry.title}, ${speedText(tokensPerSecond)}: ${command}`;
}

function listCommand(models: Command): void {
  storeCommand(models, "list", "list the models, what serves them, and the weights on this machine").onStore(
    async ({ config, store }) => {
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
