/**
 * Continuous batching: one loop that computes all running generations together.
 *
 * Each step takes the newest token of every reply under way and a share of the prompts still being read, in
 * ascending order of sequence (the native batch splitter needs that), computes them as one batch, then draws
 * the next token of every sequence that is ready. Generations join and leave between steps: a new one takes a
 * free sequence or waits for one in order of arrival, an aborted one is dropped, whatever its stage, at the end
 * of the step that is under way. What all of them produced in a step is reported at once.
 *
 * When a batch fails, each of its sequences is computed again alone, so that only those fail which must. When
 * nothing can be computed twice in a row, the native context is taken for lost: `onBroken` is called and the
 * loop ends.
 */
import type { FinishReason } from "../../protocol/chat.js";
import type { BatchContext, Sampler } from "./batch-context.js";
import type { Reply } from "./reply.js";
import type { SamplerConfig } from "./sampler.js";
import type { SamplerPool } from "./sampler-pool.js";
import type { PrefillPace } from "./prefill-pace.js";
import { sharePrefill } from "./step-plan.js";

export interface Job {
  id: number;
  /** At least one token. */
  prompt: Uint32Array;
  sampling: SamplerConfig;
  reply: Reply;
}

export interface Progress {
  id: number;
  /** What a new token added to the reply, possibly nothing yet; null while the prompt is read. */
  text: string | null;
}

export interface Ending {
  id: number;
  outcome:
    | { type: "finished"; finishReason: FinishReason; completionTokens: number }
    | { type: "aborted" }
    | { type: "failed" };
}

export interface StepReport {
  /** Sequences in use after the step. */
  active: number;
  progress: Progress[];
  endings: Ending[];
}

export interface BatcherOptions {
  context: BatchContext;
  samplers: Pick<SamplerPool, "take" | "giveBack">;
  sequences: number;
  pace: PrefillPace;
  /** The most prompt tokens in a step beside replies, if the pace allows more. */
  prefillChunkTokens: number;
  onStep: (report: StepReport) => void;
  onBroken: () => void;
}

interface Sequence {
  job: Job;
  sampler: Sampler;
  /** Tokens whose keys and values are in the cache. */
  computed: number;
  /** Drawn and not yet computed; null while the prompt is read. */
  newest: number | null;
}

interface Entry {
  sequenceId: number;
  sequence: Sequence;
  tokens: Uint32Array;
  /** Whether these are tokens of the prompt. */
  reads: boolean;
  /** Whether the next token can be drawn after this one: not in the middle of a prompt. */
  draws: boolean;
}

/** What the native sampler gives when it has nothing to choose from. */
const noToken = -1;
const noLogits = new Uint32Array(0);

export class Batcher {
  readonly #waiting = new Map<number, Job>();
  readonly #sequences: (Sequence | null)[];
  readonly #aborted = new Set<number>();
  #closed = false;
  #failedSteps = 0;
  #wake: () => void = () => undefined;
  #report: StepReport = emptyReport();
  readonly #loop: Promise<void>;

  constructor(private readonly options: BatcherOptions) {
    this.#sequences = Array.from({ length: options.sequences }, () => null);
    this.#loop = this.#run().catch(() => {
      // Outside of a batch only bookkeeping can throw, and native bookkeeping that fails is not to be trusted.
      options.onBroken();
    });
  }

  start(job: Job): void {
    this.#waiting.set(job.id, job);
    this.#wake();
  }

  /** Reported as an ending, also when the job was still waiting. An id that is not running is ignored. */
  abort(id: number): void {
    this.#aborted.add(id);
    this.#wake();
  }

  /** Drops everything after the step under way. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#wake();
    await this.#loop;
  }

  async #run(): Promise<void> {
    while (!this.#closed) {
      this.#dropAborted();
      this.#admit();
      this.#sendReport();
      const entries = this.#plan();
      if (entries.length === 0) {
        await new Promise<void>((resolve) => (this.#wake = resolve));
        continue;
      }
      const startedMs = performance.now();
      const anyComputed = await this.#compute(entries);
      this.options.pace.record(promptTokensIn(entries), performance.now() - startedMs);
      this.#failedSteps = anyComputed ? 0 : this.#failedSteps + 1;
      if (this.#failedSteps >= 2) {
        this.#closed = true;
        this.#sendReport();
        this.options.onBroken();
      }
    }
  }

  #dropAborted(): void {
    for (const id of this.#aborted) {
      const wasWaiting = this.#waiting.delete(id);
      if (wasWaiting) this.#report.endings.push({ id, outcome: { type: "aborted" } });
      const sequenceId = this.#sequences.findIndex((sequence) => sequence?.job.id === id);
      if (sequenceId >= 0) this.#end(sequenceId, { type: "aborted" });
    }
    this.#aborted.clear();
  }

  #admit(): void {
    for (const [id, job] of this.#waiting) {
      const sequenceId = this.#sequences.indexOf(null);
      if (sequenceId < 0) return;
      this.#waiting.delete(id);
      const sampler = this.options.samplers.take(job.sampling);
      this.#sequences[sequenceId] = { job, sampler, computed: 0, newest: null };
      this.#report.progress.push({ id, text: null });
    }
  }

  #plan(): Entry[] {
    const remaining = this.#sequences.map((sequence) =>
      sequence?.newest === null ? sequence.job.prompt.length - sequence.computed : 0,
    );
    const reading = remaining.filter((tokens) => tokens > 0);
    const anyReply = this.#sequences.some((sequence) => (sequence?.newest ?? null) !== null);
    const { pace, prefillChunkTokens } = this.options;
    const shares = sharePrefill(reading, anyReply ? Math.min(pace.tokens, prefillChunkTokens) : pace.tokens);
    return this.#sequences.flatMap((sequence, sequenceId): Entry[] => {
      if (sequence === null) return [];
      if (sequence.newest !== null) {
        return [{ sequenceId, sequence, tokens: Uint32Array.of(sequence.newest), reads: false, draws: true }];
      }
      const end = sequence.computed + (shares.shift() ?? 0);
      const { prompt } = sequence.job;
      const tokens = prompt.subarray(sequence.computed, end);
      return [{ sequenceId, sequence, tokens, reads: true, draws: end === prompt.length }];
    });
  }

  /** Whether anything at all could be computed. */
  async #compute(entries: readonly Entry[]): Promise<boolean> {
    const logitIndexes = await this.#decode(entries);
    if (logitIndexes !== null) {
      await Promise.all(entries.map((entry, index) => this.#advance(entry, logitIndexes[index])));
      return true;
    }
    for (const { sequenceId, sequence } of entries) {
      // The failed batch may have left some of its tokens in the cache.
      this.options.context.removeTokenCellsFromSequence(sequenceId, sequence.computed, -1);
    }
    const [only, ...others] = entries;
    if (only !== undefined && others.length === 0) {
      this.#end(only.sequenceId, { type: "failed" });
      return false;
    }
    let anyComputed = false;
    for (const entry of entries) anyComputed = (await this.#compute([entry])) || anyComputed;
    return anyComputed;
  }

  /** Where each entry's logits are, undefined for those that draw nothing; null when the batch failed. */
  async #decode(entries: readonly Entry[]): Promise<(number | undefined)[] | null> {
    const { context } = this.options;
    try {
      context.initBatch(entries.reduce((sum, { tokens }) => sum + tokens.length, 0));
      const logitIndexes = entries.map(({ sequenceId, sequence, tokens, draws }) => {
        const asked = draws ? Uint32Array.of(tokens.length - 1) : noLogits;
        return context.addToBatch(sequenceId, sequence.computed, tokens, asked)[0];
      });
      await context.decodeBatch();
      return logitIndexes;
    } catch {
      return null;
    }
  }

  async #advance({ sequenceId, sequence, tokens }: Entry, logitIndex: number | undefined): Promise<void> {
    sequence.computed += tokens.length;
    const { id, reply } = sequence.job;
    if (logitIndex === undefined) {
      this.#report.progress.push({ id, text: null });
      return;
    }
    // Aborted while the batch was computed: nobody reads the token.
    if (this.#aborted.has(id)) return;
    const token = await this.options.context.sampleToken(logitIndex, sequence.sampler).catch(() => noToken);
    if (token === noToken) {
      this.#end(sequenceId, { type: "failed" });
      return;
    }
    sequence.newest = token;
    const { text, finishReason } = reply.accept(token);
    this.#report.progress.push({ id, text });
    if (finishReason === null) return;
    this.#end(sequenceId, { type: "finished", finishReason, completionTokens: reply.completionTokens });
  }

  #end(sequenceId: number, outcome: Ending["outcome"]): void {
    const sequence = this.#sequences[sequenceId];
    if (sequence === null || sequence === undefined) return;
    this.#sequences[sequenceId] = null;
    this.options.samplers.giveBack(sequence.sampler);
    this.#report.endings.push({ id: sequence.job.id, outcome });
    this.options.context.disposeSequence(sequenceId);
  }

  #sendReport(): void {
    const report = this.#report;
    if (report.progress.length === 0 && report.endings.length === 0) return;
    this.#report = emptyReport();
    this.options.onStep({ ...report, active: this.#sequences.filter((one) => one !== null).length });
  }
}

function promptTokensIn(entries: readonly Entry[]): number {
  return entries.reduce((sum, { tokens, reads }) => sum + (reads ? tokens.length : 0), 0);
}

const emptyReport = (): StepReport => ({ active: 0, progress: [], endings: [] });
