import type { StorageConfig } from "../../config.js";
import { newToken } from "../../core/sign-in/secret-token.js";
import type { Store } from "../../core/store.js";
import { memoryCounters, type Counters } from "./counters.js";
import type { RedisLinkOptions } from "./redis-link.js";

interface CountersOptions extends Required<Pick<RedisLinkOptions, "clock" | "onHealth">> {
  /** Keeps the secret that hashes names in Redis, the same for all replicas. */
  store: Pick<Store, "initSetting">;
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
