/**
 * Checks the health of an engine, at an interval with jitter so that many gateways do not ask
 * at once. Two failures in a row take it out; one success brings it back. A failed request is a
 * reason to ask at once.
 *
 * Who answers is asked before it counts as ready, once a minute after that, and every time where it has no page for
 * its health. An engine that is healthy but too busy to answer that stays in.
 */
import type { Clock } from "../../../core/clock.js";
import type { EngineProblem, EngineStatus } from "../../../core/serving/engine-port.js";
import type { Connection } from "../connection.js";
import { askWaiting, nothingKnown, type EngineFacts } from "./facts.js";
import { askHealth, askIntroduction, whyUnusable, type NotAnEngine } from "./introduction.js";
import type { UpstreamTimeouts } from "../options.js";
import type { Profile } from "../profiles.js";

const failuresUntilDown = 2;
/** Facts change when an engine is restarted with other weights, mostly. */
const factsAgeMs = 60_000;

export class HealthWatch {
  #state: EngineStatus["state"] = "starting";
  facts: EngineFacts = nothingKnown;
  /** Why it does not answer; undefined while it does. */
  problem: EngineProblem | undefined;
  /** Requests that wait at the engine, its other users' included, where it reports them. */
  waiting = 0;
  /** How often it went down. */
  outages = 0;
  #failures = 0;
  #factsAtMs: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #asking: Promise<void> | null = null;
  readonly #waiters = new Set<() => void>();

  constructor(
    private readonly connection: Connection,
    private readonly profile: Profile,
    private readonly modelName: string | undefined,
    private readonly timeouts: UpstreamTimeouts,
    private readonly clock: Clock,
    private readonly random: () => number,
    private readonly onState: (state: EngineStatus["state"], cause: string | undefined) => void,
  ) {
    void this.checkNow();
  }

  get state(): EngineStatus["state"] {
    return this.#state;
  }

  /** Never rejects. Several callers share one question. */
  checkNow(): Promise<void> {
    this.#asking ??= this.#check().finally(() => {
      this.#asking = null;
      this.#scheduleNext();
    });
    return this.#asking;
  }

  /** Resolves when it is ready; rejects with the signal's reason. */
  async untilReady(signal: AbortSignal): Promise<void> {
    while (this.state !== "ready") {
      signal.throwIfAborted();
      await new Promise<void>((resolve) => {
        const done = () => {
          this.#waiters.delete(done);
          signal.removeEventListener("abort", done);
          resolve();
        };
        this.#waiters.add(done);
        signal.addEventListener("abort", done, { once: true });
      });
    }
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#state = "down";
  }

  #become(state: EngineStatus["state"]): void {
    if (state === this.#state) return;
    this.#state = state;
    this.onState(state, this.problem?.cause);
  }

  async #check(): Promise<void> {
    const wrong = await this.#whatIsWrong();
    if (wrong === null) {
      this.waiting = (await askWaiting(this.connection, this.profile, this.timeouts.healthMs)) ?? 0;
    }
    // close() may have come while it was asked.
    if (this.#closed) return;
    if (wrong !== null) {
      this.problem = { cause: wrong.cause, text: whyUnusable(this.connection.url.host, wrong) };
      this.#failed();
      return;
    }
    this.problem = undefined;
    this.#failures = 0;
    this.#become("ready");
    for (const waiter of [...this.#waiters]) waiter();
  }

  /** Null when it can be used. */
  async #whatIsWrong(): Promise<NotAnEngine | null> {
    const { healthMs } = this.timeouts;
    const health = await askHealth(this.connection, this.profile, healthMs);
    if ("cause" in health) return health;
    const nowMs = this.clock.monotonicMs();
    const isKnown =
      this.state === "ready" && this.#factsAtMs !== undefined && nowMs - this.#factsAtMs <= factsAgeMs;
    if (health.type === "well" && isKnown) return null;
    const answer = await askIntroduction(this.connection, this.profile, this.modelName, healthMs);
    if (answer.type === "engine") {
      this.facts = answer.facts;
      this.#factsAtMs = nowMs;
      return null;
    }
    const isBusy = answer.type === "silent" || answer.type === "unwell";
    return isBusy && health.type === "well" && this.state === "ready" ? null : answer;
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
    const { healthIntervalMs } = this.timeouts;
    // An unreachable engine is asked more often: its recovery should not wait for a whole interval.
    const intervalMs = this.state === "ready" ? healthIntervalMs : Math.min(healthIntervalMs, 1000);
    this.#timer = setTimeout(() => void this.checkNow(), intervalMs * (0.75 + 0.5 * this.random()));
    this.#timer.unref();
  }
}
