/** Limits, leases and wake-ups as the configuration asks for: of this process alone, or shared. */
import type { StorageConfig } from "../../config.js";
import { noWakeUps } from "../../core/replicas/wake-ups.js";
import type { Clock } from "../../core/clock.js";
import type { Store } from "../../core/store.js";
import { newToken } from "../../core/sign-in/secret-token.js";
import type { Counters } from "./counters.js";
import { MemoryAdmissions } from "./memory-admissions.js";
import { MemoryCounter, MemoryLeases } from "./memory-counter.js";

export interface CountersOptions {
  clock: Clock;
  /** Keeps the secret with which names in Redis are hashed, the same for all replicas. */
  store: Pick<Store, "initSetting">;
  /** Called once for each change, with the cause of trouble. */
  onHealth: (health: ReturnType<Counters["health"]>, cause?: string) => void;
}

/** Resolves also when Redis cannot be used. */
export async function openCounters(
  { redisUrl, replicas }: Pick<StorageConfig, "redisUrl" | "replicas">,
  { clock, store, onHealth }: CountersOptions,
): Promise<Counters> {
  if (redisUrl === undefined) {
    const counter = new MemoryCounter(clock);
    const leases = new MemoryLeases();
    return {
      counter,
      leases,
      admissions: new MemoryAdmissions(counter, leases),
      wakeUps: noWakeUps,
      health: () => "ok",
      trouble: () => null,
      close: () => counter.close(),
    };
  }
  // Loaded here, since most installations do without.
  const { openRedisCounters } = await import("./redis-counters.js");
  const secret = await store.initSetting("counter_secret", newToken());
  return openRedisCounters({ url: redisUrl, secret, replicas, clock, onHealth });
}
