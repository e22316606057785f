/**
 * Which sequence computes which choice of which job. A job gets a slot for each of its choices at once; what its
 * sequences have computed stays warm when they are free again (prefix-cache.ts); those in use are compacted where
 * that saves a pass through the weights (compaction.ts).
 *
 * A choice can be preempted for another account's job (slot-scheduler.ts), whatever its state. It keeps its tokens
 * and its sampler. What it had computed stays warm until its slot is needed, and is read again where it is lost.
 */
import type { BatchContext } from "../batch-context.js";
import type { TokenSampler, TokenSamplerOptions } from "../reply/token-sampler.js";
import type { Job } from "./job.js";
import type { Held, PrefixCache, Shared, Taken } from "./prefix-cache.js";
import type { Computed, Saved } from "./saved-prefixes.js";
import { compactionMoves, type Move } from "./compaction.js";
import type { Draft } from "./speculation.js";

export interface SlotsOptions {
  context: BatchContext;
  newTokenSampler: (options: TokenSamplerOptions) => Pick<TokenSampler, "next" | "close">;
  cache: PrefixCache;
  /** Whether sequences may be copied: for compaction, and for a prefix that they share. */
  movesSequences: boolean;
  /** Whether copying takes less than reading so many tokens; always by default. */
  copyPays?: (tokens: number) => boolean;
}

export interface Group {
  job: Job;
  cachedTokens: number;
  unfinished: number;
  /** The first choice has read the prompt, and the others that had a slot got a copy. */
  isRead: boolean;
}

export interface Sequence {
  group: Group;
  choice: number;
  sampler: Pick<TokenSampler, "next" | "close">;
  /** Tokens whose keys and values are in the cache. */
  computed: number[];
  /** `waiting`: for the sequence that reads the prompt. */
  state: "prefilling" | "waiting" | "decoding";
  /** What it reads before it samples: the prompt, or everything up to its newest token after it was preempted. */
  target: Uint32Array;
  /** Sampled and not yet computed, while it replies. */
  newest: number;
  /** Its text has ended, and it is only waiting for the end of a step. */
  hasEnded?: boolean;
  /** Guesses how it goes on, once it has run alone. */
  draft?: Draft;
}

export const followsGrammar = ({ group, choice }: Sequence): boolean => {
  const state = group.job.choices[choice]?.sampling.grammar?.state;
  return state !== null && state !== undefined;
};

/** A sequence that has just got its slot. */
interface Placed extends Taken {
  sequence: Sequence;
  /** Whether what it need not read is reported: once for a job, for the choice that reads the prompt. */
  isReported: boolean;
}

export type OccupiedSlot = [sequenceId: number, sequence: Sequence];

const noTokens = new Uint32Array(0);
/** Fewer are computed again in no time. */
const leastCopied = 4;

export class Slots {
  readonly #sequences: (Sequence | null)[];
  readonly #preempted = new Set<Sequence>();
  /** Whether there may be gaps between the sequences in use. */
  #hasGaps = false;
  #moves: Move[] = [];
  /** A prefix that was found in another sequence. */
  #copy: { placed: Placed; shared: Shared } | null = null;
  /** Slots whose sequence is to be saved, or replaced by what was saved, before it is used. */
  #swaps: Placed[] = [];
  /** Copied since the last step: the native code copies when the next one begins. */
  readonly #uncopied = { sources: new Set<number>(), targets: new Set<number>() };

  constructor(private readonly options: SlotsOptions) {
    this.#sequences = Array.from({ length: options.cache.sequences }, () => null);
  }

  /** In ascending order. */
  inUse(): OccupiedSlot[] {
    const occupied: OccupiedSlot[] = [];
    for (const [id, sequence] of this.#sequences.entries())
      if (sequence !== null) occupied.push([id, sequence]);
    return occupied;
  }

  isAt(sequenceId: number, sequence: Sequence): boolean {
    return this.#sequences[sequenceId] === sequence;
  }

  has(sequence: Sequence): boolean {
    return this.#preempted.has(sequence) || this.#sequences.includes(sequence);
  }

  groupOf(jobId: number): Group | undefined {
    return this.#all().find(({ group }) => group.job.id === jobId)?.group;
  }

  get free(): number {
    return this.options.cache.freeSequences;
  }

  /** No slot is assigned while a prefix is still to be copied or restored: its source might be taken. */
  get isCopying(): boolean {
    return this.#copy !== null || this.#swaps.length > 0;
  }

  held(): Map<string, number> {
    const held = new Map<string, number>();
    for (const [, { group }] of this.inUse()) {
      const { accountId } = group.job;
      held.set(accountId, (held.get(accountId) ?? 0) + 1);
    }
    return held;
  }

  /** There must be room for all of its choices. */
  assign(job: Job): void {
    const { prompt, choices } = job;
    const group: Group = { job, cachedTokens: 0, unfinished: choices.length, isRead: false };
    // One reads the prompt, or the rest of it; the others start empty and evict no conversation that fits.
    const placed = choices.map(({ sampling }, choice) =>
      this.#place(
        {
          group,
          choice,
          sampler: this.options.newTokenSampler(sampling),
          computed: [],
          target: choice === 0 ? prompt : noTokens,
          state: choice === 0 ? "prefilling" : "waiting",
          newest: 0,
        },
        choice === 0,
      ),
    );
    const [first] = placed;
    if (first !== undefined) this.#copyIfWorthIt(first);
  }

  /** In the order in which their jobs came. */
  preempted(): readonly Sequence[] {
    return [...this.#preempted].sort((a, b) => a.group.job.id - b.group.job.id);
  }

  /**
   * Preempts the choice of the account that loses least by it: one that waits for its prompt before one that reads it,
   * before one that replies, and of these the newest. False when all of them are about to end.
   */
  preempt(accountId: string): boolean {
    const cost = { waiting: 0, prefilling: 1, decoding: 2 };
    const [chosen] = this.inUse()
      .filter(([, { group, hasEnded }]) => group.job.accountId === accountId && hasEnded !== true)
      .sort(([, a], [, b]) => cost[a.state] - cost[b.state] || b.group.job.id - a.group.job.id);
    if (chosen === undefined) return false;
    const [sequenceId, sequence] = chosen;
    if (sequence.state === "decoding") {
      sequence.target = Uint32Array.from([...sequence.computed, sequence.newest]);
      sequence.state = "prefilling";
    }
    this.#vacate(sequenceId, sequence, true);
    this.#preempted.add(sequence);
    return true;
  }

  /** There must be room for it. */
  resume(sequence: Sequence): void {
    this.#preempted.delete(sequence);
    const { group } = sequence;
    // Its prompt was read while it was preempted, and is in none of its cells.
    if (sequence.state === "waiting" && group.isRead) {
      sequence.state = "prefilling";
      sequence.target = group.job.prompt;
    }
    // What it reads again was reported before.
    this.#copyIfWorthIt(this.#place(sequence, false));
  }

  /** The prompt has been read: every choice that waits for it gets a copy. Null when copying failed. */
  async branch(sequenceId: number, sequence: Sequence): Promise<OccupiedSlot[] | null> {
    const { group } = sequence;
    const waiting = this.inUse().filter(([, one]) => one.group === group && one.state === "waiting");
    try {
      for (const [id] of waiting) await this.#copySequence(id, sequenceId);
    } catch {
      return null;
    }
    group.isRead = true;
    for (const [, one] of waiting) one.computed = Array.from(group.job.prompt);
    const ready: OccupiedSlot[] = [[sequenceId, sequence], ...waiting];
    for (const [, one] of ready) one.state = "decoding";
    return ready;
  }

  /** `intact`: what it has computed is what its tokens say. */
  leave(sequenceId: number, intact: boolean): void {
    const sequence = this.#sequences[sequenceId];
    if (sequence === null || sequence === undefined) return;
    this.#vacate(sequenceId, sequence, intact);
    sequence.sampler.close();
  }

  /** The whole group, also what is preempted of it. */
  leaveAll(group: Group, intact: boolean): void {
    for (const [sequenceId, sequence] of this.inUse()) {
      if (sequence.group === group) this.leave(sequenceId, intact);
    }
    for (const sequence of this.#preempted) {
      if (sequence.group !== group) continue;
      this.#preempted.delete(sequence);
      sequence.sampler.close();
    }
  }

  forgetAccount(accountId: string): void {
    for (const { group } of this.#all()) {
      if (group.job.accountId === accountId) group.job.isForgotten = true;
    }
    const { cache, context } = this.options;
    for (const sequenceId of cache.forgetAccount(accountId)) context.disposeSequence(sequenceId);
  }

  forgetExpired(): void {
    for (const sequenceId of this.options.cache.expire()) this.options.context.disposeSequence(sequenceId);
  }

  /** Whether a sequence is to be saved, restored or copied, or those in use are to be compacted. */
  hasToRearrange(): boolean {
    if (this.isCopying) return true;
    if (!this.#hasGaps || !this.options.movesSequences) return false;
    this.#hasGaps = false;
    const ids = this.inUse().map(([id]) => id);
    this.#moves = compactionMoves(ids, this.#sequences.length);
    return this.#moves.length > 0;
  }

  async rearrange(): Promise<void> {
    const [swaps, copy, moves] = [this.#swaps, this.#copy, this.#moves];
    this.#swaps = [];
    this.#copy = null;
    this.#moves = [];
    for (const placed of swaps) await this.#swap(placed);
    if (copy !== null) {
      const { placed, shared } = copy;
      await this.#copySequence(placed.sequenceId, shared.sequenceId);
      this.#begin(placed, this.#keep(placed.sequenceId, shared.tokens));
    }
    await this.#move(moves);
  }

  /** A step was computed, so all copies have been made. */
  copiesMade(): void {
    this.#uncopied.sources.clear();
    this.#uncopied.targets.clear();
  }

  async #swap(placed: Placed): Promise<void> {
    const { sequenceId, sequence, evicted, restored } = placed;
    const { sources, targets } = this.#uncopied;
    if (evicted !== undefined) await this.#save(sequenceId, evicted, restored?.saved);
    // What is restored is there at once, and copies that wait would take it along or replace it.
    if (restored === undefined || sources.has(sequenceId) || targets.has(sequenceId)) {
      this.#begin(placed, this.#keep(sequenceId, placed.keptTokens));
    } else {
      const isRestored = await this.options.cache.saved?.restore(sequenceId, restored, sequence.target);
      this.#begin(placed, isRestored === true ? restored.tokens : this.#keep(sequenceId, 0));
    }
  }

  async #save(sequenceId: number, computed: Computed, restored?: Saved): Promise<void> {
    // What is still to be copied into it is not there yet.
    if (this.#uncopied.targets.has(sequenceId)) return;
    await this.options.cache.saved?.save(sequenceId, computed, restored);
  }

  async #move(moves: readonly Move[]): Promise<void> {
    const { cache, context } = this.options;
    const targets = new Set(moves.map(({ to }) => to));
    for (const { from, to } of moves) {
      const { room, evicted } = cache.move(from, to, targets);
      if (evicted !== undefined) await this.#save(evicted.sequenceId, evicted.computed);
      if (room !== undefined) await this.#copySequence(room, to);
      await this.#copySequence(to, from);
      context.disposeSequence(from);
      this.#sequences[to] = this.#sequences[from] ?? null;
      this.#sequences[from] = null;
    }
  }

  async #copySequence(target: number, source: number): Promise<void> {
    this.#uncopied.sources.add(source);
    this.#uncopied.targets.add(target);
    await this.options.context.copySequenceStateFromOtherSequence(target, source);
  }

  #all(): Sequence[] {
    return [...this.inUse().map(([, sequence]) => sequence), ...this.#preempted];
  }

  #place(sequence: Sequence, isReported: boolean): Placed {
    const taken = this.options.cache.take(sequence.group.job.accountId, sequence.target);
    if (taken === undefined) throw new Error("There is no room for the sequence.");
    const { sequenceId, keptTokens, evicted, restored } = taken;
    const placed = { ...taken, sequence, isReported };
    this.#sequences[sequenceId] = sequence;
    this.#hasGaps = true;
    sequence.computed = [];
    if (evicted === undefined && restored === undefined)
      this.#begin(placed, this.#keep(sequenceId, keptTokens));
    else this.#swaps.push(placed);
    return placed;
  }

  /** With so many tokens of its target. */
  #begin({ sequence, isReported }: Placed, tokens: number): void {
    sequence.computed = Array.from(sequence.target.subarray(0, tokens));
    if (isReported) sequence.group.cachedTokens = tokens;
  }

  #vacate(sequenceId: number, { group, computed }: Sequence, intact: boolean): void {
    this.#sequences[sequenceId] = null;
    this.#hasGaps = true;
    const { accountId, isForgotten } = group.job;
    const tokens = intact && isForgotten !== true ? Uint32Array.from(computed) : null;
    const staysWarm = this.options.cache.release(sequenceId, accountId, tokens);
    if (!staysWarm) this.options.context.disposeSequence(sequenceId);
  }

  #copyIfWorthIt(placed: Placed): void {
    const { cache, movesSequences } = this.options;
    if (!movesSequences) return;
    const { sequence, keptTokens, restored } = placed;
    const { group, target } = sequence;
    const shared = cache.longestShared(group.job.accountId, target, this.#held());
    const before = Math.max(keptTokens, restored?.tokens ?? 0);
    if (shared === undefined || shared.tokens < before + leastCopied) return;
    if (this.options.copyPays?.(shared.tokens - before) ?? true) this.#copy = { placed, shared };
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
