/**
 * Computes the inputs of many tasks on a few native contexts.
 *
 * There is a lane for each core, and all of them compute at once: lanes never wait for one another, as the threads of a
 * batch do (`bench -- embeddings`). A token of a longer input costs no more than in one batch of many; one of an input
 * below 64 tokens costs a fifth to a half more, since small matrices are multiplied less well and attention has whole tiles
 * of 64. So a lane computes short inputs together, also those of several tasks, where the engine's extension hands over all
 * vectors of a batch; the binding alone hands over that of its first sequence, and a batch is one input.
 * Where there are fewer batches than threads, each gets a share by its length, so that they end together, up to what is
 * fastest for one that is alone (thread-choice.ts). For the same reason the longest inputs of a task come first.
 *
 * Accounts take turns, by tokens (prefill-turns.ts); an account's tasks are computed as they came. An aborted task ends
 * with the inputs that are being computed. A task whose input fails is failed; where several were in the batch, each is
 * computed again by itself. When nothing can be computed twice in a row, the native part counts as lost.
 */
import type { StepReport, TaskResult } from "../../messages.js";
import { PrefillTurns } from "../schedule/prefill-turns.js";
import type { ThreadChoice } from "./thread-choice.js";

export interface Lane {
  /** One batch at a time. What the model's pooling or its head makes of each input. */
  compute(inputs: readonly Uint32Array[], threads: number): Promise<Float64Array[]>;
}

/** Of a batch of several inputs. One input alone may be longer. */
export interface BatchLimits {
  inputs: number;
  tokens: number;
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
  most: BatchLimits;
  /** Of all lanes together. */
  threads: number;
  choice: Pick<ThreadChoice, "best" | "next" | "record">;
  onStep: (report: StepReport) => void;
  onBroken: () => void;
}

interface Running {
  task: LaneTask;
  /** Inputs that are not computed yet, nor being computed: their indexes, the longest last. */
  waiting: number[];
  /** Inputs that are being computed. */
  computing: number;
  values: Float64Array[];
  /** It is over, except for what is being computed. */
  ended: "aborted" | "failed" | undefined;
  /** A batch that it shared failed, so its inputs are retried without those of other tasks. */
  isIsolated: boolean;
}

/** An input of a task. */
interface Part {
  running: Running;
  index: number;
  input: Uint32Array;
}

/** How far an account that was idle may be ahead of the others: a few inputs of usual length. */
const graceTokens = 512;
/** Fewer are computed less well, and not worth a lane of their own. */
const leastBatchTokens = 64;
/** How often tasks are reported to be under way, when a batch ends: a report wakes up a process that needs a core. */
const reportMs = 500;

export class Lanes {
  readonly #idle: Lane[];
  /** In the order in which they came. */
  readonly #running = new Map<number, Running>();
  readonly #turns = new PrefillTurns();
  /** Of the batches that are being computed. */
  #computing = { batches: 0, tokens: 0, threads: 0 };
  #failedInARow = 0;
  #reportedMs = -Infinity;
  #onIdle: () => void = () => undefined;

  constructor(private readonly options: LanesOptions) {
    this.#idle = [...options.lanes];
  }

  start(task: LaneTask): void {
    const waiting = task.inputs.map((_, index) => index).reverse();
    waiting.sort((a, b) => lengthOf(task, a) - lengthOf(task, b));
    const running: Running = { task, waiting, computing: 0, values: [], ended: undefined, isIsolated: false };
    this.#running.set(task.id, running);
    this.#fill();
    this.#settle(running);
  }

  /** Reported as an ending. An id that is not running is ignored. */
  abort(id: number): void {
    const running = this.#running.get(id);
    if (running === undefined) return;
    running.ended ??= "aborted";
    this.#settle(running);
  }

  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  /** Drops everything after the inputs that are being computed. */
  async close(): Promise<void> {
    for (const id of this.#running.keys()) this.abort(id);
    if (!this.isIdle) await new Promise<void>((resolve) => (this.#onIdle = resolve));
  }

  /** Gives every idle lane a batch, as long as there are inputs. */
  #fill(): void {
    for (let lane = this.#idle.pop(); lane !== undefined; lane = this.#idle.pop()) {
      const batch = this.#takeBatch();
      if (batch.length === 0) {
        this.#idle.push(lane);
        return;
      }
      void this.#compute(lane, batch);
    }
  }

  async #compute(lane: Lane, batch: readonly Part[]): Promise<void> {
    const tokens = tokensOf(batch);
    const tasks = new Set(batch.map(({ running }) => running));
    const isAlone = () => this.#inputsLeft() === batch.length;
    for (const { running, input } of batch) {
      running.computing += 1;
      this.#turns.record(running.task.accountId, input.length);
    }
    const wasAlone = isAlone();
    const threads = wasAlone ? this.options.choice.next(tokens) : this.#share(tokens);
    this.#count(1, tokens, threads);
    const startedMs = performance.now();
    try {
      const values = await lane.compute(
        batch.map(({ input }) => input),
        threads,
      );
      for (const [at, { running, index }] of batch.entries())
        running.values[index] = values[at] ?? new Float64Array();
      if (wasAlone && isAlone()) this.options.choice.record(threads, tokens, performance.now() - startedMs);
      this.#failedInARow = 0;
    } catch {
      for (const { running, index } of batch) {
        if (tasks.size === 1) running.ended ??= "failed";
        else {
          running.isIsolated = true;
          running.waiting.push(index);
        }
      }
      this.#failedInARow += 1;
      if (this.#failedInARow === 2) this.options.onBroken();
    }
    for (const { running } of batch) running.computing -= 1;
    this.#count(-1, tokens, threads);
    this.#idle.push(lane);
    for (const running of tasks) this.#settle(running);
    this.#fill();
    if (!this.isIdle && performance.now() - this.#reportedMs >= reportMs) this.#reportProgress();
  }

  /**
   * The longest input of the task whose turn it is, and shorter ones that fit beside it and do not keep another lane busy;
   * of the others, what fits into a batch that would be too small to be computed well.
   */
  #takeBatch(): Part[] {
    const [first, ...others] = this.#inTurn();
    if (first === undefined) return [];
    const perLane = Math.ceil(sum(this.#lengthsWaiting()) / (this.#idle.length + 1));
    const mostTokens = Math.min(this.options.most.tokens, Math.max(perLane, leastBatchTokens));
    const batch: Part[] = [];
    this.#take(first, batch, mostTokens);
    if (first.isIsolated) return batch;
    for (const other of others.filter(({ isIsolated }) => !isIsolated))
      this.#take(other, batch, Math.min(mostTokens, leastBatchTokens));
    return batch;
  }

  #inTurn(): Running[] {
    const waiting = [...this.#running.values()].filter((one) => inputsLeft(one) > one.computing);
    const accounts = this.#turns.inOrder(new Set(waiting.map(({ task }) => task.accountId)), graceTokens);
    return accounts.flatMap((accountId) => waiting.filter(({ task }) => task.accountId === accountId));
  }

  #take(running: Running, batch: Part[], mostTokens: number): void {
    const { task, waiting } = running;
    let taken = tokensOf(batch);
    if (batch.length > 0 && taken >= mostTokens) return;
    for (let at = waiting.length - 1; at >= 0 && batch.length < this.options.most.inputs; at--) {
      const index = waiting[at] ?? 0;
      const input = task.inputs[index] ?? new Uint32Array();
      if (batch.length > 0 && taken + input.length > mostTokens) continue;
      batch.push({ running, index, input });
      taken += input.length;
      waiting.splice(at, 1);
    }
  }

  /** By length, among those that wait and those that are being computed; the others that wait need one each. */
  #share(length: number): number {
    const { threads, choice } = this.options;
    const { batches, tokens, threads: used } = this.#computing;
    const waiting = this.#lengthsWaiting();
    const waitingBatches = this.#batchesOf(waiting);
    const left = waitingBatches + batches + 1 >= threads ? Infinity : sum(waiting) + tokens + length;
    const share = Math.floor((threads * length) / left);
    return Math.max(1, Math.min(share, threads - used - waitingBatches, choice.best(length)));
  }

  /** At most, of inputs of these lengths. */
  #batchesOf(lengths: readonly number[]): number {
    if (this.options.most.inputs === 1) return lengths.length;
    return Math.min(lengths.length, Math.ceil(sum(lengths) / leastBatchTokens));
  }

  #inputsLeft(): number {
    return sum([...this.#running.values()].map(inputsLeft));
  }

  #lengthsWaiting(): number[] {
    return [...this.#running.values()].flatMap(({ task, waiting, ended }) =>
      ended === undefined ? waiting.map((index) => lengthOf(task, index)) : [],
    );
  }

  #count(batches: 1 | -1, tokens: number, threads: number): void {
    this.#computing.batches += batches;
    this.#computing.tokens += batches * tokens;
    this.#computing.threads += batches * threads;
  }

  /** Reports it if it is over. */
  #settle(running: Running): void {
    const { task, ended, values } = running;
    if (running.computing > 0 || inputsLeft(running) > 0 || !this.#running.delete(task.id)) return;
    const { id } = task;
    if (ended === undefined) {
      const result = task.resultOf(values);
      const outcome = { type: "finished", completionTokens: 0, cachedTokens: 0, reasoningTokens: 0 } as const;
      this.#report([{ id, choice: 0, text: "", result, finishReason: "stop" }], [{ id, outcome }]);
    } else {
      this.#report([], [{ id, outcome: { type: ended } }]);
    }
    if (this.isIdle) this.#onIdle();
  }

  /** Also of tasks that wait for others: they are not stuck. */
  #reportProgress(): void {
    this.#reportedMs = performance.now();
    const progress = [...this.#running.keys()].map((id) => ({ id, choice: 0, text: null }));
    this.#report(progress, []);
  }

  #report(progress: StepReport["progress"], endings: StepReport["endings"]): void {
    this.options.onStep({ active: this.#running.size, progress, endings });
  }
}

/** Of one that is over, those that are being computed. */
const inputsLeft = ({ waiting, computing, ended }: Running): number =>
  (ended === undefined ? waiting.length : 0) + computing;

const lengthOf = ({ inputs }: LaneTask, index: number): number => inputs[index]?.length ?? 0;

const tokensOf = (batch: readonly Part[]): number => sum(batch.map(({ input }) => input.length));

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
