/** What `sotto doctor` says about the Redis through which replicas share their limits. */
import { explainTrouble } from "../../store/counters/redis-trouble.js";
import type { Check } from "./finding.js";

export const checkRedis: Check = async ({ storage: { redisUrl } }) => {
  const name = "redis";
  if (redisUrl === undefined) {
    return [{ name, state: "ok", detail: "not set: this server counts limits by itself" }];
  }
  // Loaded here, since most installations do without.
  const { probeRedis } = await import("../../store/counters/redis-probe.js");
  const trouble = await probeRedis(redisUrl);
  if (trouble === null)
    return [{ name, state: "ok", detail: `${new URL(redisUrl).host} answers and counts` }];
  const { reason, next } = explainTrouble(redisUrl, trouble);
  return [{ name, state: "broken", detail: reason, next }];
};
