import type { StorageConfig } from "../../config.js";
import { newToken } from "../../core/sign-in/secret-token.js";
import type { Store } from "../../core/store.js";
import { memoryCounters, type Counters } from "./counters.js";
import type { RedisLinkOptions } from "./redis-link.js";
import type { OwnerLink } from "./shared-counters.js";

interface CountersOptions extends Required<Pick<RedisLinkOptions, "clock" | "onHealth">> {
  /** Keeps the secret that hashes names in Redis, the same for all replicas. */
  store: Pick<Store, "initSetting">;
  /** Of a process that is one of several of this server. */
  owner?: OwnerLink | undefined;
}

/** Shared through Redis where that is configured. Resolves also when Redis cannot be used. */
export async function openCounters(
  { redisUrl, replicas }: Pick<StorageConfig, "redisUrl" | "replicas">,
  { clock, store, onHealth, owner }: CountersOptions,
): Promise<Counters> {
  if (redisUrl === undefined) {
    if (owner === undefined) return memoryCounters(clock);
    const { sharedCounters } = await import("./shared-counters.js");
    return sharedCounters(owner, clock);
  }
  // Imported here, since most installations do without.
  const { openRedisCounters } = await import("./redis-counters.js");
  const secret = await store.initSetting("counter_secret", newToken());
  return openRedisCounters({ url: redisUrl, secret, replicas, clock, onHealth });
}
