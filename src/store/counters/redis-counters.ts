/** Everything that replicas share through one Redis. */
import { closeAll } from "../../core/close-all.js";
import type { Counters } from "./counters.js";
import { RedisWakeUps } from "./redis-wake-ups.js";
import { RedisAdmissions } from "./redis-admissions.js";
import { RedisLeases } from "./redis-leases.js";
import { RedisLink, type RedisLinkOptions } from "./redis-link.js";
import { WindowCounter } from "./window-counter.js";

export async function openRedisCounters(options: RedisLinkOptions): Promise<Counters> {
  const link = await RedisLink.open(options);
  const leases = new RedisLeases(link);
  const admissions = new RedisAdmissions(link, leases);
  const wakeUps = new RedisWakeUps(link);
  return {
    counter: new WindowCounter(admissions),
    leases,
    admissions,
    wakeUps,
    health: () => link.health,
    trouble: () => link.trouble,
    close: () =>
      closeAll([() => link.close(), () => admissions.close(), () => leases.close(), () => wakeUps.close()]),
  };
}
