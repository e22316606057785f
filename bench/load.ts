/** What the measurements of the HTTP path share: closed-loop load, percentiles, memory of a process. */
import { readFileSync } from "node:fs";
import { Pool } from "undici";
import { percentile } from "./statistics.js";

export interface LoadResult {
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** How many responses had each status. */
  statuses: Map<number, number>;
}

export interface Target {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** Each of `connections` sends the next request when it has the whole response to the last. */
export async function load({ url, headers, body }: Target, connections: number, forMs: number) {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections });
  const latencies: number[] = [];
  const statuses = new Map<number, number>();
  const endsAt = performance.now() + forMs;
  const startedAt = performance.now();
  const worker = async () => {
    while (performance.now() < endsAt) {
      const sentAt = performance.now();
      const answer = await pool.request({ path: pathname, method: "POST", headers, body });
      await answer.body.dump({ limit: Infinity });
      latencies.push(performance.now() - sentAt);
      statuses.set(answer.statusCode, (statuses.get(answer.statusCode) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const seconds = (performance.now() - startedAt) / 1000;
  await pool.close();
  return {
    requestsPerSecond: latencies.length / seconds,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    statuses,
  } satisfies LoadResult;
}

/** Resident memory in bytes. */
export function residentBytes(pid: number): number {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]);
  return pages * 4096;
}

export const inMegabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(0)} MB`;

export function chatTarget(baseURL: string, key: string, fields: object = {}): Target {
  const body = { model: "omega", messages: [{ role: "user", content: "hello there" }], ...fields };
  return {
    url: `${baseURL}/chat/completions`,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  };
}

/** Limits that no measurement reaches. */
export const noLimits = {
  SOTTO_LIMIT_REQUESTS_PER_MINUTE: "1000000000",
  SOTTO_LIMIT_TOKENS_PER_MINUTE: "1000000000",
  SOTTO_LIMIT_CONCURRENT_REQUESTS: "1000000",
  SOTTO_MAX_CONNECTIONS: "12000",
};
