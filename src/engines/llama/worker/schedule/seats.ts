/**
 * Which sequence computes which choice of which job. A job gets a seat for each of its choices at once; what its
 * sequences have computed stays warm when they are free again (prefix-cache.ts); those in use are moved together where
 * that saves a pass through the weights (ranks.ts).
 */
import type { BatchContext } from "../batch-context.js";
import type { Draw, DrawOptions } from "../reply/draw.js";
import type { Job } from "./job.js";
import type { Held, PrefixCache, Shared } from "./prefix-cache.js";
import { closingMoves, type Move } from "./ranks.js";

export interface SeatsOptions {
  context: BatchContext;
  newDraw: (options: DrawOptions) => Pick<Draw, "next" | "close">;
  cache: PrefixCache;
  /** Whether sequences may be copied: to change places, and for a prefix that they share. */
  movesSequences: boolean;
}

/** A job that runs. */
export interface Group {
  job: Job;
  /** In the order of its choices; the first one reads the prompt. */
  sequenceIds: number[];
  cachedTokens: number;
  unfinished: number;
}

export interface Sequence {
  group: Group;
  choice: number;
  draw: Pick<Draw, "next" | "close">;
  /** Tokens whose keys and values are in the cache. */
  computed: number[];
  /** `waits`: for the sequence that reads the prompt. */
  state: "reads" | "waits" | "replies";
  /** Drawn and not yet computed, while it replies. */
  newest: number;
  /** Its text has ended, and it is only waiting for the end of a step. */
  hasEnded?: boolean;
}

export const followsGrammar = ({ group, choice }: Sequence): boolean => {
  const state = group.job.choices[choice]?.drawing.grammar?.state;
  return state !== null && state !== undefined;
};

/** A prefix that was found in another sequence, for one that has just been seated. */
interface Copy {
  sequence: Sequence;
  sequenceId: number;
  shared: Shared;
}

type Seated = [sequenceId: number, sequence: Sequence];

const noTokens = new Uint32Array(0);
/** Copying takes less than computing so many tokens, wherever sequences may change places. */
const leastCopied = 4;

export class Seats {
  readonly #sequences: (Sequence | null)[];
  /** There may be some between the sequences in use. */
  #hasGaps = false;
  #moves: Move[] = [];
  #copy: Copy | null = null;

  constructor(private readonly options: SeatsOptions) {
    this.#sequences = Array.from({ length: options.cache.sequences }, () => null);
  }

  /** In ascending order. */
  inUse(): Seated[] {
    const seated: Seated[] = [];
    for (const [id, sequence] of this.#sequences.entries())
      if (sequence !== null) seated.push([id, sequence]);
    return seated;
  }

  isAt(sequenceId: number, sequence: Sequence): boolean {
    return this.#sequences[sequenceId] === sequence;
  }

  has(sequence: Sequence): boolean {
    return this.#sequences.includes(sequence);
  }

  groupOf(jobId: number): Group | undefined {
    return this.#sequences.find((sequence) => sequence?.group.job.id === jobId)?.group;
  }

  /** Nobody is seated while the last one's prefix is still to be copied: its source might be taken. */
  hasRoomFor({ choices }: Job): boolean {
    return this.#copy === null && this.options.cache.freeSequences >= choices.length;
  }

  seat(job: Job): void {
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
      const shared = choice === 0 ? this.#worthCopying(job, keptTokens) : undefined;
      const kept = this.#keep(sequenceId, keptTokens);
      if (choice === 0) group.cachedTokens = kept;
      const sequence: Sequence = {
        group,
        choice,
        draw: newDraw(drawing),
        computed: Array.from(prompt.subarray(0, kept)),
        state: choice === 0 ? "reads" : "waits",
        newest: 0,
      };
      this.#sequences[sequenceId] = sequence;
      if (shared !== undefined) this.#copy = { sequence, sequenceId, shared };
    });
  }

  /** The prompt has been read: every choice gets it. Null when that could not be done. */
  async branch(group: Group): Promise<Seated[] | null> {
    const { context } = this.options;
    const [first = 0, ...others] = group.sequenceIds;
    try {
      for (const sequenceId of others) await context.copySequenceStateFromOtherSequence(sequenceId, first);
    } catch {
      return null;
    }
    return group.sequenceIds.flatMap((sequenceId): Seated[] => {
      const sequence = this.#sequences[sequenceId] ?? null;
      if (sequence === null) return [];
      if (sequence.state === "waits") sequence.computed = Array.from(group.job.prompt);
      sequence.state = "replies";
      return [[sequenceId, sequence]];
    });
  }

  /** `intact`: what it has computed is what its tokens say. */
  free(sequenceId: number, intact: boolean): void {
    const sequence = this.#sequences[sequenceId];
    if (sequence === null || sequence === undefined) return;
    this.#sequences[sequenceId] = null;
    this.#hasGaps = true;
    sequence.draw.close();
    const { cache, context } = this.options;
    const { accountId, isForgotten } = sequence.group.job;
    const tokens = intact && isForgotten !== true ? Uint32Array.from(sequence.computed) : null;
    const staysWarm = cache.giveBack(sequenceId, accountId, tokens);
    if (!staysWarm) context.disposeSequence(sequenceId);
  }

  /** Those of the group that have not been given to somebody else meanwhile. */
  freeAll(group: Group, intact: boolean): void {
    for (const sequenceId of group.sequenceIds) {
      if (this.#sequences[sequenceId]?.group === group) this.free(sequenceId, intact);
    }
  }

  forgetAccount(accountId: string): void {
    for (const { group } of this.inUse().map(([, sequence]) => sequence)) {
      if (group.job.accountId === accountId) group.job.isForgotten = true;
    }
    const { cache, context } = this.options;
    for (const sequenceId of cache.forgetAccount(accountId)) context.disposeSequence(sequenceId);
  }

  forgetExpired(): void {
    for (const sequenceId of this.options.cache.expire()) this.options.context.disposeSequence(sequenceId);
  }

  /** Whether a prefix is to be copied, or those in use are to be brought together. */
  hasToRearrange(): boolean {
    if (this.#copy !== null) return true;
    if (!this.#hasGaps || !this.options.movesSequences) return false;
    this.#hasGaps = false;
    const ids = this.inUse().map(([id]) => id);
    this.#moves = closingMoves(ids, this.#sequences.length);
    return this.#moves.length > 0;
  }

  async rearrange(): Promise<void> {
    const [copy, moves] = [this.#copy, this.#moves];
    this.#copy = null;
    this.#moves = [];
    if (copy !== null) await this.#copyBeginning(copy);
    await this.#move(moves);
  }

  async #copyBeginning({ sequence, sequenceId, shared }: Copy): Promise<void> {
    await this.options.context.copySequenceStateFromOtherSequence(sequenceId, shared.sequenceId);
    const kept = this.#keep(sequenceId, shared.tokens);
    const { group } = sequence;
    group.cachedTokens = kept;
    sequence.computed = Array.from(group.job.prompt.subarray(0, kept));
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

  #worthCopying({ accountId, prompt }: Job, keptTokens: number): Shared | undefined {
    const { cache, movesSequences } = this.options;
    const shared = movesSequences ? cache.mostShared(accountId, prompt, this.#held()) : undefined;
    return shared !== undefined && shared.tokens >= keptTokens + leastCopied ? shared : undefined;
  }

  #held(): Held[] {
    return this.inUse().map(([sequenceId, { group, computed }]) => ({
      sequenceId,
      accountId: group.job.accountId,
      computed,
    }));
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
}
