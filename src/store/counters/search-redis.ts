/**
 * Searches Redis for marks: the names and values of all keys of its database, of every type, and its log of slow
 * commands. Bounded; what was cut is reported.
 */
import { Redis } from "ioredis";
import { withTimeLimit } from "../../core/time-limit.js";
import type { Hit, MarkSearch } from "../../core/proof/marks.js";

export interface RedisSearch {
  hits: Hit[];
  keys: number;
  /** What was not searched, and why. */
  gaps: string[];
}

const connectMs = 5_000;
const commandMs = 10_000;
const mostKeys = 2_000_000;
const keysAtOnce = 500;
const mostItems = 10_000;
const mostValueBytes = 16 * 1024 * 1024;

/** How the beginning of a value is read, by its type. */
const readers: Readonly<Record<string, readonly (string | number)[]>> = {
  string: ["GETRANGE", 0, mostValueBytes - 1],
  list: ["LRANGE", 0, mostItems - 1],
  set: ["SSCAN", 0, "COUNT", mostItems],
  zset: ["ZRANGE", 0, mostItems - 1],
  hash: ["HSCAN", 0, "COUNT", mostItems],
  stream: ["XRANGE", "-", "+", "COUNT", mostItems],
};

/** Rejects with the connection's error. */
export async function searchRedis(
  url: string,
  search: MarkSearch,
  signal: AbortSignal,
): Promise<RedisSearch> {
  const found: RedisSearch = { hits: [], keys: 0, gaps: [] };
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: connectMs,
    commandTimeout: commandMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    connectionName: "sotto-privacy-check",
  });
  // Reported by the command that fails.
  redis.on("error", () => undefined);
  const look = (reply: unknown) => {
    for (const bytes of bytesIn(reply)) for (const hit of search.in(bytes)) found.hits.push(hit);
  };
  try {
    await withTimeLimit(redis.connect(), connectMs);
    let cursor = "0";
    do {
      signal.throwIfAborted();
      const [next, keys] = (await redis.callBuffer("SCAN", cursor, "COUNT", keysAtOnce)) as [
        Buffer,
        Buffer[],
      ];
      cursor = next.toString();
      found.keys += keys.length;
      look(keys);
      await readValues(redis, keys, look, found.gaps);
      if (found.keys >= mostKeys && cursor !== "0") {
        found.gaps.push(`all but the first ${found.keys} keys`);
        break;
      }
    } while (cursor !== "0");
    look(
      await redis.callBuffer("SLOWLOG", "GET", "-1").catch(() => {
        found.gaps.push("the log of slow commands");
      }),
    );
    return found;
  } finally {
    redis.disconnect();
  }
}

async function readValues(
  redis: Redis,
  keys: readonly Buffer[],
  look: (reply: unknown) => void,
  gaps: string[],
): Promise<void> {
  // One after the other: a value may be large, and a cluster keeps them in several places.
  for (const key of keys) {
    const type = await redis.type(key);
    const [command, ...args] = readers[type] ?? [];
    if (command === undefined) {
      // `none`: it has expired meanwhile.
      if (type !== "none") gaps.push(`a value of type ${type}`);
      continue;
    }
    const reply = await redis.callBuffer(String(command), key, ...args.map(String));
    look(reply);
    if (isCut(reply)) gaps.push(`a ${type} after its first items`);
  }
}

/** A scan whose cursor is not back at 0, or as much as was asked for. */
function isCut(reply: unknown): boolean {
  if (Buffer.isBuffer(reply)) return reply.length >= mostValueBytes;
  if (!Array.isArray(reply)) return false;
  const [cursor, items] = reply as unknown[];
  if (
    Array.isArray(items) &&
    Buffer.isBuffer(cursor) &&
    reply.length === 2 &&
    /^\d+$/.test(cursor.toString())
  )
    return cursor.toString() !== "0";
  return reply.length >= mostItems;
}

function* bytesIn(reply: unknown): Generator<Buffer, void, undefined> {
  if (Buffer.isBuffer(reply)) yield reply;
  else if (Array.isArray(reply)) for (const part of reply) yield* bytesIn(part);
}
