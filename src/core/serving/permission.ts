/**
 * Whether a caller may do what it requests, checked the same way when a request comes in and while its reply is
 * being written. Times are compared with the clock: a record may say that its key ends later.
 */
import type { KeyRecord } from "../entities.js";
import { ServiceError } from "../errors.js";
import type { KeyScope } from "../key-scopes.js";
import { type ModelId, modelIds } from "../models.js";

/** Whether requests of this caller are accepted at that time. */
export function isUsable(caller: KeyRecord, now: Date): boolean {
  const end = endOf(caller);
  return end === null || end > now;
}

/** When it stops being usable, as far as the record says; null for never. May be in the past. */
export function endOf({ key, account, member }: KeyRecord): Date | null {
  let end: Date | null = null;
  const { revokedAt, disabledAt, expiresAt } = key;
  for (const time of [account.suspendedAt, member?.suspendedAt, revokedAt, disabledAt, expiresAt])
    if (time != null && (end === null || time < end)) end = time;
  return end;
}

/** The error for a caller that is not usable. */
export function refusalOf({ session, member }: KeyRecord): ServiceError {
  if (session === undefined) return new ServiceError("invalid_api_key");
  const message =
    member === undefined
      ? "You are signed out. Sign in to continue."
      : "You are signed out, or no longer in this team.";
  return new ServiceError("invalid_api_key", { message });
}

/** Throws `insufficient_permissions` unless key and plan allow a chat completion with the model. */
export function requirePermission({ key, plan }: KeyRecord, model: ModelId): void {
  const { scopes, operations, models } = key;
  const refuse = (message: string, about: { param?: string } = {}): never => {
    throw new ServiceError("insufficient_permissions", { message, ...about });
  };
  if (scopes.length > 0)
    refuse(`This API key has scopes (${scopes.join(", ")}) and cannot use models. Use a key without scopes.`);
  if (operations !== null && !operations.includes("chat"))
    refuse("This API key may not create chat completions. Use a key that allows the operation 'chat'.");
  if (models !== null && !models.includes(model)) {
    const allowed = modelIds.filter((id) => models.includes(id)).join(", ");
    refuse(`This API key may not use the model '${model}'. It may use: ${allowed}.`, { param: "model" });
  }
  if (plan.models !== null && !plan.models.includes(model))
    refuse(`The plan '${plan.name}' does not include the model '${model}'.`, { param: "model" });
}

/** The same as an answer. */
export function mayUse(caller: KeyRecord, model: ModelId): boolean {
  try {
    requirePermission(caller, model);
    return true;
  } catch {
    return false;
  }
}

/** Only while the key's account is an admin: a record is read again as soon as its account changes. */
export function hasScope({ key, account }: KeyRecord, wanted: KeyScope): boolean {
  if (account.kind !== "person" || account.role !== "admin") return false;
  return key.scopes.includes(wanted) || (wanted === "admin:read" && key.scopes.includes("admin:write"));
}
