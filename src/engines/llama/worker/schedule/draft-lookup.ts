/**
 * Guesses how a reply goes on from what it and its prompt already say: where its last three tokens stood before, what
 * followed them there may follow again. Quotes, edits of code and repeated structures are mostly guessed right, and
 * looking it up costs nothing (prompt lookup).
 */
const order = 3;

export class DraftLookup {
  /** Where a run of three tokens last ended, by its hash. */
  readonly #ends = new Map<number, number>();
  #indexed = order - 1;

  /** Up to `most` tokens that may follow `newest`; none where it does not occur. `computed` only grows between calls. */
  draft(computed: readonly number[], newest: number, most: number): number[] {
    // A token may have been put back for another step.
    this.#indexed = Math.min(this.#indexed, Math.max(order - 1, computed.length));
    for (; this.#indexed < computed.length; this.#indexed++)
      this.#ends.set(hashAt(computed, this.#indexed, computed[this.#indexed]), this.#indexed);
    const end = this.#ends.get(hashAt(computed, computed.length, newest));
    if (end === undefined || !isSameRun(computed, end, newest)) return [];
    return computed.slice(end + 1, end + 1 + most);
  }
}

const hashAt = (tokens: readonly number[], at: number, last = 0): number =>
  (Math.imul(tokens[at - 2] ?? 0, 0x9e3779b1) ^ Math.imul(tokens[at - 1] ?? 0, 0x85ebca6b) ^ last) | 0;

const isSameRun = (computed: readonly number[], end: number, newest: number): boolean =>
  computed[end] === newest && computed[end - 1] === computed.at(-1) && computed[end - 2] === computed.at(-2);
