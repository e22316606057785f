/** Checks once whether a Redis is usable: it must accept a script that writes. */
import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { withTimeLimit } from "../../core/time-limit.js";
import { connectionClosed, NoAnswer, failureOf, type RedisFailure } from "./redis-failure.js";

const limitMs = 3_000;

const writeScript = "return redis.call('SET', KEYS[1], '1', 'PX', 1000)";

/** Null when it can be used. What it writes expires after a second. */
export async function probeRedis(url: string): Promise<RedisFailure | null> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: limitMs,
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    connectionName: "sotto-doctor",
  });
  let connectionError: unknown = null;
  redis.on("error", (error) => {
    connectionError = error;
  });
  const write = async (): Promise<void> => {
    await redis.connect();
    await redis.eval(writeScript, 1, `sotto:probe:${randomUUID()}`);
  };
  try {
    await withTimeLimit(write(), limitMs, () => new NoAnswer());
    return null;
  } catch (error) {
    return failureOf(error) ?? failureOf(connectionError) ?? connectionClosed;
  } finally {
    redis.disconnect();
  }
}
