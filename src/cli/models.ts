/** `sotto models`: which weights answer for which model, and how they come here. */
import type { Command } from "commander";
import { catalog, memoryOf } from "../models/catalog.js";
import { gigabytes } from "../models/sizes.js";
import { listCommand } from "./models-list.js";
import { pullCommand } from "./models-pull.js";
import { rollBackCommand } from "./models-roll-back.js";
import { useCommand } from "./models-use.js";
import { report, table } from "./output.js";
import { storeCommand } from "./store-command.js";

export function modelsCommand(program: Command): void {
  const models = program.command("models").description("list, pull and choose the weights behind the models");
  listCommand(models);
  catalogCommand(models);
  pullCommand(models);
  useCommand(models);
  rollBackCommand(models);
}

function catalogCommand(models: Command): void {
  storeCommand(models, "catalog", "list models that are known to work well").action(
    (_: unknown, command: Command) => {
      const rows = catalog.map((entry) => [
        entry.id,
        entry.title,
        entry.licence,
        gigabytes(entry.bytes),
        gigabytes(memoryOf(entry)),
        String(entry.contextTokens),
        entry.suits.join(", "),
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
          memory_bytes: memoryOf(entry),
          context_tokens: entry.contextTokens,
          suits: entry.suits,
        })),
        `${table(["id", "title", "licence", "size", "memory", "context", "suits"], rows)}\n\nPull one: sotto models pull ${catalog[0]?.id ?? ""}`,
      );
    },
  );
}
