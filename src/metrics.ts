/**
 * Every metric by name. Labels come from closed sets (models, error codes, route names): a label that a
 * client could choose would grow without bound and could carry content.
 */
import { type Aggregator, AggregatorRegistry, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import type { ErrorCode } from "./core/errors.js";
import type { LimitScope } from "./core/limits/limits.js";
import { forEachModel, modelIds, type ModelId } from "./core/models.js";
import type { SavedPrivacyCheck } from "./core/proof/privacy-check.js";
import { Counter } from "./metrics/counter.js";
import { Histogram } from "./metrics/histogram.js";
import { sumOfTexts } from "./metrics/sum-of-texts.js";

/** Put together once: a new text is hashed each time it is looked up. */
const tokenLabels = forEachModel((model) => ({
  prompt: `model="${model}",kind="prompt"`,
  completion: `model="${model}",kind="completion"`,
}));

const secondsToFirstToken = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60];

/** Read when the metrics are collected, so that nothing has to be kept in step. */
export interface MetricSources {
  sequencesActive: (model: ModelId) => number;
  sequencesCapacity: (model: ModelId) => number;
  engineRestarts: (model: ModelId) => number;
  /** 0 while it is not loaded, or runs elsewhere. */
  engineMemoryBytes: (model: ModelId) => number;
  queueWaiting: (model: ModelId) => number;
  isStoreUp: () => boolean;
  /** Null where no Redis is configured: then there is no such metric. */
  isRedisUp: (() => boolean) | null;
  /** Whether Redis answers, but refuses commands. */
  isRedisRefusing?: () => boolean;
  /** 0 before the log was read. */
  statementLogSize?: () => number;
  /** Null without a loss. */
  statementLogRestored?: () => Date | null;
  /** The last `sotto privacy check`; null before the first. */
  privacyCheck?: () => Promise<SavedPrivacyCheck | null>;
}

/** All that one process has counted. */
export interface MetricsSample {
  /** Counters and histograms as they are written. */
  counted: string[];
  others: Awaited<ReturnType<Registry["getMetricsAsJSON"]>>;
}

export interface RequestMetric {
  route: string;
  status: number;
  code: ErrorCode | "none";
  durationMs: number;
}

export interface CompletionMetric {
  model: ModelId;
  promptTokens: number;
  completionTokens: number;
  queuedMs: number | undefined;
  firstTokenMs: number | undefined;
}

export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new Counter("sotto_requests_total", "Finished requests.");
  readonly #duration = new Histogram(
    "sotto_request_duration_seconds",
    "From the request's headers to the end of its response.",
    "route",
    [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300],
  );
  readonly #refusals = new Counter(
    "sotto_limit_refusals_total",
    "Requests refused by a limit (tokens_per_day), by scope (account, team, member, key).",
  );
  readonly #tokens = new Counter("sotto_tokens_total", "Tokens read (prompt) and generated (completion).");
  readonly #firstToken = new Histogram(
    "sotto_time_to_first_token_seconds",
    "From the start of a generation to its first text.",
    "model",
    secondsToFirstToken,
  );
  readonly #tokenGap = new Histogram(
    "sotto_time_between_tokens_seconds",
    "Between two tokens of one reply. Those that arrive together share the time since the last ones.",
    "model",
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  );
  readonly #queueWait = new Histogram(
    "sotto_queue_wait_seconds",
    "Time that admitted requests waited for a sequence.",
    "model",
    secondsToFirstToken,
  );

  constructor(
    sources: MetricSources,
    /** Of all processes of this server, where there are several. */
    private readonly samples: (() => Promise<MetricsSample[]>) | null = null,
  ) {
    collectDefaultMetrics({ register: this.#registry });
    this.#gauge(
      "sotto_sequences_active",
      "Generations that hold a sequence of the engine.",
      sources.sequencesActive,
    );
    this.#gauge("sotto_sequences_capacity", "Generations that can run at once.", sources.sequencesCapacity);
    this.#gauge("sotto_queue_waiting", "Requests that wait for a sequence.", sources.queueWaiting);
    this.#gauge(
      "sotto_engine_restarts",
      "Times the engine was restarted after it died.",
      sources.engineRestarts,
    );
    this.#gauge(
      "sotto_engine_memory_bytes",
      "Memory of the model's engine process when it had loaded; 0 while it is not loaded, or where it runs elsewhere.",
      sources.engineMemoryBytes,
    );
    // Of several processes, the worst counts.
    this.#number(
      "sotto_store_up",
      "Whether the database answers: 1, or 0 while it is unavailable.",
      () => Number(sources.isStoreUp()),
      "min",
    );
    this.#number(
      "sotto_statement_log_entries",
      "Entries of the log of signed statements; 0 before it was read.",
      () => sources.statementLogSize?.() ?? 0,
    );
    this.#number(
      "sotto_statement_log_restored_timestamp_seconds",
      "When the log last lost entries by a restore of the database, as it notes itself; 0 if it never did.",
      () => (sources.statementLogRestored?.()?.getTime() ?? 0) / 1000,
    );
    this.#privacyCheck(sources.privacyCheck ?? (() => Promise.resolve(null)));
    const { isRedisUp } = sources;
    if (isRedisUp !== null) {
      this.#number(
        "sotto_redis_up",
        "Whether limits are counted in Redis: 1, or 0 while it cannot be used and each replica enforces its share.",
        () => Number(isRedisUp()),
        "min",
      );
      this.#number(
        "sotto_redis_refusing",
        "1 while Redis answers but refuses commands (password, memory, read-only): the log has the cause, `sotto doctor` the remedy.",
        () => Number(sources.isRedisRefusing?.() ?? false),
      );
    }
  }

  request({ route, status, code, durationMs }: RequestMetric): void {
    this.#requests.add(`route="${route}",status="${status}",code="${code}"`);
    this.#duration.observe(route, durationMs / 1000);
  }

  /** `limit` and `scope` come from closed sets of ours. */
  refusal(limit: string, scope: LimitScope): void {
    this.#refusals.add(`limit="${limit}",scope="${scope}"`);
  }

  completion(metric: CompletionMetric): void {
    const { model } = metric;
    this.#tokens.add(tokenLabels[model].prompt, metric.promptTokens);
    this.#tokens.add(tokenLabels[model].completion, metric.completionTokens);
    if (metric.queuedMs !== undefined) this.#queueWait.observe(model, metric.queuedMs / 1000);
    if (metric.firstTokenMs !== undefined) this.#firstToken.observe(model, metric.firstTokenMs / 1000);
  }

  /** `tokens` arrived together, `gapMs` after those before them. */
  tokenGap(model: ModelId, gapMs: number, tokens: number): void {
    this.#tokenGap.observe(model, gapMs / 1000 / tokens, tokens);
  }

  async text(): Promise<{ contentType: string; body: string }> {
    const { contentType } = this.#registry;
    if (this.samples === null) {
      const body = this.#counted().join("\n") + "\n" + (await this.#registry.metrics());
      return { contentType, body };
    }
    const samples = await this.samples();
    const counted = sumOfTexts(samples.map((sample) => sample.counted));
    const others = AggregatorRegistry.aggregate(samples.map((sample) => sample.others));
    return { contentType, body: counted.join("\n") + "\n" + (await others.metrics()) };
  }

  async sample(): Promise<MetricsSample> {
    return { counted: this.#counted(), others: await this.#registry.getMetricsAsJSON() };
  }

  #counted(): string[] {
    return [
      this.#requests,
      this.#duration,
      this.#refusals,
      this.#tokens,
      this.#firstToken,
      this.#tokenGap,
      this.#queueWait,
    ].map((metric) => metric.text());
  }

  #privacyCheck(read: () => Promise<SavedPrivacyCheck | null>): void {
    this.#number(
      "sotto_privacy_check_timestamp_seconds",
      "When `sotto privacy check` ran last; 0 where it never has.",
      async () => Date.parse((await read())?.result.at ?? "1970-01-01") / 1000,
    );
    const clean = new Gauge({
      name: "sotto_privacy_check_clean",
      help: "What it found, by kind of place: 1 no mark, 0 a mark. Places that it could not look at are absent.",
      labelNames: ["place"] as const,
      registers: [this.#registry],
      aggregator: "min",
      collect: async () => {
        clean.reset();
        for (const { kind, verdict } of (await read())?.result.places ?? [])
          if (verdict !== "unknown") clean.set({ place: kind }, verdict === "clean" ? 1 : 0);
      },
    });
  }

  #number(
    name: string,
    help: string,
    read: () => number | Promise<number>,
    aggregator: Aggregator = "max",
  ): void {
    const collect = async () => gauge.set(await read());
    const gauge: Gauge = new Gauge({ name, help, registers: [this.#registry], aggregator, collect });
  }

  #gauge(name: string, help: string, read: (model: ModelId) => number): void {
    const gauge = new Gauge({
      name,
      help,
      labelNames: ["model"] as const,
      registers: [this.#registry],
      collect: () => {
        for (const model of modelIds) gauge.set({ model }, read(model));
      },
    });
  }
}
