/**
 * Checks the health of an engine, at an interval with jitter so that many gateways do not check
 * in step. Two failures in a row take it out; one success brings it back. A failed request triggers a check
 * immediately.
 *
 * The engine is identified before it counts as ready, once a minute after that, and at every check where it has no
 * health endpoint. One that is healthy but too busy to be identified stays in.
 */
import type { Clock } from "../../../core/clock.js";
import type { EngineProblem, EngineStatus } from "../../../core/serving/engine-port.js";
import type { Connection } from "../connection.js";
import { readQueueLength, type EngineFacts } from "./facts.js";
import { checkHealth, identifyEngine, whyUnusable, type Unusable } from "./identify.js";

const failuresUntilDown = 2;
/** Facts rarely change but when an engine is restarted with other weights. */
const maxFactsAgeMs = 60_000;

export class HealthMonitor {
  state: EngineStatus["state"] = "starting";
  facts: EngineFacts = { models: [] };
  /** Why it cannot be used; undefined while it can. */
  problem: EngineProblem | undefined;
  /** Requests queued at the engine, its other users' included, where it reports them. */
  waiting = 0;
  outages = 0;
  #failures = 0;
  #factsAtMs: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #checking: Promise<void> | null = null;

  constructor(
    private readonly connection: Connection,
    private readonly clock: Clock,
    private readonly onState: (state: EngineStatus["state"], cause: string | undefined) => void,
  ) {
    void this.checkNow();
  }

  /** Never rejects. Concurrent callers share one check. */
  checkNow(): Promise<void> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = null;
      this.#scheduleNext();
    });
    return this.#checking;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.state = "down";
  }

  #become(state: EngineStatus["state"]): void {
    if (state === this.state) return;
    this.state = state;
    this.onState(state, this.problem?.cause);
  }

  async #check(): Promise<void> {
    const problem = await this.#findProblem();
    if (problem === null) this.waiting = (await readQueueLength(this.connection)) ?? 0;
    // close() may have been called meanwhile.
    if (this.#closed) return;
    if (problem !== null) {
      this.problem = { cause: problem.cause, text: whyUnusable(this.connection.url.host, problem) };
      this.#failed();
      return;
    }
    this.problem = undefined;
    this.#failures = 0;
    this.#become("ready");
  }

  /** Null when it can be used. */
  async #findProblem(): Promise<Unusable | null> {
    const health = await checkHealth(this.connection);
    if ("cause" in health) return health;
    const nowMs = this.clock.monotonicMs();
    const isKnown =
      this.state === "ready" && this.#factsAtMs !== undefined && nowMs - this.#factsAtMs <= maxFactsAgeMs;
    if (health.type === "healthy" && isKnown) return null;
    const identity = await identifyEngine(this.connection);
    if (identity.type === "engine") {
      this.facts = identity.facts;
      this.#factsAtMs = nowMs;
      return null;
    }
    const isBusy = identity.type === "unreachable" || identity.type === "unhealthy";
    return isBusy && health.type === "healthy" && this.state === "ready" ? null : identity;
  }

  #failed(): void {
    this.#failures += 1;
    if (this.state === "starting" && this.#failures === 1) this.onState("starting", this.problem?.cause);
    if (this.state === "ready" && this.#failures < failuresUntilDown) return;
    if (this.state === "ready") this.outages += 1;
    if (this.state !== "starting") this.#become("down");
  }

  #scheduleNext(): void {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    const { healthIntervalMs } = this.connection.timeouts;
    // An unreachable engine is checked more often: its recovery should not wait for a whole interval.
    const intervalMs = this.state === "ready" ? healthIntervalMs : Math.min(healthIntervalMs, 1000);
    this.#timer = setTimeout(() => void this.checkNow(), intervalMs * (0.75 + 0.5 * Math.random()));
    this.#timer.unref();
  }
}
