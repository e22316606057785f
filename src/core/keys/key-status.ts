import type { ApiKey } from "../entities.js";
import { isLive } from "./issue-keys.js";

export type KeyStatus = "active" | "disabled" | "expiring" | "expired" | "revoked";

/** What a key is good for now. `expiring`: it was rotated and works for a while yet. */
export function keyStatus(key: ApiKey, now: Date): KeyStatus {
  if (!isLive(key, now)) return key.revokedAt !== null && key.revokedAt <= now ? "revoked" : "expired";
  if (key.disabledAt !== null) return "disabled";
  return key.revokedAt === null ? "active" : "expiring";
}

/** Whether it will never work again. */
export const hasEnded = (status: KeyStatus): boolean => status === "revoked" || status === "expired";
