/**
 * Fair prefill: the account that has read the fewest prompt tokens reads next.
 *
 * An idle account accrues only a small credit: a short question is read at once, whatever another account is reading,
 * and an account that asks many of them gets no more of the engine than any other.
 */
export class PrefillTurns {
  /** Tokens, on a scale of its own; only of those who are less than the grace behind who has read most. */
  readonly #read = new Map<string, number>();
  #most = 0;

  /** `graceTokens`: how far behind anyone can be. */
  inOrder(accountIds: Iterable<string>, graceTokens: number): string[] {
    const least = this.#most - graceTokens;
    for (const [accountId, read] of this.#read) if (read <= least) this.#read.delete(accountId);
    const readBy = (accountId: string) => this.#read.get(accountId) ?? least;
    const inTurn = [...accountIds].sort((a, b) => readBy(a) - readBy(b));
    for (const accountId of inTurn) this.#read.set(accountId, readBy(accountId));
    return inTurn;
  }

  /** Of an account that was in order for this step. */
  record(accountId: string, tokens: number): void {
    const read = (this.#read.get(accountId) ?? this.#most) + tokens;
    this.#read.set(accountId, read);
    this.#most = Math.max(this.#most, read);
  }
}
