/**
 * Rows to the core's types and back.
 *
 * Where the columns of a table are the fields of an entity, `toRow` and `fromRow` do it: `createdAt` is `created_at`. Times
 * are stored as milliseconds, booleans as 1 or 0. A row does not say which of its numbers are which, so names do: times
 * end in At, Since or Until, booleans begin with is, can or requires. `Row` enforces it.
 */
import {
  type Account,
  type ApiKey,
  type KeyLimits,
  type Operation,
  operations,
  type Plan,
  type Quotas,
} from "../../core/entities.js";
import { isKeyScope } from "../../core/key-scopes.js";
import { isModelId, type ModelId } from "../../core/models.js";
import type { AccountRow, KeyRow, LimitColumns, PlanRow, QuotaColumns, Row } from "./schema.js";

export function toAccount(row: Omit<AccountRow, "email_lower" | "password_hash">): Account {
  return {
    id: row.id,
    kind: row.kind,
    email: row.email,
    emailVerifiedAt: toTime(row.email_verified_at),
    role: row.role,
    planId: row.plan_id,
    suspendedAt: toTime(row.suspended_at),
    createdAt: new Date(row.created_at),
  };
}

export function toPlan(row: PlanRow): Plan {
  return {
    id: row.id,
    name: row.name,
    requestsPerMinute: row.requests_per_minute,
    tokensPerMinute: row.tokens_per_minute,
    concurrentRequests: row.concurrent_requests,
    maxKeys: row.max_keys,
    maxTokens: row.max_tokens,
    models: toList(row.models)?.filter(isModelId) ?? null,
    requiresEncryption: row.requires_encryption === 1,
    weight: row.weight,
    ...toQuotas(row),
  };
}

export const fromPlan = ({ models, ...plan }: Plan): PlanRow => ({
  ...toRow(plan),
  models: models?.join(",") ?? null,
});

export const toQuotas = (row: QuotaColumns): Quotas => ({
  requestsPerDay: row.requests_per_day,
  tokensPerDay: row.tokens_per_day,
  requestsPerMonth: row.requests_per_month,
  tokensPerMonth: row.tokens_per_month,
});

export const fromQuotas = (quotas: Quotas): QuotaColumns => ({
  requests_per_day: quotas.requestsPerDay,
  tokens_per_day: quotas.tokensPerDay,
  requests_per_month: quotas.requestsPerMonth,
  tokens_per_month: quotas.tokensPerMonth,
});

export function toKey(row: Omit<KeyRow, "hash">): ApiKey {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    lastFour: row.last_four,
    // A name this version does not know is dropped: the key may do less, never more.
    models: toList(row.models)?.filter(isModelId) ?? null,
    operations: toList(row.operations)?.filter(isOperation) ?? null,
    limits: toLimits(row),
    createdAt: new Date(row.created_at),
    expiresAt: toTime(row.expires_at),
    revokedAt: toTime(row.revoked_at),
    disabledAt: toTime(row.disabled_at),
    lastUsedAt: toTime(row.last_used_at),
    lastUsedModel: toModel(row.last_used_model),
    tags: toList(row.tags) ?? [],
    replaces: row.replaces,
    lineage: row.lineage ?? row.id,
    allowFrom: toList(row.allow_from),
    memberId: row.member_id,
    scopes: toList(row.scopes)?.filter(isKeyScope) ?? [],
  };
}

export const toLimits = (row: LimitColumns): KeyLimits => ({
  requestsPerMinute: row.requests_per_minute,
  tokensPerMinute: row.tokens_per_minute,
  concurrentRequests: row.concurrent_requests,
  ...toQuotas(row),
});

export const toTime = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));

const toModel = (name: string | null): ModelId | null => (name !== null && isModelId(name) ? name : null);

export const toList = (text: string | null): string[] | null => text?.split(",") ?? null;

const isOperation = (name: string): name is Operation => operations.some((known) => known === name);

export const fromLimits = (limits: KeyLimits) => ({
  requests_per_minute: limits.requestsPerMinute,
  tokens_per_minute: limits.tokensPerMinute,
  concurrent_requests: limits.concurrentRequests,
  ...fromQuotas(limits),
});

export const fromTags = (tags: readonly string[]): string | null =>
  tags.length === 0 ? null : tags.join(",");

export const dayMs = 24 * 60 * 60_000;
/** What keys' days are summed by. */
export const spanMs = 32 * dayMs;

/** In UTC. */
export const startOfDayMs = (at: Date): number => at.getTime() - (at.getTime() % dayMs);

/** The model of requests that were refused before it was known. */
export const noModel = "";

/** Rows of usage with their models; without those of models that this version does not know. */
export function withModels<Row extends { model: string }>(
  rows: readonly Row[],
): (Omit<Row, "model"> & { model: ModelId | null })[] {
  return rows.flatMap((row) => {
    if (row.model === noModel) return [{ ...row, model: null }];
    return isModelId(row.model) ? [{ ...row, model: row.model }] : [];
  });
}

/** `entity` must have no other fields: all of them become columns. */
export function toRow<Entity extends object>(entity: Entity): Row<Entity> {
  const cells = Object.entries(entity).map(([name, value]) => [columnOf(name), toCell(value)]);
  return Object.fromEntries(cells) as Row<Entity>;
}

/** `row` must have no other columns: all of them become fields. */
export function fromRow<Entity extends object>(row: Row<Entity>): Entity {
  const fields = Object.entries(row).map(([column, cell]) => [nameOf(column), toField(column, cell)]);
  return Object.fromEntries(fields) as Entity;
}

const columnOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const nameOf = (column: string): string =>
  column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

function toCell(value: unknown): unknown {
  if (value instanceof Date) return value.getTime();
  return typeof value === "boolean" ? Number(value) : (value ?? null);
}

function toField(column: string, cell: unknown): unknown {
  // libsql gives bytes as a bare ArrayBuffer.
  if (cell instanceof ArrayBuffer || cell instanceof Uint8Array) return new Uint8Array(cell);
  if (typeof cell !== "number") return cell;
  if (/_(at|since|until)$/.test(column)) return new Date(cell);
  return /^(is|can|requires)_/.test(column) ? cell === 1 : cell;
}
