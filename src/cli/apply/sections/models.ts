/**
 * What serves each model: `default`, `off`, `weights` on this machine, or `engines` on the network. It is stated as a whole.
 * Weights by their name are in the models folder. What changes is checked as `sotto models use` does; nothing is
 * downloaded.
 */
import { basename, dirname, isAbsolute, join } from "node:path";
import { isChatModelId, isModelId, type ModelId, modelIds } from "../../../core/models.js";
import { UserError } from "../../../core/user-error.js";
import { availableMemory } from "../../../engines/llama/cgroup.js";
import { findOnServer, fixedBy, storeSource } from "../../../models/choice/choose-source.js";
import { readMapping, sameSource } from "../../../models/choice/mapping.js";
import { isStarter, type ModelSource, modelSourceSchema, starterOf } from "../../../models/choice/source.js";
import { checkWithDraft } from "../../../models/gguf/check-weights.js";
import { findingsOf } from "../../models/engine-findings.js";
import { modelsFolder } from "../../models/models-pull.js";
import { keptSecret, Secret, secretField } from "./secret.js";
import { differences, type Fields, isFields } from "./fields.js";
import {
  type Change,
  type Path,
  type Reading,
  reportIssues,
  type Section,
  type SectionParts,
} from "./section.js";

export function modelsSection(parts: SectionParts): Section {
  const { store, audit, actor, config } = parts;
  const folder = modelsFolder(config);

  const changeOf = async (model: ModelId, given: unknown, reading: Reading): Promise<Change[]> => {
    const path = ["models", model];
    const desired = (await readMapping(store, config.models))[model];
    const before = desired.type === "source" ? desired.source : undefined;
    const source = readSource({ model, given, before, path, folder }, reading);
    if (source === undefined || (before !== undefined && sameSource(before, source))) return [];
    const setting = fixedBy(config.models, model);
    if (setting !== null)
      return reading.problem(path, `This is set by the configuration: ${setting}. Change it there.`);
    return [
      {
        ...{ type: "change", kind: "model", name: model, path },
        fields: differences(before && fieldsOf(before, folder), fieldsOf(source, folder)),
        check: () => check(source, model, parts),
        run: async () => {
          await storeSource(store, model, source);
          await audit.record(actor, "changed source of model", model);
        },
      },
    ];
  };

  return {
    current: async () => {
      const mapping = await readMapping(store, config.models);
      const shown = modelIds.flatMap((model): [string, unknown][] => {
        const desired = mapping[model];
        const isOpen = desired.type === "source" && desired.from !== "configuration";
        return isOpen ? [[model, shownSource(desired.source, folder)]] : [];
      });
      return shown.length === 0 ? undefined : Object.fromEntries<unknown>(shown);
    },
    changes: async (given, reading) => {
      if (!isFields(given))
        return reading.problem(["models"], `Write models and what serves each: ${modelIds.join(", ")}.`);
      const changes = await Promise.all(
        Object.entries(given).map(async ([model, value]) =>
          isModelId(model)
            ? changeOf(model, value, reading)
            : reading.problem(["models", model], `There is no such model: use ${modelIds.join(", ")}.`),
        ),
      );
      return changes.flat();
    },
  };
}

interface Given {
  model: ModelId;
  given: unknown;
  before: ModelSource | undefined;
  path: Path;
  folder: string;
}

function readSource(asked: Given, reading: Reading): ModelSource | undefined {
  const { model, given, path } = asked;
  if (given === "default") return starterOf(model);
  if (given === "off" && !isChatModelId(model)) return { type: "off" };
  const source = isFields(given) ? sourceOf(asked, given, reading) : undefined;
  if (source === undefined) {
    const off = isChatModelId(model) ? "" : "'off', ";
    reading.problem(
      path,
      `Write 'default', ${off}'weights' with a file, or 'engines' with a list of servers.`,
    );
    return undefined;
  }
  const { data, error } = modelSourceSchema.safeParse(source);
  if (error !== undefined) {
    const issues = error.issues.map((issue) => ({ ...issue, path: issue.path.map(nameInFile) }));
    reportIssues(path, issues, reading);
  }
  return data;
}

/** The shape of the source, unchecked; undefined where it is none. */
function sourceOf({ given: _, before, path, folder }: Given, fields: Fields, reading: Reading) {
  if ("engines" in fields) {
    const { engines, ...others } = fields;
    const upstreams = Array.isArray(engines)
      ? engines.map((engine: unknown, at) =>
          withKey(engine, before, [...path, "engines", at, "key"], reading),
        )
      : engines;
    return { type: "upstreams", upstreams, ...others };
  }
  const { weights, draft, ...others } = fields;
  if (weights === undefined) return undefined;
  const fileOf = (name: unknown) =>
    typeof name === "string" && !isAbsolute(name) ? join(folder, name) : name;
  return {
    ...{ type: "weights", path: fileOf(weights), ...others },
    ...(draft === undefined ? {} : { draft: fileOf(draft) }),
  };
}

/** A key of the same server is kept where the reference leads nowhere. */
function withKey(engine: unknown, before: ModelSource | undefined, path: Path, reading: Reading): unknown {
  if (!isFields(engine) || !("key" in engine)) return engine;
  const members = before?.type === "upstreams" ? before.upstreams : [];
  const same = members.find((member) => "url" in member && member.url === engine.url);
  const known = same !== undefined && "key" in same && same.key !== undefined ? new Secret(same.key) : null;
  const { key: _, ...rest } = engine;
  const { data, error } = secretField.nullable().safeParse(keptSecret(engine.key, known, path, reading));
  if (error !== undefined) reportIssues(path, error.issues, reading);
  return data instanceof Secret ? { ...rest, key: data.value } : rest;
}

const nameInFile = (name: PropertyKey): PropertyKey =>
  name === "upstreams" ? "engines" : name === "path" ? "weights" : name;

/** As the file has it. */
function shownSource(source: ModelSource, folder: string): unknown {
  if (isStarter(source)) return "default";
  return source.type === "off" ? "off" : fieldsOf(source, folder);
}

function fieldsOf(source: ModelSource, folder: string): Fields {
  switch (source.type) {
    case "starter":
    case "embedding-starter":
      return { source: "default" };
    case "off":
      return { source: "off" };
    case "weights": {
      const { type: _, path, draft, ...rest } = source;
      const shown = (file: string) => (dirname(file) === folder ? basename(file) : file);
      return { weights: shown(path), ...rest, ...(draft === undefined ? {} : { draft: shown(draft) }) };
    }
    case "upstreams":
      return {
        engines: source.upstreams.map((member) =>
          "url" in member && member.key !== undefined ? { ...member, key: new Secret(member.key) } : member,
        ),
      };
  }
}

/** Throws `UserError` for what must not be used. */
async function check(
  source: ModelSource,
  model: ModelId,
  { config, force }: SectionParts,
): Promise<string[]> {
  if (source.type === "weights") {
    const path = findOnServer(modelsFolder(config), source.path);
    const { contextTokens = config.engine.contextTokens } = source;
    const availableBytes = force ? Infinity : availableMemory();
    const machine = { ...config.engine, contextTokens, availableBytes };
    await checkWithDraft(path, source.draft, machine, model);
  }
  if (source.type !== "upstreams") return [];
  const { refusal, warnings } = await findingsOf(source.upstreams, config.engine.strictPreflight);
  if (refusal !== null) throw new UserError(refusal);
  return warnings;
}
