/** A page of an account's keys: searched, filtered and sorted. An account has some hundreds, so this is done here. */
import { keysPageSize } from "../bounds.js";
import type { ApiKey } from "../entities.js";
import { hasEnded, keyStatus, type KeyStatus } from "./key-status.js";
import { type ModelId, modelIds } from "../models.js";

type KeySort = "newest" | "oldest" | "name" | "used" | "unused" | "expiry";

export interface KeyQuery {
  search: string;
  /** `working`: all that have not ended. */
  status: "working" | "all" | KeyStatus;
  model?: ModelId | undefined;
  tag?: string | undefined;
  sort: KeySort;
  /** From 0 on. */
  page: number;
}

export interface ListedKey {
  key: ApiKey;
  /** The key it took the place of, and the one that took its place. */
  replaces: ApiKey | null;
  replacedBy: ApiKey | null;
}

export interface KeyPage {
  keys: ListedKey[];
  /** How many match. */
  total: number;
  /** How many the account has, and how many of those have not ended. */
  all: number;
  working: number;
  /** Every tag that the account uses, in alphabetical order. */
  tags: string[];
}

export function keyPage(keys: readonly ApiKey[], request: KeyQuery, now: Date): KeyPage {
  const byId = new Map(keys.map((key) => [key.id, key]));
  const replacements = new Map(keys.flatMap((key) => (key.replaces === null ? [] : [[key.replaces, key]])));
  const matching = keys.filter((key) => matches(key, request, now)).sort(orders[request.sort]);
  const first = request.page * keysPageSize;
  return {
    keys: matching.slice(first, first + keysPageSize).map((key) => ({
      key,
      replaces: (key.replaces === null ? undefined : byId.get(key.replaces)) ?? null,
      replacedBy: replacements.get(key.id) ?? null,
    })),
    total: matching.length,
    all: keys.length,
    working: keys.filter((key) => !hasEnded(keyStatus(key, now))).length,
    tags: [...new Set(keys.flatMap(({ tags }) => tags))].sort(byText),
  };
}

function matches(key: ApiKey, { search, status, model, tag }: KeyQuery, now: Date): boolean {
  const is = keyStatus(key, now);
  if (status === "working" ? hasEnded(is) : status !== "all" && status !== is) return false;
  // A key without a list of models may use every one of them.
  if (model !== undefined && !(key.models ?? modelIds).includes(model)) return false;
  if (tag !== undefined && !key.tags.includes(tag.toLowerCase())) return false;
  return matchesText(key, search.trim());
}

/** Part of its name or of a tag, its last four characters, or the beginning of its id. */
function matchesText({ id, name, lastFour, tags }: ApiKey, text: string): boolean {
  if (text === "") return true;
  const lower = text.toLowerCase();
  const isNamed = [name, ...tags].some((word) => word.toLowerCase().includes(lower));
  const isEnding = lastFour.toLowerCase() === lower.replace(/^…/, "");
  return isNamed || isEnding || (text.startsWith("key_") && id.startsWith(text));
}

const byText = (a: string, b: string): number => a.localeCompare(b, "en", { numeric: true });
const newestFirst = (a: ApiKey, b: ApiKey): number =>
  b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1);
const timeOf = (date: Date | null, none: number): number => date?.getTime() ?? none;

const orders: Record<KeySort, (a: ApiKey, b: ApiKey) => number> = {
  newest: newestFirst,
  oldest: (a, b) => newestFirst(b, a),
  name: (a, b) => byText(a.name, b.name) || newestFirst(a, b),
  used: (a, b) => timeOf(b.lastUsedAt, -1) - timeOf(a.lastUsedAt, -1) || newestFirst(a, b),
  unused: (a, b) => timeOf(a.lastUsedAt, -1) - timeOf(b.lastUsedAt, -1) || newestFirst(b, a),
  expiry: (a, b) => timeOf(a.expiresAt, 8e15) - timeOf(b.expiresAt, 8e15) || newestFirst(a, b),
};
