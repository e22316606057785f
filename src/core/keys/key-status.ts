import { isLive } from "./issue-keys.js";
import type { ApiKey } from "../entities.js";
import type { KeyStatus } from "../../protocol/dashboard-keys.js";

/** What a key is good for now. `expiring`: it was rotated and works for a while yet. */
export function keyStatus(key: ApiKey, now: Date): KeyStatus {
  if (!isLive(key, now)) return key.revokedAt !== null && key.revokedAt <= now ? "revoked" : "expired";
  if (key.disabledAt !== null) return "disabled";
  return key.revokedAt === null ? "active" : "expiring";
}

/** Whether it will never work again. */
export const hasEnded = (status: KeyStatus): boolean => status === "revoked" || status === "expired";
