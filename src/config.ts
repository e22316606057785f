/**
 * The whole configuration: one table of fields, one reader of the environment. Each field carries its
 * environment name, default and documentation (`config/fields.ts`); `docs/configuration.md` is written from that
 * table and a test holds the two together. A value comes from the command line, then the environment, then the
 * file named by `--config`, then the default. All errors are reported together.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type * as Yaml from "yaml";
import { configFields } from "./config/fields.js";
import type { Field } from "./config/kinds.js";
import { type ChatModelId, forEachChatModel, type ModelId } from "./core/models.js";
import { hasCircle } from "./core/serving/substitutes.js";

type ValuesOf<F> = { [K in keyof F]: F[K] extends Field<infer T> ? T : never };
type Values = { [G in keyof typeof configFields]: ValuesOf<(typeof configFields)[G]> };

export type ServiceConfig = Values["service"];
export type StorageConfig = Values["storage"];
export type EngineConfig = Values["engine"];

export interface Config extends Omit<Values, ModelId> {
  models: Record<ChatModelId, Values["omega"]> & Pick<Values, "iota">;
}

/** Thrown with every error found, one line each. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(
      `The configuration has ${problems.length === 1 ? "an error" : `${problems.length} errors`}:\n${problems.map((problem) => `  - ${problem}`).join("\n")}`,
    );
    this.name = "ConfigError";
  }
}

export interface ConfigSources {
  env: Readonly<Record<string, string | undefined>>;
  /** Path of a YAML or JSON file. */
  file?: string | undefined;
  /** Values given on the command line, by their environment name. */
  flags?: Readonly<Record<string, string | undefined>>;
}

export function loadConfig(sources: ConfigSources): Config {
  const problems: string[] = [];
  const fromFile = sources.file === undefined ? {} : readConfigFile(sources.file, problems);

  const readGroup = <G extends keyof typeof configFields>(group: G): Values[G] => {
    const entries = Object.entries<Field<unknown>>(configFields[group]).map(([name, spec]) => {
      const given = findValue(spec, sources, fromFile);
      if (given === undefined) return [name, spec.default];
      const parsed = spec.schema.safeParse(given.value);
      if (parsed.success) return [name, parsed.data];
      const problem = parsed.error.issues[0]?.message ?? "is not valid";
      problems.push(`${given.name} ${problem}. ${oneSentence(spec.doc)}`);
      return [name, spec.default];
    });
    return Object.fromEntries(entries) as Values[G];
  };

  const config: Config = {
    service: readGroup("service"),
    accounts: readGroup("accounts"),
    storage: readGroup("storage"),
    engine: readGroup("engine"),
    downloads: readGroup("downloads"),
    limits: readGroup("limits"),
    models: {
      omega: readGroup("omega"),
      prism: readGroup("prism"),
      lambda: readGroup("lambda"),
      iota: readGroup("iota"),
    },
  };
  if (hasCircle(forEachChatModel((model) => config.models[model].fallback))) {
    problems.push("the fallbacks of the models form a circle: leave one of SOTTO_MODELS_…_FALLBACK out");
  }
  if ((config.service.tlsCert === undefined) !== (config.service.tlsKey === undefined)) {
    problems.push("SOTTO_TLS_CERT and SOTTO_TLS_KEY belong together: set both or neither");
  }
  if (config.service.processes !== 1 && config.service.proofKeys === "memory") {
    problems.push(
      "SOTTO_PROOF_KEYS=memory needs SOTTO_PROCESSES=1: the keys would differ between the processes",
    );
  }
  problems.push(...misspelledNames(sources.env));
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** Each field with its group, for the documentation and for `sotto doctor`. */
export function eachField(): { group: string; spec: Field<unknown> }[] {
  return Object.entries(configFields).flatMap(([group, fields]) =>
    Object.values<Field<unknown>>(fields).map((spec) => ({ group, spec })),
  );
}

/** The field's name in the configuration file. */
export const fileName = (spec: Field<unknown>): string => spec.env[0].replace(/^SOTTO_/, "").toLowerCase();

function findValue(
  spec: Field<unknown>,
  sources: ConfigSources,
  fromFile: Record<string, unknown>,
): { name: string; value: unknown } | undefined {
  for (const name of spec.env) {
    const flag = sources.flags?.[name];
    if (flag !== undefined) return { name: `--${fileName(spec).replaceAll("_", "-")}`, value: flag };
  }
  for (const name of spec.env) {
    const value = sources.env[name];
    if (value !== undefined) return { name, value };
  }
  const name = fileName(spec);
  return name in fromFile
    ? { name: `${name} (in the configuration file)`, value: fromFile[name] }
    : undefined;
}

function readConfigFile(path: string, problems: string[]): Record<string, unknown> {
  let content: unknown;
  try {
    // Loaded here: it would be a good part of the time that a start without a file takes.
    const { parse } = createRequire(import.meta.url)("yaml") as typeof Yaml;
    content = parse(readFileSync(path, "utf8"));
  } catch (error) {
    problems.push(
      `${path} cannot be read: ${error instanceof Error ? (error.message.split("\n")[0] ?? "") : "unknown error"}`,
    );
    return {};
  }
  if (content === null) return {};
  if (typeof content !== "object" || Array.isArray(content)) {
    problems.push(`${path} must hold names and values, such as 'port: 8080'`);
    return {};
  }
  const known = new Set(eachField().map(({ spec }) => fileName(spec)));
  for (const name of Object.keys(content).filter((key) => !known.has(key))) {
    problems.push(`${name} (in the configuration file) is not a setting${suggestion(name, known)}`);
  }
  return content as Record<string, unknown>;
}

/** A misspelled variable that is silently ignored costs an evening; one that is far from ours is not ours. */
function misspelledNames(env: ConfigSources["env"]): string[] {
  const known = new Set(eachField().flatMap(({ spec }) => spec.env));
  return Object.keys(env)
    .filter((name) => name.startsWith("SOTTO_") && !known.has(name))
    .map((name) => ({ name, hint: suggestion(name, known) }))
    .filter(({ hint }) => hint !== "")
    .map(({ name, hint }) => `${name} is not a setting${hint}`);
}

function suggestion(name: string, known: ReadonlySet<string>): string {
  const near = [...known].find((candidate) => editDistance(name, candidate) <= 2);
  return near === undefined ? "" : `; did you mean ${near}?`;
}

/** How many letters differ; infinite beyond a difference of two in length. */
export function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return Infinity;
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? Infinity;
}

const oneSentence = (doc: string): string => doc.split(". ")[0]?.replace(/\.$/, "").concat(".") ?? doc;
