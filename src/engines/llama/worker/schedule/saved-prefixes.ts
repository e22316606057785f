/**
 * Conversations that had to leave their sequence, saved in memory.
 *
 * A sequence that is taken by another conversation is copied here first, and copied back into whichever sequence
 * the next turn gets: so the number of sequences bounds how many conversations are computed at once, not how many
 * are remembered. All that compute wait for a copy, so it is only made where reading the same tokens again would take
 * several times as long; how long both take is measured while running.
 *
 * The memory is bounded. What does not fit pushes out the least recently used conversation of the account that has
 * the most here, its own included: no account can take more than its share from others. Nothing is ever restored for
 * another account. A copy that fails, for want of memory or otherwise, is not there, and its tokens are read again.
 */
import type { SavedState, SequenceStates } from "../sequence-states.js";

/** What a sequence has computed, for whom, and when that was used last. */
export interface Computed {
  accountId: string;
  tokens: Uint32Array;
  usedAtMs: number;
}

export interface Saved extends Computed {
  readonly state: SavedState;
}

/** A saved conversation that begins like a prompt. */
export interface SavedMatch {
  saved: Saved;
  /** How many tokens of the prompt it has. */
  tokens: number;
}

export interface SavedPrefixesOptions {
  states: SequenceStates;
  /** Of a saved state, for each token, about. */
  tokenBytes: number;
  /** How much may be saved, given what is saved already. */
  mostBytes: (savedBytes: number) => number;
  /** How long reading so many tokens of a prompt takes. */
  readingMs: (tokens: number) => number;
  /** Fewer are read again. Passed in for tests, as is the clock. */
  leastTokens?: number;
  nowMs?: () => number;
}

const usualLeastTokens = 128;
/** Reading must take so many times as long as saving: restoring takes about as long again, and not all come back. */
const worthSaving = 4;
/** A copy that took longer was held up by something else. */
const slowestBytesPerMs = 256 * 1024;

export class SavedPrefixes {
  readonly #saved = new Set<Saved>();
  /** Of the fastest copy so far; undefined before the first, which is tried. */
  #msPerToken: number | undefined;

  readonly #leastTokens: number;

  constructor(private readonly options: SavedPrefixesOptions) {
    this.#leastTokens = options.leastTokens ?? usualLeastTokens;
  }

  get all(): readonly Saved[] {
    return [...this.#saved];
  }

  /** The one with the most tokens of the prompt, where copying it back takes less than reading what it adds. */
  best(accountId: string, prompt: Uint32Array, otherwiseKept: number): SavedMatch | undefined {
    return this.all
      .filter((saved) => saved.accountId === accountId)
      .map((saved) => ({ saved, tokens: sharedTokens(saved.tokens, prompt) }))
      .filter(({ saved, tokens }) => this.isWorthIt(saved.tokens.length, tokens - otherwiseKept))
      .sort((a, b) => b.tokens - a.tokens)[0];
  }

  /** Whether copying so many tokens is worth not having to read some of them again. */
  isWorthIt(copiedTokens: number, gainedTokens: number): boolean {
    const copyingMs = copiedTokens * (this.#msPerToken ?? 0);
    return (
      gainedTokens >= this.#leastTokens && this.options.readingMs(gainedTokens) >= worthSaving * copyingMs
    );
  }

  /** `restored` is what the sequence gets instead, and is about to leave. */
  async save(sequenceId: number, computed: Computed, restored?: Saved): Promise<void> {
    const { states, tokenBytes, nowMs = () => performance.now() } = this.options;
    const { accountId, tokens, usedAtMs } = computed;
    this.#dropCovered(accountId, tokens, restored);
    if (!this.#makeRoom(accountId, tokens.length * tokenBytes, restored)) return;
    const startedMs = nowMs();
    try {
      this.#saved.add({ accountId, tokens, usedAtMs, state: await states.save(sequenceId) });
    } catch {
      return;
    }
    const msPerToken = (nowMs() - startedMs) / tokens.length;
    this.#msPerToken = Math.min(this.#msPerToken ?? tokenBytes / slowestBytesPerMs, msPerToken);
  }

  /** For this prompt. False when it failed: the sequence has to be cleared. */
  async restore(sequenceId: number, { saved, tokens }: SavedMatch, prompt: Uint32Array): Promise<boolean> {
    const isRestored = await this.options.states.restore(sequenceId, saved.state, tokens).catch(() => false);
    if (isRestored) this.#dropCovered(saved.accountId, prompt);
    else this.#drop(saved);
    return isRestored;
  }

  dropWhere(matches: (saved: Saved) => boolean): void {
    for (const saved of this.#saved) if (matches(saved)) this.#drop(saved);
  }

  /** Those of which these tokens have all but a few. */
  #dropCovered(accountId: string, tokens: Uint32Array, except?: Saved): void {
    this.dropWhere(
      (saved) =>
        saved !== except &&
        saved.accountId === accountId &&
        saved.tokens.length - sharedTokens(saved.tokens, tokens) < this.#leastTokens,
    );
  }

  /** False when it would take too much from others, or from everybody. `leaving` is not counted. */
  #makeRoom(accountId: string, bytes: number, leaving: Saved | undefined): boolean {
    const staying = [...this.#saved]
      .filter((saved) => saved !== leaving)
      .sort((a, b) => a.usedAtMs - b.usedAtMs);
    const held = new Map([[accountId, bytes]]);
    for (const one of staying) held.set(one.accountId, (held.get(one.accountId) ?? 0) + one.state.size);
    let totalBytes = [...held.values()].reduce((sum, own) => sum + own, 0);
    const mostBytes = this.options.mostBytes(totalBytes - bytes);
    const dropped: Saved[] = [];
    while (totalBytes > mostBytes) {
      const [most, mostHeld] = [...held].reduce((a, b) => (b[1] > a[1] ? b : a));
      const index = staying.findIndex((one) => one.accountId === most);
      const [oldest] = index === -1 ? [] : staying.splice(index, 1);
      if (oldest === undefined) return false;
      held.set(most, mostHeld - oldest.state.size);
      totalBytes -= oldest.state.size;
      dropped.push(oldest);
    }
    for (const one of dropped) this.#drop(one);
    return true;
  }

  #drop(saved: Saved): void {
    this.#saved.delete(saved);
    saved.state.dispose();
  }
}

/** Never the whole prompt: the reply is sampled from its last token. */
export function sharedTokens(computed: ArrayLike<number>, prompt: Uint32Array): number {
  const most = Math.min(computed.length, prompt.length - 1);
  let same = 0;
  while (same < most && computed[same] === prompt[same]) same += 1;
  return same;
}
