/**
 * The prefix cache: which sequence holds which computed tokens in the native KV cache.
 *
 * A sequence that has ended keeps what it computed, with the account it was computed for. The next prompt of
 * that account that begins with the same tokens takes it over and computes only the rest. Nothing is ever kept
 * across accounts: a sequence that changes accounts is cleared first. Among sequences that are free, one
 * that fits is taken first, then an empty one, then the one that was used least recently. What was not used
 * again within ten minutes is forgotten. A prefix that another conversation only partly shares, such as the same
 * instructions, can be copied from it: that one goes on undisturbed.
 *
 * The memory of all sequences is reserved when the model is loaded, so keeping them warm costs none. What a sequence
 * loses to another conversation can be saved beside them (saved-prefixes.ts), and is forgotten just as they are.
 */
import type { Kept } from "../../../../core/serving/engine-port.js";
import { type Computed, type SavedMatch, type SavedPrefixes, sharedTokens } from "./saved-prefixes.js";

export interface Taken {
  sequenceId: number;
  /** How many tokens of the prompt it has computed already. Everything after them must be removed. */
  keptTokens: number;
  /** What it loses, where that is worth saving first. */
  evicted?: Computed | undefined;
  /** What to restore into it instead of keeping anything. */
  restored?: SavedMatch | undefined;
}

/** Where a prefix of a prompt has been computed for the same account. */
export interface Shared {
  sequenceId: number;
  tokens: number;
}

export interface Held {
  sequenceId: number;
  accountId: string;
  computed: ArrayLike<number>;
}

/** How long a sequence waits for the next turn of its conversation. */
const keepMs = 10 * 60_000;
/** Asked for before every step, and there may be hundreds to look through. */
const lookEveryMs = 1000;

export class PrefixCache {
  readonly #free: Map<number, Computed | null>;
  #nextLookMs = 0;

  constructor(
    readonly sequences: number,
    private readonly reuse: boolean,
    private readonly nowMs: () => number = () => performance.now(),
    readonly saved?: SavedPrefixes,
  ) {
    this.#free = new Map(Array.from({ length: sequences }, (_, sequenceId) => [sequenceId, null]));
  }

  get freeSequences(): number {
    return this.#free.size;
  }

  /**
   * Undefined when none is free. The last token of a prompt is never kept: the reply is sampled from it. For an empty
   * prompt, the least recently used one.
   */
  take(accountId: string, prompt: Uint32Array): Taken | undefined {
    const fitting = this.#bestFor(accountId, prompt);
    const restored = this.saved?.best(accountId, prompt, fitting?.tokens ?? 0);
    const sequenceId =
      restored === undefined && fitting !== undefined ? fitting.sequenceId : this.#leastRecent();
    if (sequenceId === undefined) return undefined;
    const warm = this.#free.get(sequenceId) ?? null;
    this.#free.delete(sequenceId);
    const keptTokens = reusableTokens(warm, accountId, prompt);
    return { sequenceId, keptTokens, evicted: this.#worthSaving(warm, keptTokens), restored };
  }

  /** The sequence with the longest prefix of the prompt, among those that are kept and those in use. */
  longestShared(accountId: string, prompt: Uint32Array, inUse: readonly Held[]): Shared | undefined {
    if (!this.reuse) return undefined;
    const kept = [...this.#free].flatMap(([sequenceId, warm]): Held[] =>
      warm === null ? [] : [{ sequenceId, accountId: warm.accountId, computed: warm.tokens }],
    );
    return [...kept, ...inUse]
      .filter((held) => held.accountId === accountId)
      .map(({ sequenceId, computed }) => ({ sequenceId, tokens: sharedTokens(computed, prompt) }))
      .sort((a, b) => b.tokens - a.tokens)[0];
  }

  /** `tokens` are what the sequence has computed; null when that is not to be trusted. True when it stays warm. */
  release(sequenceId: number, accountId: string, tokens: Uint32Array | null): boolean {
    const stays = this.reuse && tokens !== null && tokens.length > 0;
    this.#free.set(sequenceId, stays ? { accountId, tokens, usedAtMs: this.nowMs() } : null);
    return stays;
  }

  /**
   * Moves a sequence in use to a free one. What was cached there moves to the least recently used free sequence, if
   * that is older: to `room`. `targets` are not eligible. `evicted` is overwritten, and should be saved first.
   */
  move(from: number, to: number, targets: ReadonlySet<number>) {
    const kept = this.#free.get(to) ?? null;
    const least = kept === null ? undefined : this.#leastRecent(targets);
    const isOlder = least !== undefined && usedAt(this.#free.get(least)) < usedAt(kept);
    const room = isOlder ? least : undefined;
    const lost = room ?? to;
    const computed = this.#worthSaving(this.#free.get(lost) ?? null, 0);
    this.#free.delete(to);
    if (room !== undefined) this.#free.set(room, kept);
    this.#free.set(from, null);
    return { room, evicted: computed && { sequenceId: lost, computed } };
  }

  /** Forgets what was kept too long, and returns which sequences to clear. */
  expire(): number[] {
    const nowMs = this.nowMs();
    if (nowMs < this.#nextLookMs) return [];
    const forgotten = this.#forgetWhere(({ usedAtMs }) => usedAtMs <= nowMs - keepMs);
    this.#nextLookMs = nowMs + Math.min(lookEveryMs, this.nextExpiryMs ?? lookEveryMs);
    return forgotten;
  }

  /** The same for everything that is kept for one account. */
  forgetAccount(accountId: string): number[] {
    return this.#forgetWhere((warm) => warm.accountId === accountId);
  }

  /** Conversations of one account; those that are being replied to are not among them. */
  keptOf(accountId: string): Kept {
    const used = this.#kept()
      .filter((one) => one.accountId === accountId)
      .map(({ usedAtMs }) => usedAtMs);
    const lastMs = used.length === 0 ? 0 : Math.max(0, Math.max(...used) + keepMs - this.nowMs());
    return { count: used.length, lastMs };
  }

  /** In sequences and beside them. */
  #kept(): Computed[] {
    const warm = [...this.#free.values()].filter((one) => one !== null);
    return [...warm, ...(this.saved?.all ?? [])];
  }

  #worthSaving(warm: Computed | null, keptTokens: number): Computed | undefined {
    if (warm === null || this.saved === undefined) return undefined;
    const { length } = warm.tokens;
    return this.saved.isWorthIt(length, length - keptTokens) ? warm : undefined;
  }

  #forgetWhere(matches: (warm: Computed) => boolean): number[] {
    this.saved?.dropWhere(matches);
    const forgotten = [...this.#free].filter(([, warm]) => warm !== null && matches(warm));
    for (const [sequenceId] of forgotten) this.#free.set(sequenceId, null);
    return forgotten.map(([sequenceId]) => sequenceId);
  }

  /** Until the next one is to be forgotten; undefined when none is kept. */
  get nextExpiryMs(): number | undefined {
    const times = this.#kept().map(({ usedAtMs }) => usedAtMs);
    return times.length === 0 ? undefined : Math.max(0, Math.min(...times) + keepMs - this.nowMs());
  }

  /**
   * One whose tokens are mostly the prompt's, or the reverse: the same conversation, or one that shares most of
   * its prefix. Less than that is not worth forgetting another conversation for.
   */
  #bestFor(accountId: string, prompt: Uint32Array): Shared | undefined {
    let best: Shared | undefined;
    for (const [sequenceId, warm] of this.#free) {
      const tokens = reusableTokens(warm, accountId, prompt);
      const isWorthIt = warm !== null && tokens * 2 >= Math.min(prompt.length, warm.tokens.length);
      if (tokens > (best?.tokens ?? 0) && isWorthIt) best = { sequenceId, tokens };
    }
    return best;
  }

  /** An empty one if there is one: the first of them, which leaves the fewest gaps. */
  #leastRecent(except: ReadonlySet<number> = none): number | undefined {
    return [...this.#free]
      .filter(([sequenceId]) => !except.has(sequenceId))
      .sort(([idA, a], [idB, b]) => usedAt(a) - usedAt(b) || idA - idB)[0]?.[0];
  }
}

const none: ReadonlySet<number> = new Set();

const usedAt = (warm: Computed | null | undefined): number => warm?.usedAtMs ?? -1;

function reusableTokens(warm: Computed | null, accountId: string, prompt: Uint32Array): number {
  return warm?.accountId === accountId ? sharedTokens(warm.tokens, prompt) : 0;
}
