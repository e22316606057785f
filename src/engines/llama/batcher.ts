/**
 * Continuous batching: one loop that computes all running generations together.
 *
 * Each step takes the newest token of every reply under way and a share of the prompts still being read, in
 * ascending order of sequence (the native batch splitter needs that) and, but for choices that wait, of neighbouring
 * ones (it is faster with them); computes them as one batch; then draws the next token of every sequence that is
 * ready. Generations join and leave between steps: a new one takes a free sequence or waits for one in order of
 * arrival, an aborted one is dropped, whatever its stage, at the end of the step that is under way. What all of them
 * produced in a step is reported at once.
 *
 * A generation of several choices takes as many sequences at once. One of them reads the prompt; the others get
 * a copy of what it computed, and each goes on with tokens of its own.
 *
 * When a batch fails, each of its sequences is computed again alone, so that only those fail which must. When
 * nothing can be computed twice in a row, the native context is taken for lost: `onBroken` is called and the
 * loop ends.
 */
import type { BatchContext } from "./batch-context.js";
import type { Draw, DrawOptions } from "./draw.js";
import type { Job, StepReport } from "./job.js";
import type { PrefillPace } from "./prefill-pace.js";
import type { PrefixCache } from "./prefix-cache.js";
import { closingMoves, type Move } from "./ranks.js";
import { promptShare } from "./step-plan.js";
import type { ThreadPace } from "./thread-pace.js";

export interface BatcherOptions {
  context: BatchContext;
  newDraw: (options: DrawOptions) => Pick<Draw, "next" | "close">;
  cache: PrefixCache;
  pace: PrefillPace;
  threads: Pick<ThreadPace, "run">;
  /** Whether sequences may change places, where that saves a pass through the weights. */
  movesSequences: boolean;
  onStep: (report: StepReport) => void;
  onBroken: () => void;
}

/** A job that runs. */
interface Group {
  job: Job;
  /** In the order of its choices; the first one reads the prompt. */
  sequenceIds: number[];
  cachedTokens: number;
  unfinished: number;
}

interface Sequence {
  group: Group;
  choice: number;
  draw: Pick<Draw, "next" | "close">;
  /** Tokens whose keys and values are in the cache. */
  computed: number[];
  /** `waits`: for the sequence that reads the prompt. */
  state: "reads" | "waits" | "replies";
  /** Drawn and not yet computed, while it replies. */
  newest: number;
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

const noLogits = new Uint32Array(0);
const noTokens = new Uint32Array(0);

export class Batcher {
  readonly #waiting = new Map<number, Job>();
  readonly #sequences: (Sequence | null)[];
  readonly #aborted = new Set<number>();
  #closed = false;
  #failedSteps = 0;
  /** There may be some between the sequences in use. */
  #hasGaps = false;
  #wake: () => void = () => undefined;
  #report: StepReport = emptyReport();
  readonly #loop: Promise<void>;

  constructor(private readonly options: BatcherOptions) {
    this.#sequences = Array.from({ length: options.cache.sequences }, () => null);
    this.#loop = this.#run().catch(() => {
      // Outside of a batch only bookkeeping can throw, and native bookkeeping that fails is not to be trusted.
      options.onBroken();
    });
  }

  start(job: Job): void {
    if (job.choices.length > this.#sequences.length) {
      this.fail(job.id);
      return;
    }
    this.#waiting.set(job.id, job);
    this.#wake();
  }

  /** Reports that nothing will come of it. */
  fail(id: number): void {
    this.#report.endings.push({ id, outcome: { type: "failed" } });
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
      this.#forgetExpired();
      this.#admit();
      this.#sendReport();
      const moves = this.#movesToMake();
      if (moves.length > 0) {
        await this.#move(moves);
        // Somebody may have come or gone meanwhile.
        continue;
      }
      const entries = this.#plan();
      if (entries.length === 0) {
        await this.#idle();
        continue;
      }
      const startedMs = performance.now();
      const anyComputed = await this.#compute(entries);
      const besideReplies = entries.some(({ reads }) => !reads);
      this.options.pace.record(promptTokensIn(entries), performance.now() - startedMs, besideReplies);
      this.#failedSteps = anyComputed ? 0 : this.#failedSteps + 1;
      if (this.#failedSteps >= 2) {
        this.#closed = true;
        this.#sendReport();
        this.options.onBroken();
      }
    }
  }

  /** Until there is something to do, or something to forget. */
  async #idle(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      const expiryMs = this.options.cache.nextExpiryMs;
      if (expiryMs !== undefined) timer = setTimeout(resolve, expiryMs).unref();
    });
    clearTimeout(timer);
  }

  #dropAborted(): void {
    for (const id of this.#aborted) {
      const wasWaiting = this.#waiting.delete(id);
      if (wasWaiting) this.#report.endings.push({ id, outcome: { type: "aborted" } });
      const group = this.#sequences.find((sequence) => sequence?.group.job.id === id)?.group;
      if (group !== undefined) this.#endGroup(group, "aborted");
    }
    this.#aborted.clear();
  }

  #forgetExpired(): void {
    for (const sequenceId of this.options.cache.expire()) this.options.context.disposeSequence(sequenceId);
  }

  #admit(): void {
    for (const [id, job] of this.#waiting) {
      if (this.options.cache.freeSequences < job.choices.length) return;
      this.#waiting.delete(id);
      this.#seat(job);
      this.#report.progress.push({ id, choice: 0, text: null });
    }
  }

  #seat(job: Job): void {
    const { cache, newDraw } = this.options;
    this.#hasGaps = true;
    const { accountId, prompt, choices } = job;
    // One reads the prompt, or the rest of it; the others start empty, at the cost of no conversation that fits.
    const taken = choices.flatMap(
      (_, choice) => cache.take(accountId, choice === 0 ? prompt : noTokens) ?? [],
    );
    const sequenceIds = taken.map(({ sequenceId }) => sequenceId);
    const group = { job, sequenceIds, cachedTokens: 0, unfinished: taken.length };
    choices.forEach(({ drawing }, choice) => {
      const seat = taken[choice];
      if (seat === undefined) return;
      const { sequenceId, keptTokens } = seat;
      const kept = this.#keep(sequenceId, keptTokens);
      if (choice === 0) group.cachedTokens = kept;
      this.#sequences[sequenceId] = {
        group,
        choice,
        draw: newDraw(drawing),
        computed: Array.from(prompt.subarray(0, kept)),
        state: choice === 0 ? "reads" : "waits",
        newest: 0,
      };
    });
  }

  /** Keeps the first tokens of a sequence and forgets the others. Returns how many it has. */
  #keep(sequenceId: number, tokens: number): number {
    const { context } = this.options;
    // Attention to a sliding window drops old positions, which the first new token would need again.
    const isWhole = tokens > 0 && context.getSequenceKvCacheMinPosition(sequenceId) === 0;
    if (isWhole && context.removeTokenCellsFromSequence(sequenceId, tokens, -1)) return tokens;
    context.disposeSequence(sequenceId);
    return 0;
  }

  /** What brings the sequences in use together; see ranks.ts. */
  #movesToMake(): Move[] {
    if (!this.#hasGaps || !this.options.movesSequences) return [];
    this.#hasGaps = false;
    const inUse = this.#sequences.flatMap((sequence, id) => (sequence === null ? [] : [id]));
    return closingMoves(inUse, this.#sequences.length);
  }

  async #move(moves: readonly Move[]): Promise<void> {
    const { cache, context } = this.options;
    const targets = new Set(moves.map(({ to }) => to));
    for (const { from, to } of moves) {
      const room = cache.move(from, to, targets);
      if (room !== undefined) await context.copySequenceStateFromOtherSequence(room, to);
      await context.copySequenceStateFromOtherSequence(to, from);
      context.disposeSequence(from);
      this.#reseat(from, to);
    }
  }

  #reseat(from: number, to: number): void {
    const sequence = this.#sequences[from] ?? null;
    this.#sequences[to] = sequence;
    this.#sequences[from] = null;
    if (sequence === null) return;
    const { group } = sequence;
    group.sequenceIds = group.sequenceIds.map((id) => (id === from ? to : id));
  }

  #plan(): Entry[] {
    const reading = this.#sequences.flatMap((sequence) =>
      sequence?.state === "reads" ? [sequence.group.job.prompt.length - sequence.computed.length] : [],
    );
    const anyReply = this.#sequences.some((sequence) => sequence?.state === "replies");
    const share = promptShare(reading, this.options.pace.tokens(anyReply), anyReply);
    return this.#sequences.flatMap((sequence, sequenceId): Entry[] => {
      if (sequence === null || sequence.state === "waits") return [];
      if (sequence.state === "replies") {
        return [{ sequenceId, sequence, tokens: Uint32Array.of(sequence.newest), reads: false, draws: true }];
      }
      const { prompt } = sequence.group.job;
      const start = sequence.computed.length;
      const end = start + share;
      const tokens = prompt.subarray(start, end);
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
    const [only, ...others] = entries;
    if (only !== undefined && others.length === 0) {
      this.#endGroup(only.sequence.group, "failed");
      return false;
    }
    // A sibling of one that failed is over too.
    const isOver = ({ sequenceId, sequence }: Entry) => this.#sequences[sequenceId] !== sequence;
    for (const entry of entries) {
      if (!isOver(entry) && !this.#rewind(entry)) this.#endGroup(entry.sequence.group, "failed");
    }
    let anyComputed = false;
    for (const entry of entries) {
      if (!isOver(entry)) anyComputed = (await this.#compute([entry])) || anyComputed;
    }
    return anyComputed;
  }

  /** Takes back what a failed batch may have left of the entry. False when the sequence is not what it was. */
  #rewind({ sequenceId, sequence, tokens }: Entry): boolean {
    const { context } = this.options;
    const { length } = sequence.computed;
    if (!context.removeTokenCellsFromSequence(sequenceId, length, -1)) return false;
    // Several tokens may have pushed out of a sliding window what the first of them needs again.
    return length === 0 || tokens.length === 1 || context.getSequenceKvCacheMinPosition(sequenceId) === 0;
  }

  /** Where each entry's logits are, undefined for those that draw nothing; null when the batch failed. */
  async #decode(entries: readonly Entry[]): Promise<(number | undefined)[] | null> {
    const { context } = this.options;
    try {
      context.initBatch(entries.reduce((sum, { tokens }) => sum + tokens.length, 0));
      const logitIndexes = entries.map(({ sequenceId, sequence, tokens, draws }) => {
        const asked = draws ? Uint32Array.of(tokens.length - 1) : noLogits;
        return context.addToBatch(sequenceId, sequence.computed.length, tokens, asked)[0];
      });
      await this.options.threads.run(() => context.decodeBatch());
      return logitIndexes;
    } catch {
      return null;
    }
  }

  async #advance({ sequenceId, sequence, tokens }: Entry, logitIndex: number | undefined): Promise<void> {
    for (const token of tokens) sequence.computed.push(token);
    const { group } = sequence;
    if (logitIndex === undefined) {
      this.#report.progress.push({ id: group.job.id, choice: 0, text: null });
      return;
    }
    // Aborted while the batch was computed: nobody reads the token.
    if (this.#aborted.has(group.job.id)) return;
    if (sequence.state === "replies") {
      await this.#draw(sequenceId, sequence, logitIndex);
      return;
    }
    const siblings = await this.#branch(group);
    if (siblings === null) this.#endGroup(group, "failed");
    else await Promise.all(siblings.map(([id, sibling]) => this.#draw(id, sibling, logitIndex)));
  }

  /** The prompt has been read: every choice gets it. Null when that could not be done. */
  async #branch(group: Group): Promise<[sequenceId: number, sequence: Sequence][] | null> {
    const { context } = this.options;
    const [first = 0, ...others] = group.sequenceIds;
    try {
      for (const sequenceId of others) await context.copySequenceStateFromOtherSequence(sequenceId, first);
    } catch {
      return null;
    }
    return group.sequenceIds.flatMap((sequenceId) => {
      const sequence = this.#sequences[sequenceId] ?? null;
      if (sequence === null) return [];
      if (sequence.state === "waits") sequence.computed = Array.from(group.job.prompt);
      sequence.state = "replies";
      return [[sequenceId, sequence]];
    });
  }

  async #draw(sequenceId: number, sequence: Sequence, logitIndex: number): Promise<void> {
    const { group, choice } = sequence;
    const drawn = await sequence.draw.next(logitIndex).catch(() => null);
    // A sibling may have failed meanwhile, and this one with it.
    if (this.#sequences[sequenceId] !== sequence) return;
    const reply = group.job.choices[choice]?.reply;
    if (drawn === null || reply === undefined) {
      this.#endGroup(group, "failed");
      return;
    }
    sequence.newest = drawn.token;
    const { finishReason, ...part } = reply.accept(drawn);
    const progress = { id: group.job.id, choice, ...part };
    this.#report.progress.push(finishReason === null ? progress : { ...progress, finishReason });
    if (finishReason !== null) this.#finish(sequenceId, sequence);
  }

  #finish(sequenceId: number, { group }: Sequence): void {
    this.#free(sequenceId, true);
    group.unfinished -= 1;
    if (group.unfinished > 0) return;
    const { id, choices } = group.job;
    const completionTokens = choices.reduce((sum, { reply }) => sum + reply.completionTokens, 0);
    const { cachedTokens } = group;
    this.#report.endings.push({ id, outcome: { type: "finished", completionTokens, cachedTokens } });
  }

  #endGroup(group: Group, type: "aborted" | "failed"): void {
    for (const sequenceId of group.sequenceIds) {
      if (this.#sequences[sequenceId]?.group === group) this.#free(sequenceId, type === "aborted");
    }
    this.#report.endings.push({ id: group.job.id, outcome: { type } });
  }

  /** `intact`: what it has computed is what its tokens say. */
  #free(sequenceId: number, intact: boolean): void {
    const sequence = this.#sequences[sequenceId];
    if (sequence === null || sequence === undefined) return;
    this.#sequences[sequenceId] = null;
    this.#hasGaps = true;
    sequence.draw.close();
    const { cache, context } = this.options;
    const tokens = intact ? Uint32Array.from(sequence.computed) : null;
    const staysWarm = cache.giveBack(sequenceId, sequence.group.job.accountId, tokens);
    if (!staysWarm) context.disposeSequence(sequenceId);
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
