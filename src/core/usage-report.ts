/** What an account has used, by hour or by day, by key and by model. */
import type { UsageBucket, UsageReport } from "../protocol/dashboard.js";
import { modelIds, type ModelId } from "../protocol/models.js";
import { DashboardFault } from "./dashboard-fault.js";
import type { FullStore, UsageBucketRow, UsageCounts } from "./dashboard-ports.js";
import { firstTokenPercentile } from "./first-tokens.js";
import { playgroundKeyId } from "./playground.js";
import { hourMs, noUsage, sumOfUsage } from "./usage-recorder.js";

const dayMs = 24 * hourMs;
const steps = {
  hour: { stepMs: hourMs, mostSteps: 31 * 24, most: "31 days by the hour" },
  day: { stepMs: dayMs, mostSteps: 400, most: "400 days by the day" },
} as const;

export interface UsageRequest {
  from: Date;
  to: Date;
  step: keyof typeof steps;
  key?: string | undefined;
  model?: ModelId | undefined;
}

/** Whole steps: the first one that `from` falls in up to the one before which `to` ends. */
interface Range {
  from: Date;
  to: Date;
  stepMs: number;
}

/** One line for each step, key and model that was used. */
export interface UsageLine extends UsageBucket {
  key: string;
  model: ModelId;
}

export class UsageReports {
  constructor(private readonly store: FullStore) {}

  /** Steps in which nothing happened are there too. */
  async report(accountId: string, request: UsageRequest): Promise<UsageReport> {
    const range = rangeOf(request);
    const rows = await this.#read(accountId, request, range);
    const names = await this.#keyNames(accountId);
    const byStart = group(rows, (row) => row.start.getTime());
    const buckets: UsageBucket[] = [];
    for (let start = range.from.getTime(); start < range.to.getTime(); start += range.stepMs) {
      buckets.push({ start: new Date(start).toISOString(), ...figures(byStart.get(start) ?? noUsage) });
    }
    const byModel = group(rows, (row) => row.model);
    return {
      buckets,
      totals: figures(rows.reduce<UsageCounts>(sumOfUsage, noUsage)),
      byModel: modelIds
        .filter((model) => byModel.has(model))
        .map((model) => ({ model, ...share(byModel.get(model) ?? noUsage) })),
      byKey: [...group(rows, (row) => row.keyId)]
        .map(([keyId, counts]) => ({ keyId, name: names(keyId), ...share(counts) }))
        .sort((a, b) => b.requests - a.requests),
    };
  }

  async lines(accountId: string, request: UsageRequest): Promise<UsageLine[]> {
    const rows = await this.#read(accountId, request, rangeOf(request));
    const names = await this.#keyNames(accountId);
    return rows.map((row) => ({
      start: row.start.toISOString(),
      key: names(row.keyId),
      model: row.model,
      ...figures(row),
    }));
  }

  #read(accountId: string, { key, model }: UsageRequest, range: Range): Promise<UsageBucketRow[]> {
    const { from, to, stepMs } = range;
    return this.store.usage.read({ accountId, from, to, keyId: key, model }, stepMs);
  }

  async #keyNames(accountId: string): Promise<(keyId: string) => string> {
    const keys = await this.store.listKeys(accountId);
    const names = new Map(keys.map((key) => [key.id, key.name]));
    names.set(playgroundKeyId, "Playground");
    return (keyId) => names.get(keyId) ?? keyId;
  }
}

function rangeOf({ from, to, step }: UsageRequest): Range {
  const { stepMs, mostSteps, most } = steps[step];
  const first = Math.floor(from.getTime() / stepMs) * stepMs;
  const end = Math.ceil(to.getTime() / stepMs) * stepMs;
  if (from >= to) throw new DashboardFault("bad_request", "must be after the start", { field: "to" });
  if ((end - first) / stepMs > mostSteps) {
    throw new DashboardFault("bad_request", `must be at most ${most} after the start`, { field: "to" });
  }
  return { from: new Date(first), to: new Date(end), stepMs };
}

function group<Name>(rows: readonly UsageBucketRow[], nameOf: (row: UsageBucketRow) => Name) {
  const groups = new Map<Name, UsageCounts>();
  for (const row of rows) groups.set(nameOf(row), sumOfUsage(groups.get(nameOf(row)) ?? noUsage, row));
  return groups;
}

const figures = (counts: UsageCounts): Omit<UsageBucket, "start"> => ({
  requests: counts.requests,
  errors: counts.errors,
  promptTokens: counts.promptTokens,
  completionTokens: counts.completionTokens,
  firstTokenMsP50: firstTokenPercentile(counts.firstTokens, 0.5),
  firstTokenMsP95: firstTokenPercentile(counts.firstTokens, 0.95),
});

const share = ({ requests, promptTokens, completionTokens }: UsageCounts) => ({
  requests,
  tokens: promptTokens + completionTokens,
});
