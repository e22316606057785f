/**
 * Creating, rotating and revoking the keys of an account. The text of a key exists only in what `createKey` and
 * `rotateKey` return.
 *
 * The limit on keys is looked up before the key is written: two that are created at the same instant can exceed
 * it by one, which costs nothing, since rates and concurrency are counted for the whole account.
 */
import { largestQuota, longest, mostNetworks, mostTags } from "../bounds.js";
import type { Clock } from "../clock.js";
import { DashboardError, existing, invalid } from "../dashboard-error.js";
import {
  type Account,
  type ApiKey,
  type KeyLimits,
  noKeyLimits,
  type Operation,
  operations,
} from "../entities.js";
import { keyHash, mintKey } from "./key-format.js";
import { type KeyScope, keyScopes } from "../key-scopes.js";
import { isModelId, type ModelId, modelIds } from "../models.js";
import { howToWriteNetworks, parseNetworks } from "../networks.js";
import type { NewKey, Store } from "../store.js";

export interface KeyRequest {
  name: string;
  /** Null for all of them. */
  models: readonly string[] | null;
  operations: readonly string[] | null;
  /** Below the plan's; absent where the plan's alone count. */
  limits?: KeyLimits;
  expiresAt: Date | null;
  tags?: readonly string[];
  /** Networks in CIDR notation, or addresses; null or none for any. */
  allowFrom?: readonly string[] | null;
  /** Absent or none for an ordinary key. Only an admin's own key may have some. */
  scopes?: readonly string[];
}

/** What its owner changes about a key. */
export interface KeyEdit extends Required<Pick<KeyRequest, "name" | "models" | "limits" | "tags">> {
  /** Null for never; absent where it stays as it is. */
  expiresAt?: Date | null;
  /** Null for any; absent where it stays as it is. */
  allowFrom?: readonly string[] | null;
}

export interface IssuedKey {
  key: ApiKey;
  /** The key itself, to be shown once. */
  text: string;
}

const largestLimit = 1_000_000_000;

export async function createKey(
  store: Store,
  clock: Clock,
  account: Account,
  request: KeyRequest,
  memberId: string | null = null,
): Promise<IssuedKey> {
  const now = clock.now();
  const permissions = {
    name: checkName(request.name),
    models: checkModels(request.models),
    operations: checkOperations(request.operations),
    limits: checkLimits(request.limits ?? noKeyLimits),
    expiresAt: checkExpiry(request.expiresAt, now),
    tags: checkTags(request.tags ?? []),
    allowFrom: checkNetworks(request.allowFrom ?? null),
    scopes: checkScopes(request.scopes ?? [], account),
  };
  await requireRoomForKey(store, account, now);
  const { text, key } = mint({ accountId: account.id, memberId, ...permissions });
  return { key: await store.createKey(key), text };
}

/** Changes a key that has not ended. The key itself stays as it is, so programs need not be touched. */
export async function editKey(store: Store, clock: Clock, id: string, change: KeyEdit): Promise<ApiKey> {
  const now = clock.now();
  const checked = {
    name: checkName(change.name),
    models: checkModels(change.models),
    limits: checkLimits(change.limits),
    tags: checkTags(change.tags),
  };
  const key = await requireKey(store, id);
  if (!isLive(key, now)) {
    throw new DashboardError(
      "conflict",
      "This key has ended and cannot be edited. Create a new key instead.",
    );
  }
  const expiresAt = change.expiresAt === undefined ? key.expiresAt : checkExpiry(change.expiresAt, now);
  const allowFrom = change.allowFrom === undefined ? key.allowFrom : checkNetworks(change.allowFrom);
  return (await store.updateKey(id, { ...checked, expiresAt, allowFrom })) ?? requireKey(store, id);
}

/** From now on the key is refused. One that was revoked already keeps its time. */
export async function revokeKey(store: Store, clock: Clock, id: string): Promise<ApiKey> {
  await requireKey(store, id);
  await store.revokeKey(id, clock.now());
  return requireKey(store, id);
}

export const defaultGraceMs = 24 * 60 * 60_000;
const maxGraceMs = 30 * defaultGraceMs;

/**
 * Creates a key with the same name and permissions, valid for as long as the old one was meant to be, and
 * lets the old one work until the grace period is over, so that programs can be moved without a gap. Both share the
 * counts of the key's own limits (`lineage`).
 */
export async function rotateKey(
  store: Store,
  clock: Clock,
  id: string,
  graceMs: number = defaultGraceMs,
): Promise<IssuedKey & { replaced: ApiKey }> {
  if (graceMs < 0 || graceMs > maxGraceMs) {
    throw new DashboardError("conflict", "The grace period must be between 0 and 30 days.");
  }
  const old = await requireKey(store, id);
  const now = clock.now();
  if (!isLive(old, now)) {
    throw new DashboardError(
      "conflict",
      `The key ${id} has ended and cannot be rotated. Create a new key instead.`,
    );
  }
  if (old.revokedAt !== null) {
    throw new DashboardError(
      "conflict",
      `The key ${id} was rotated already and ends at ${old.revokedAt.toISOString()}. Rotate the key that replaced it, or revoke this one to end it now.`,
    );
  }
  const { accountId, memberId, name, models, operations, limits, tags, allowFrom, scopes } = old;
  const expiresAt =
    old.expiresAt && new Date(now.getTime() + old.expiresAt.getTime() - old.createdAt.getTime());
  const kept = { accountId, memberId, name, models, operations, limits, tags, allowFrom, scopes };
  const { text, key } = mint({ ...kept, expiresAt });
  const rotated = await store.rotateKey(id, new Date(now.getTime() + graceMs), key);
  // Another caller was faster: check again, for the right error.
  if (rotated === null) return rotateKey(store, clock, id, graceMs);
  return { ...rotated, text };
}

/** Whether it has neither expired nor ended by revocation. Whether its account may act is another matter. */
export function isLive(key: ApiKey, now: Date): boolean {
  return (key.revokedAt === null || key.revokedAt > now) && (key.expiresAt === null || key.expiresAt > now);
}

function mint(request: Omit<NewKey, "hash" | "lastFour">): { text: string; key: NewKey } {
  const text = mintKey();
  const hash = keyHash(text);
  if (hash === null) throw new Error("A key that was just created does not pass its own check.");
  return { text, key: { ...request, hash, lastFour: text.slice(-4) } };
}

async function requireKey(store: Store, id: string): Promise<ApiKey> {
  return existing(
    await store.findKey(id),
    "There is no key with this id. List the account's keys to find it; an id looks like key_4fJ…, and the key itself is not needed.",
  );
}

/** Keys in their grace period are on their way out and leave room for the ones that replace them. */
async function requireRoomForKey(store: Store, account: Account, now: Date): Promise<void> {
  const plan = await store.findPlan(account.planId);
  const live = (await store.listKeys(account.id)).filter(
    (key) => isLive(key, now) && key.revokedAt === null,
  ).length;
  if (plan === null || live < plan.maxKeys) return;
  throw new DashboardError(
    "limit_reached",
    `${account.kind === "team" ? `The team '${account.email}'` : account.email} has ${live} keys, all that the plan ${plan.name} allows. Revoke one that is no longer used, or change the plan.`,
  );
}

/** Control characters and bidirectional overrides could make a name look like another. */
function checkName(text: string): string {
  const name = text.trim();
  if (name.length >= 1 && name.length <= 80 && !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(name))
    return name;
  throw invalid("name", "A key's name must have 1 to 80 characters and no control characters.");
}

/** Lowercase and without duplicates, so that one word is one tag. Commas separate them in the store. */
function checkTags(texts: readonly string[]): string[] {
  const tags = [...new Set(texts.map((text) => text.trim().toLowerCase()))].filter((tag) => tag !== "");
  const isWord = (tag: string) =>
    tag.length <= longest.tag && /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._:/+-]*$/u.test(tag);
  if (tags.length <= mostTags && tags.every(isWord)) return tags;
  throw invalid(
    "tags",
    `Use at most ${mostTags} tags of at most ${longest.tag} letters, digits, spaces and . _ : / + - each, beginning with a letter or digit.`,
  );
}

function checkNetworks(texts: readonly string[] | null): string[] | null {
  if (texts === null || texts.length === 0) return null;
  const networks = parseNetworks(texts);
  if (networks !== null && networks.length <= mostNetworks) return networks;
  throw invalid("allowFrom", howToWriteNetworks);
}

function checkScopes(names: readonly string[], { kind, role }: Account): KeyScope[] {
  const scopes = keyScopes.filter((scope) => names.includes(scope));
  if (scopes.length !== new Set(names).size) {
    throw invalid("scopes", `Unknown scope. A key may have: ${keyScopes.join(", ")}.`);
  }
  if (scopes.length === 0 || (kind === "person" && role === "admin")) return scopes;
  throw invalid("scopes", "Only a key of an admin's own account can have scopes.");
}

function checkModels(names: readonly string[] | null): ModelId[] | null {
  if (names === null) return null;
  const models = names.filter(isModelId);
  if (models.length > 0 && models.length === names.length) return [...new Set(models)];
  throw invalid("models", `Unknown model. A key may be limited to one or more of: ${modelIds.join(", ")}.`);
}

function checkOperations(names: readonly string[] | null): Operation[] | null {
  if (names === null) return null;
  const allowed = operations.filter((operation) => names.includes(operation));
  if (allowed.length > 0 && allowed.length === new Set(names).size) return allowed;
  throw new DashboardError(
    "bad_request",
    `Unknown operation. A key may be limited to one or more of: ${operations.join(", ")}.`,
  );
}

function checkLimits(limits: KeyLimits): KeyLimits {
  const { requestsPerMinute, tokensPerMinute, concurrentRequests } = limits;
  const { requestsPerDay, tokensPerDay, requestsPerMonth, tokensPerMonth } = limits;
  const rates = { requestsPerMinute, tokensPerMinute, concurrentRequests };
  const quotas = { requestsPerDay, tokensPerDay, requestsPerMonth, tokensPerMonth };
  checkWhole(rates, "A key's limits", largestLimit);
  checkWhole(quotas, "A key's quotas", largestQuota);
  return { ...rates, ...quotas };
}

function checkWhole(limits: Partial<KeyLimits>, what: string, max: number): void {
  for (const [name, limit] of Object.entries(limits)) {
    if (limit === null || (Number.isInteger(limit) && limit >= 1 && limit <= max)) continue;
    throw invalid(`limits.${name}`, `${what} must be whole numbers from 1 to ${max}.`);
  }
}

function checkExpiry(expiresAt: Date | null, now: Date): Date | null {
  if (expiresAt === null || expiresAt > now) return expiresAt;
  throw invalid("expiresInDays", "The key would expire in the past. Choose a later time.");
}
