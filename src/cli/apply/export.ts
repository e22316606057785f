/** `sotto export`: what there is now, as a file for `sotto apply`. */
import type { Command } from "commander";
import { Document, isMap, visit } from "yaml";
import { storeCommand, withStore } from "../store-command.js";
import { sectionParts, sections } from "./carry-out.js";
import { Secret } from "./sections/secret.js";
import { type Fields, isFields } from "./sections/fields.js";
import type { Path } from "./sections/section.js";

const comment = ` Written by sotto export; sotto apply makes a service what it says (docs/apply.md).
 Secrets are not exported: where there is one, { env: NAME } names a variable to set. While it is not set, a service
 that has the secret keeps it.`;

export function exportCommand(program: Command): void {
  storeCommand(program, "export", "write plans, teams, models and more as a file for sotto apply")
    .notes(
      `
What the configuration sets is left out. Accounts, keys and usage are not part of it: see sotto backup.

Example:
  sotto export > sotto.yaml`,
    )
    .action(async (_: unknown, command: Command) => {
      const content = await withStore(command, async ({ store, audit, config }) => {
        const parts = sectionParts({ store, audit, config, force: false, onWebhookSecret: () => undefined });
        const exported: [string, unknown][] = [];
        for (const [name, open] of sections) exported.push([name, await open(parts).current()]);
        return withReferences(Object.fromEntries(exported.filter(([, value]) => value !== undefined)), []);
      });
      const isJson = command.opts<{ json?: boolean }>().json === true;
      console.log(isJson ? JSON.stringify(content) : toYaml(content));
    });
}

function toYaml(content: unknown): string {
  const document = new Document(content);
  document.commentBefore = comment;
  // References stand out on one line.
  visit(document, {
    Map: (_, map) => {
      if (isMap(map) && map.items.length === 1 && map.has("env")) map.flow = true;
    },
  });
  return document.toString({ lineWidth: 0 }).trimEnd();
}

function withReferences(value: unknown, path: Path): unknown {
  if (value instanceof Secret) return { env: variableName(path) };
  if (Array.isArray(value)) return value.map((item, at) => withReferences(item, [...path, at]));
  return isFields(value) ? mapFields(value, (field, name) => withReferences(field, [...path, name])) : value;
}

const mapFields = (fields: Fields, change: (field: unknown, name: string) => unknown): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, change(field, name)]));

/** `models.omega.engines.0.key` becomes `MODELS_OMEGA_ENGINES_0_KEY`. */
const variableName = (path: Path): string =>
  path
    .map(String)
    .join("_")
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .replace(/\W+/g, "_")
    .toUpperCase();
