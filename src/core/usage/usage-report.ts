/** What an account has used, by hour or by day, by key and by model. */
import { setImmediate } from "node:timers/promises";
import type { KeyLabel, UsageBucket, UsageReport } from "./usage-views.js";
import { modelIds, type ModelId } from "../models.js";
import { DashboardError } from "../dashboard-error.js";
import type { Store } from "../store.js";
import type { UsageBucketRow, UsageCounts, UsageFilter, UsageShare, UsageStore } from "./ports.js";
import { firstTokenMedian, firstTokenP95 } from "./first-tokens.js";
import { isPlayground } from "../bounds.js";
import { hourMs, noUsage, sumOfUsage, type UsageRecorder } from "./usage-recorder.js";

export const dayMs = 24 * hourMs;
/** Whole days, so that no step falls into two. */
export const longSliceMs = 7 * dayMs;
/** By the day there is less to read, and sums of many days are read the more of, the longer a slice is. */
export const dailySliceMs = 400 * dayMs;
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
  keyId: string;
  lastFour: string | null;
  /** Null for requests that were refused before their model was known. */
  model: ModelId | null;
}

export function keyLabel(keyId: string, key: KeyLabel | null | undefined): KeyLabel {
  if (isPlayground(keyId)) return { name: "Playground", lastFour: null };
  return { name: key?.name ?? keyId, lastFour: key?.lastFour ?? null };
}

export class UsageReports {
  constructor(
    private readonly store: Pick<Store, "listKeys"> & { readonly usage: UsageStore },
    private readonly recorder: Pick<UsageRecorder, "reading">,
  ) {}

  /** What is stored and what this process has not written yet. Steps in which nothing happened are there too. */
  async report(accountId: string, request: UsageRequest): Promise<UsageReport> {
    const range = rangeOf(request);
    const byTime = new Map<number, UsageCounts>();
    const byKey = new Map<string, UsageShare>();
    const byModel = new Map<ModelId | null, UsageShare>();
    const read = this.recorder.reading(accountId, async (held) => {
      for await (const slice of slicesOf(range, request.step === "hour" ? longSliceMs : dailySliceMs)) {
        const filter = filterOf(accountId, request, slice);
        const [times, ofKeys, ofModels] = await Promise.all([
          this.store.usage.readByTime(filter, range.stepMs),
          this.store.usage.readByKey(filter),
          this.store.usage.readByModel(filter),
        ]);
        for (const row of times) add(byTime, row.start.getTime(), row);
        for (const row of ofKeys) addShare(byKey, row.keyId, row);
        for (const row of ofModels) addShare(byModel, row.model, row);
      }
      for (const row of held.filter(matches(filterOf(accountId, request, range)))) {
        add(byTime, stepOf(row.start, range), row);
        addShare(byKey, row.keyId, share(row));
        addShare(byModel, row.model, share(row));
      }
    });
    const [names] = await Promise.all([this.#keyNames(accountId), read]);
    return {
      ...overTime(byTime, range),
      byModel: [...modelIds, null]
        .filter((model) => byModel.has(model))
        .map((model) => ({ model, ...(byModel.get(model) ?? nothing) })),
      byKey: [...byKey]
        .map(([keyId, counts]) => ({ keyId, ...names(keyId), ...counts }))
        .sort((a, b) => b.requests - a.requests || b.refused - a.refused || (a.keyId < b.keyId ? -1 : 1)),
    };
  }

  /** What each key used that was; of whole steps. */
  async byKey(
    accountId: string,
    request: Pick<UsageRequest, "from" | "to" | "step">,
  ): Promise<(UsageShare & { keyId: string })[]> {
    const range = rangeOf(request);
    const sums = new Map<string, UsageShare>();
    await this.recorder.reading(accountId, async (held) => {
      const filter = { accountId, from: range.from, to: range.to };
      for (const row of await this.store.usage.readByKey(filter)) addShare(sums, row.keyId, row);
      for (const row of held.filter(matches(filter))) addShare(sums, row.keyId, share(row));
    });
    return [...sums].map(([keyId, shares]) => ({ keyId, ...shares }));
  }

  async lines(accountId: string, request: UsageRequest): Promise<UsageLine[]> {
    const range = rangeOf(request);
    const names = await this.#keyNames(accountId);
    const sums = new Map<string, UsageBucketRow>();
    const addRow = (row: UsageBucketRow) => {
      const start = new Date(stepOf(row.start, range));
      const name = `${start.getTime()} ${row.keyId} ${row.model ?? ""}`;
      sums.set(name, { ...row, ...sumOfUsage(sums.get(name) ?? noUsage, row), start });
    };
    await this.recorder.reading(accountId, async (held) => {
      for await (const slice of slicesOf(range, request.step === "hour" ? dayMs : longSliceMs)) {
        const rows = await this.store.usage.read(filterOf(accountId, request, slice), range.stepMs);
        rows.forEach(addRow);
      }
      held.filter(matches(filterOf(accountId, request, range))).forEach(addRow);
    });
    return [...sums.values()]
      .sort((a, b) => a.start.getTime() - b.start.getTime())
      .map(({ start, keyId, model, ...counts }) => {
        const { name, lastFour } = names(keyId);
        return { start: start.toISOString(), key: name, keyId, lastFour, model, ...figures(counts) };
      });
  }

  async #keyNames(accountId: string): Promise<(keyId: string) => KeyLabel> {
    const keys = await this.store.listKeys(accountId);
    const known = new Map(keys.map((key) => [key.id, key]));
    return (keyId) => keyLabel(keyId, known.get(keyId));
  }
}

/** An embedded store answers on this thread: between slices of a long range, others get their turn. */
export async function* slicesOf(
  { from, to }: Range,
  sliceMs: number,
): AsyncGenerator<Pick<Range, "from" | "to">> {
  for (let start = from.getTime(); start < to.getTime(); start += sliceMs) {
    yield { from: new Date(start), to: new Date(Math.min(start + sliceMs, to.getTime())) };
    await setImmediate();
  }
}

const filterOf = (
  accountId: string,
  { key, model }: UsageRequest,
  { from, to }: Pick<Range, "from" | "to">,
): UsageFilter => ({ accountId, from, to, keyId: key, model });

const matches =
  ({ from, to, keyId, model }: UsageFilter) =>
  (row: UsageBucketRow): boolean =>
    row.start >= from &&
    row.start < to &&
    (keyId === undefined || row.keyId === keyId) &&
    (model === undefined || row.model === model);

/** When the step began that this moment is part of. */
const stepOf = (moment: Date, { stepMs }: Range): number => moment.getTime() - (moment.getTime() % stepMs);

/** One bucket for each step, also where nothing happened. */
export function overTime(
  byTime: ReadonlyMap<number, UsageCounts>,
  { from, to, stepMs }: Range,
): Pick<UsageReport, "buckets" | "totals"> {
  const steps = (to.getTime() - from.getTime()) / stepMs;
  const starts = Array.from({ length: steps }, (_, step) => from.getTime() + step * stepMs);
  return {
    buckets: starts.map((start) => ({
      start: new Date(start).toISOString(),
      ...figures(byTime.get(start) ?? noUsage),
    })),
    totals: figures([...byTime.values()].reduce<UsageCounts>(sumOfUsage, noUsage)),
  };
}

export function rangeOf({ from, to, step }: UsageRequest): Range {
  const { stepMs, mostSteps, most } = steps[step];
  const first = Math.floor(from.getTime() / stepMs) * stepMs;
  const end = Math.ceil(to.getTime() / stepMs) * stepMs;
  if (from >= to)
    throw new DashboardError("bad_request", "The end must be after the start.", { field: "to" });
  if ((end - first) / stepMs > mostSteps) {
    throw new DashboardError("bad_request", `must be at most ${most} after the start`, { field: "to" });
  }
  return { from: new Date(first), to: new Date(end), stepMs };
}

export function add<Name>(sums: Map<Name, UsageCounts>, name: Name, counts: UsageCounts): void {
  sums.set(name, sumOfUsage(sums.get(name) ?? noUsage, counts));
}

const nothing: UsageShare = { requests: 0, refused: 0, tokens: 0 };

function addShare<Name>(sums: Map<Name, UsageShare>, name: Name, more: UsageShare): void {
  const sum = sums.get(name) ?? nothing;
  sums.set(name, {
    requests: sum.requests + more.requests,
    refused: sum.refused + more.refused,
    tokens: sum.tokens + more.tokens,
  });
}

export const figures = (counts: UsageCounts): Omit<UsageBucket, "start"> => ({
  requests: counts.requests,
  errors: counts.errors,
  rateLimited: counts.rateLimited,
  unavailable: counts.unavailable,
  promptTokens: counts.promptTokens,
  completionTokens: counts.completionTokens,
  firstTokenMsP50: firstTokenMedian(counts),
  firstTokenMsP95: firstTokenP95(counts),
});

export const share = ({
  requests,
  promptTokens,
  completionTokens,
  rateLimited,
  unavailable,
}: UsageCounts): UsageShare => ({
  requests,
  refused: rateLimited + unavailable,
  tokens: promptTokens + completionTokens,
});
