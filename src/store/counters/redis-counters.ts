/** Everything that replicas share through one Redis. */
import { closeAll } from "../../core/close-all.js";
import type { Counters } from "./counters.js";
import { RedisWakeUps } from "./redis-wake-ups.js";
import { RedisAdmissions } from "./redis-admissions.js";
import { RedisLeases } from "./redis-leases.js";
import { RedisLink, type RedisLinkOptions } from "./redis-link.js";
import { RedisUses } from "./redis-uses.js";

export async function openRedisCounters(options: RedisLinkOptions): Promise<Counters> {
  const link = await RedisLink.open(options);
  const leases = new RedisLeases(link);
  const admissions = new RedisAdmissions(link, leases);
  const wakeUps = new RedisWakeUps(link);
  return {
    admissions,
    wakeUps,
    uses: new RedisUses(link),
    failure: () => link.failure,
    close: () =>
      closeAll([() => link.close(), () => admissions.close(), () => leases.close(), () => wakeUps.close()]),
  };
}
