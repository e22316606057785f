/**
 * Other names of the models. Of patterns the first that matches decides, so those of the file come in its order and before
 * the ones that it does not mention.
 */
import {
  aliasesInUse,
  areConfigured,
  isPattern,
  type ModelAlias,
  readAliases,
  saveAliases,
} from "../../../core/model-aliases.js";
import { differences, isFields } from "./fields.js";
import type { Section, SectionParts } from "./section.js";

export function aliasesSection({ store, audit, actor, config }: SectionParts): Section {
  const { modelAliases: configured } = config.service;
  return {
    current: async () =>
      areConfigured(configured) ? undefined : modelsByName(await aliasesInUse(store, configured)),
    changes: async (given, { prune, problem }) => {
      const path = ["aliases"];
      if (!isFields(given) || !Object.values(given).every((model) => typeof model === "string"))
        return problem(path, "Write each alias and its model, such as gpt-*: omega.");
      const before = await aliasesInUse(store, configured);
      const written = Object.entries(given).map(([name, model]): [string, string] => [name, String(model)]);
      const kept = prune ? [] : before.filter(({ name }) => !(name in given)).map(pairOf);
      const read = readAliases([...written, ...kept]);
      if ("problem" in read) return problem(path, `The list ${read.problem}.`);
      const fields = differences(modelsByName(before), modelsByName(read.aliases));
      if (fields.length === 0 && orderOf(before) !== orderOf(read.aliases))
        fields.push({ field: "order", from: orderOf(before), to: orderOf(read.aliases) });
      if (fields.length === 0) return [];
      if (areConfigured(configured))
        return problem(path, "Aliases are set by the configuration: SOTTO_MODEL_ALIASES.");
      const run = () => saveAliases({ store, audit }, actor, read.aliases);
      return [{ type: "change", kind: "aliases", name: "", path, fields, run }];
    },
  };
}

const pairOf = ({ name, model }: ModelAlias): [string, string] => [name, model];

const modelsByName = (aliases: readonly ModelAlias[]) => Object.fromEntries(aliases.map(pairOf));

/** That of exact names decides nothing. */
const orderOf = (aliases: readonly ModelAlias[]): string =>
  aliases
    .map(({ name }) => name)
    .filter(isPattern)
    .join(", ");
