/** Ids of requests and completions: random, so that they reveal nothing and cannot be guessed. */
import { randomFillSync } from "node:crypto";
import { randomBase62 } from "../../core/keys/key-format.js";

const length = 28;

export const newRequestId = (): string => `req_${randomBase62(length, pooledBytes)}`;
export const newCompletionId = (prefix: string): string => prefix + randomBase62(length, pooledBytes);

const pool = Buffer.alloc(4_096);
let used = pool.length;

/**
 * Random, for use at once: they are overwritten later. Fetched many at a time, as a call for each id costs more than
 * the id. No byte is used twice.
 */
export function pooledBytes(count: number): Buffer {
  if (used + count > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += count;
  return pool.subarray(used - count, used);
}
