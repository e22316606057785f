/** `sotto models`: which weights serve which model, and how they are downloaded. */
import type { Command } from "commander";
import { bestFor } from "../../models/choice/best-model.js";
import { catalog, type CatalogEntry } from "../../models/choice/catalog.js";
import { memoryNeed } from "../../models/gguf/memory.js";
import { formatBytes } from "../../models/sizes.js";
import { listCommand } from "./models-list.js";
import { pullCommand } from "./models-pull.js";
import { rollBackCommand } from "./models-roll-back.js";
import { useCommand } from "./models-use.js";
import { report, table } from "../output.js";
import { storeCommand } from "../store-command.js";

export function modelsCommand(program: Command): void {
  const models = program.command("models").description("list, pull and choose the weights behind the models");
  listCommand(models);
  catalogCommand(models);
  pullCommand(models);
  useCommand(models);
  rollBackCommand(models);
}

function catalogCommand(models: Command): void {
  storeCommand(models, "catalog", "list open models to choose from").action(
    (_: unknown, command: Command) => {
      const best = bestFor({ availableBytes: process.availableMemory() });
      const rows = catalog.map((entry) => [
        entry.id,
        entry.title,
        entry.licence,
        formatBytes(entry.bytes),
        formatBytes(memoryNeed(entry).usualBytes),
        String(entry.contextTokens),
        entry.suits.join(", "),
        entry.goodFor,
      ]);
      report(
        command,
        catalog.map((entry) => ({
          id: entry.id,
          title: entry.title,
          licence: entry.licence,
          parameters: entry.parametersBillion * 1e9,
          uri: entry.uri,
          bytes: entry.bytes,
          memory_bytes: memoryNeed(entry).usualBytes,
          context_tokens: entry.contextTokens,
          suits: entry.suits,
          good_for: entry.goodFor,
          best_here: entry === best,
        })),
        `${table(["id", "title", "licence", "size", "memory", "context", "suits", "good for"], rows)}\n\n${advice(best)}`,
      );
    },
  );
}

const advice = (best: CatalogEntry | null): string =>
  best === null
    ? "This machine has too little memory for any of them."
    : `The best model that fits this machine is ${best.title}: sotto models use omega ${best.id}`;
