/**
 * One look at a running server: its metrics and its public status, and what two looks say about the time between
 * them.
 */
import * as z from "zod";

export interface Reading {
  atMs: number;
  metrics: readonly Sample[];
  models: z.infer<typeof status>["models"];
}

interface Sample {
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

const status = z.object({
  models: z.array(z.object({ id: z.string(), state: z.string(), sharedWith: z.array(z.string()) })),
});

const timeoutMs = 5_000;

/** Rejects with the error of `fetch`, or with `Refused`. */
export async function read(origin: string, token: string, signal: AbortSignal): Promise<Reading> {
  const get = async (path: string): Promise<string> => {
    const response = await fetch(origin + path, {
      headers: { authorization: `Bearer ${token}` },
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    const text = await response.text();
    if (!response.ok) throw new Refused(response.status);
    return text;
  };
  const [metrics, shown] = await Promise.all([get("/metrics"), get("/api/status")]);
  return {
    atMs: performance.now(),
    metrics: parseMetrics(metrics),
    models: status.parse(JSON.parse(shown)).models,
  };
}

export class Refused extends Error {
  constructor(readonly status: number) {
    super(`The server answered ${status}.`);
  }
}

/** The lines of Prometheus's text format that have a number. */
export function parseMetrics(text: string): Sample[] {
  return [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name = "", labels = "", value]) => ({
    name,
    labels: Object.fromEntries(
      [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = "", content = ""]) => [label, content]),
    ),
    value: Number(value),
  }));
}

type Matches = (labels: Sample["labels"]) => boolean;

const sum = ({ metrics }: Reading, wanted: string, matches: Matches = () => true): number =>
  metrics.reduce(
    (total, { name, labels, value }) => (name === wanted && matches(labels) ? total + value : total),
    0,
  );

export type Overview = ReturnType<typeof overviewOf>;

/** Models that share an engine are one row. */
export function overviewOf(before: Reading, now: Reading) {
  const seconds = Math.max((now.atMs - before.atMs) / 1000, 0.001);
  /** A server that has restarted counts from 0 again. */
  const rate = (name: string, matches?: Matches) =>
    Math.max(0, sum(now, name, matches) - sum(before, name, matches)) / seconds;
  const isApi: Matches = ({ route = "" }) => route.startsWith("/v1/");
  const groups = now.models.filter(
    ({ id, sharedWith }) => [id, ...sharedWith].sort()[0] === id || sharedWith.length === 0,
  );
  const engines = groups.map(({ id, state, sharedWith }) => {
    const all = [id, ...sharedWith];
    const isOurs: Matches = ({ model = "" }) => all.includes(model);
    const isFirst: Matches = ({ model }) => model === id;
    return {
      models: now.models.flatMap((model) => (all.includes(model.id) ? [model.id] : [])).join(", "),
      state,
      running: sum(now, "sotto_sequences_active", isFirst),
      capacity: sum(now, "sotto_sequences_capacity", isFirst),
      waiting: sum(now, "sotto_queue_waiting", isFirst),
      tokensPerSecond: rate("sotto_time_between_tokens_seconds_count", isOurs),
      memoryBytes: sum(now, "sotto_engine_memory_bytes", isFirst),
      restarts: sum(now, "sotto_engine_restarts", isFirst),
    };
  });
  const inAll = (of: (row: (typeof engines)[number]) => number) =>
    engines.reduce((total, row) => total + of(row), 0);
  return {
    requestsPerSecond: rate("sotto_requests_total", isApi),
    rateLimitedPerSecond: rate(
      "sotto_requests_total",
      (labels) => isApi(labels) && labels["status"] === "429",
    ),
    errorsPerSecond: rate(
      "sotto_requests_total",
      (labels) => isApi(labels) && /^5/.test(labels["status"] ?? ""),
    ),
    /** Generated, replies under way included. */
    tokensPerSecond: inAll((row) => row.tokensPerSecond),
    running: inAll((row) => row.running),
    waiting: inAll((row) => row.waiting),
    engineMemoryBytes: inAll((row) => row.memoryBytes),
    serverMemoryBytes: sum(now, "process_resident_memory_bytes"),
    engines,
  };
}
