/** Everything that replicas share through one Redis. */
import { closeAll } from "../../core/close-all.js";
import type { SharedUses } from "../../core/proof/single-use.js";
import type { Counters } from "./counters.js";
import { RedisWakeUps } from "./redis-wake-ups.js";
import { RedisAdmissions } from "./redis-admissions.js";
import { RedisLeases } from "./redis-leases.js";
import { RedisLink, type RedisLinkOptions, throwUnlessUnavailable } from "./redis-link.js";

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

/** While Redis is unreachable each replica knows only what was used with itself. */
class RedisUses implements SharedUses {
  constructor(private readonly link: RedisLink) {}

  async claim(name: string, forMs: number): Promise<boolean> {
    try {
      const key = this.link.name("use", name);
      const ms = Math.max(1, Math.ceil(forMs));
      return (await this.link.run((redis) => redis.set(key, "", "PX", ms, "NX"))) === "OK";
    } catch (error) {
      throwUnlessUnavailable(error);
      return true;
    }
  }
}
