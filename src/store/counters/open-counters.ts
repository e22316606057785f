import type { StorageConfig } from "../../config.js";
import type { Clock } from "../../core/clock.js";
import { newToken } from "../../core/sign-in/secret-token.js";
import type { Store } from "../../core/store.js";
import type { Counters } from "./counters.js";
import { memoryCounters } from "./memory-counters.js";

interface CountersOptions {
  clock: Clock;
  /** Keeps the secret that hashes names in Redis, the same for all replicas. */
  store: Pick<Store, "initSetting">;
  /** Called once for each change, with the cause of a failure. */
  onHealth: (health: ReturnType<Counters["health"]>, cause?: string) => void;
}

/** Shared through Redis where that is configured. Resolves also when Redis cannot be used. */
export async function openCounters(
  { redisUrl, replicas }: Pick<StorageConfig, "redisUrl" | "replicas">,
  { clock, store, onHealth }: CountersOptions,
): Promise<Counters> {
  if (redisUrl === undefined) return memoryCounters(clock);
  // Imported here, since most installations do without.
  const { openRedisCounters } = await import("./redis-counters.js");
  const secret = await store.initSetting("counter_secret", newToken());
  return openRedisCounters({ url: redisUrl, secret, replicas, clock, onHealth });
}
