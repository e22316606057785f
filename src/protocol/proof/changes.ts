/** What changed between two statements, in words. A field that this version does not know is named as it is. */
import { canonicalJson } from "../../core/proof/canonical-json.js";
import type { WirePart, WireSignedEntry, WireStatement } from "./shapes.js";

export function statementChanges(before: WireStatement, after: WireStatement): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => {
    if (ignored.has(name) || isEqual(before[name], after[name])) return [];
    if (name === "models") return modelChanges(before.models, after.models);
    if (name === "switches") return eachChange(before.switches, after.switches, switchNames);
    if (name === "machine") return eachChange(before.machine, after.machine, machineNames);
    return [`${titles[name] ?? `'${name}'`} changed from ${shown(before[name])} to ${shown(after[name])}.`];
  });
}

/** An entry of the log, beside the statement before it; nothing changed where a statement was only renewed. */
export function entryWords({ entry, signatures }: WireSignedEntry, before: WireStatement | null): string[] {
  switch (entry.type) {
    case "statement":
      return before === null ? beginning(entry) : statementChanges(before, entry);
    case "key": {
      const isEndorsed = signatures.some(({ key }) => key === entry.old_key);
      return [
        isEndorsed
          ? `The signing key was rotated from ${shown(entry.old_key)} to ${shown(entry.new_key)}; the old key signed this.`
          : `The signing key changed from ${shown(entry.old_key)} to ${shown(entry.new_key)} without the old key's signature: it was lost, or kept in memory only.`,
      ];
    }
    case "restored":
      return [
        entry.lost === null
          ? `The log was restored from an older backup: of ${entry.previous.size} entries, an unknown number were lost.`
          : `The log was restored from an older backup: ${count(entry.lost, "entry was", "entries were")} lost.`,
      ];
  }
}

export const modelWords = (parts: readonly WirePart[]): string =>
  parts.length === 0 ? "not served" : parts.map(partWords).join(" and ");

/** Enough of a hash to recognise it by. */
export const shortHash = (hash: string): string => `${hash.slice(0, 12)}…`;

/** They differ between any two statements. */
const ignored = new Set(["type", "time", "not_after", "log"]);

const titles: Partial<Record<string, string>> = {
  version: "The version",
  commit: "The commit",
  program: "The hash of the program's files",
  hpke_key: "The key for encrypted bodies",
  signing_key: "The signing key",
  hardware_evidence: "The hardware evidence",
};

const switchNames: Partial<Record<string, string>> = {
  tracing: "Tracing",
  prefix_reuse: "Reuse of conversations in memory",
  item_memory: "Memory of items",
  log_level: "The log level",
  log_format: "The log format",
};

const machineNames: Partial<Record<string, string>> = { core_dumps: "Core dumps", swap: "Swap" };

function beginning({ version, models }: WireStatement): string[] {
  const served = Object.entries(models).map(([model, parts]) => `${model} is ${modelWords(parts)}`);
  return [`The log begins with version ${version}: ${served.join("; ")}.`];
}

function modelChanges(before: WireStatement["models"], after: WireStatement["models"]): string[] {
  return eachName(before, after).flatMap((model) => {
    const [old = [], now = []] = [before[model], after[model]];
    return isEqual(old, now) ? [] : [`${model} changed from ${modelWords(old)} to ${modelWords(now)}.`];
  });
}

function partWords({ runs, name, weights, host, findings = [] }: WirePart): string {
  if (runs === "upstream") {
    const found = findings.length === 0 ? "no findings" : findings.join(" ");
    return `the engine at ${host ?? "an unknown address"} (${found})`;
  }
  const hash = typeof weights === "string" ? `weights ${shortHash(weights)}` : "weights not hashed yet";
  return `${name ?? "a model"} on its own machine (${hash})`;
}

const eachChange = (
  before: Record<string, string>,
  after: Record<string, string>,
  words: Partial<Record<string, string>>,
): string[] =>
  eachName(before, after).flatMap((name) =>
    before[name] === after[name]
      ? []
      : [`${words[name] ?? `'${name}'`} changed from ${shown(before[name])} to ${shown(after[name])}.`],
  );

const eachName = (a: object, b: object): string[] => [...new Set([...Object.keys(a), ...Object.keys(b)])];

function shown(value: unknown): string {
  if (value === null || value === undefined) return "none";
  if (typeof value !== "string") return canonicalJson(value).slice(0, 100);
  return /^[0-9a-f]{40,}$/.test(value) ? shortHash(value) : value.slice(0, 100);
}

const count = (number: number, one: string, more: string): string => `${number} ${number === 1 ? one : more}`;

const isEqual = (a: unknown, b: unknown): boolean =>
  canonicalJson([a ?? null]) === canonicalJson([b ?? null]);
