/**
 * Computes the inputs of many tasks on a few native contexts.
 *
 * The binding hands over one vector of a batch, that of its first sequence, so a context computes one input at a time;
 * there is a context for each core instead, and all of them compute at once. That is no slower than one batch of many
 * inputs: they share no attention, which a batch computes all the same and masks (`bench -- embeddings`). An input that
 * is alone gets all threads.
 *
 * Accounts take turns, by tokens: each task asks for its next input when one is done (fair-queue.ts). An aborted task
 * ends with the inputs that are being computed. A task whose input fails is failed; when nothing can be computed twice in
 * a row, the native part counts as lost.
 */
import { systemClock } from "../../../../core/clock.js";
import { FairQueue, type Slot } from "../../../../core/serving/fair-queue.js";
import type { StepReport, TaskResult } from "../../messages.js";

/** One native context. */
export interface Lane {
  /** One at a time. What the model's pooling or its head makes of the input. */
  compute(tokens: Uint32Array, threads: number): Promise<Float64Array>;
}

export interface LaneTask {
  id: number;
  accountId: string;
  inputs: readonly Uint32Array[];
  /** Of what was computed for each input. */
  resultOf: (values: readonly Float64Array[]) => TaskResult;
}

export interface LanesOptions {
  /** At least one. */
  lanes: readonly Lane[];
  /** Of all lanes together. */
  threads: number;
  onStep: (report: StepReport) => void;
  onBroken: () => void;
}

/** Every task waits with at most one input for each lane. */
const mostWaiting = 10_000;
/** The host gives a task up that makes no progress; it is shorter than this. */
const longestWaitMs = 60 * 60_000;
/** How often tasks are reported to be under way. */
const reportMs = 500;

export class Lanes {
  readonly #idle: Lane[];
  readonly #queue: FairQueue;
  readonly #running = new Map<number, AbortController>();
  /** Inputs of all tasks that are not computed yet. */
  #inputsLeft = 0;
  #failedInARow = 0;
  #reportedMs = -Infinity;
  #onIdle: () => void = () => undefined;

  constructor(private readonly options: LanesOptions) {
    const { lanes } = options;
    this.#idle = [...lanes];
    this.#queue = new FairQueue({
      capacity: () => lanes.length,
      maxLength: mostWaiting,
      maxWaitMs: longestWaitMs,
      clock: systemClock,
    });
  }

  start(task: LaneTask): void {
    const controller = new AbortController();
    this.#running.set(task.id, controller);
    this.#reportProgress();
    void this.#run(task, controller);
  }

  /** Reported as an ending. An id that is not running is ignored. */
  abort(id: number): void {
    this.#running.get(id)?.abort();
  }

  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  /** Drops everything after the inputs that are being computed. */
  async close(): Promise<void> {
    for (const controller of this.#running.values()) controller.abort();
    if (!this.isIdle) await new Promise<void>((resolve) => (this.#onIdle = resolve));
  }

  async #run({ id, accountId, inputs, resultOf }: LaneTask, controller: AbortController): Promise<void> {
    const { signal } = controller;
    const values = new Array<Float64Array>(inputs.length);
    const waiting = inputs.entries();
    let left = inputs.length;
    let hasFailed = false;
    this.#inputsLeft += left;
    const computeNext = async () => {
      for (const [index, tokens] of waiting) {
        const turn = await this.#queue.enter({ accountId, cost: tokens.length, places: 1 }, signal);
        values[index] = await this.#compute(tokens, turn);
        left -= 1;
        this.#inputsLeft -= 1;
        this.#reportNowAndThen();
      }
    };
    const lanes = Array.from({ length: Math.min(this.options.lanes.length, inputs.length) }, () =>
      computeNext().catch(() => {
        hasFailed ||= !signal.aborted;
        controller.abort();
      }),
    );
    await Promise.all(lanes);
    this.#inputsLeft -= left;
    this.#running.delete(id);
    if (hasFailed || signal.aborted) this.#end(id, hasFailed ? "failed" : "aborted");
    else this.#finish(id, resultOf(values));
    if (this.isIdle) this.#onIdle();
  }

  async #compute(tokens: Uint32Array, turn: Slot): Promise<Float64Array> {
    const lane = this.#idle.pop();
    try {
      if (lane === undefined) throw new Error("There are more turns than lanes.");
      const values = await lane.compute(tokens, this.#threadsNow());
      this.#failedInARow = 0;
      return values;
    } catch (error) {
      this.#failedInARow += 1;
      if (this.#failedInARow === 2) this.options.onBroken();
      throw error;
    } finally {
      if (lane !== undefined) this.#idle.push(lane);
      turn.leave(tokens.length);
    }
  }

  #threadsNow(): number {
    const { lanes, threads } = this.options;
    return Math.max(1, Math.floor(threads / Math.min(lanes.length, this.#inputsLeft)));
  }

  #finish(id: number, result: TaskResult): void {
    this.#report(
      [{ id, choice: 0, text: "", result, finishReason: "stop" }],
      [
        {
          id,
          outcome: { type: "finished", completionTokens: 0, cachedTokens: 0, reasoningTokens: 0 },
        },
      ],
    );
  }

  #end(id: number, type: "aborted" | "failed"): void {
    this.#report([], [{ id, outcome: { type } }]);
  }

  #reportNowAndThen(): void {
    if (performance.now() - this.#reportedMs >= reportMs) this.#reportProgress();
  }

  /** Also of tasks that wait for others: they are not stuck. */
  #reportProgress(): void {
    this.#reportedMs = performance.now();
    this.#report(
      [...this.#running.keys()].map((id) => ({ id, choice: 0, text: null })),
      [],
    );
  }

  #report(progress: StepReport["progress"], endings: StepReport["endings"]): void {
    this.options.onStep({ active: this.#running.size, progress, endings });
  }
}
