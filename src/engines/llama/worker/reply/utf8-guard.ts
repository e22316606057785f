/**
 * Keeps replies that follow a grammar valid UTF-8.
 *
 * The native grammar reads characters that come in several tokens byte by byte, and takes some sequences for
 * characters that are none: the overlong ones, `E0` before a byte below `A0` and `F0` before one below `90`. Read
 * as text they become several replacement characters, which no grammar counted. So after a token that ends with
 * such a byte, the tokens that begin with such a continuation are forbidden.
 */
import type { Vocabulary } from "../vocabulary.js";

/** For the last byte of a token, the first byte that a continuation must have at least. */
const leastContinuation = [
  [0xe0, 0xa0],
  [0xf0, 0x90],
] as const;

export class Utf8Guard {
  readonly #forbidden: ReadonlyMap<number, readonly number[]>;

  constructor(
    private readonly vocabulary: Pick<Vocabulary, "bytesOf">,
    vocabularySize: number,
  ) {
    const firstBytes = Array.from(
      { length: vocabularySize },
      (_, token) => vocabulary.bytesOf(token)[0] ?? 0,
    );
    const startingBelow = (least: number) =>
      firstBytes.flatMap((first, token) => (first >= 0x80 && first < least ? [token] : []));
    this.#forbidden = new Map(leastContinuation.map(([lead, least]) => [lead, startingBelow(least)]));
  }

  forbiddenAfter(token: number): readonly number[] {
    return this.#forbidden.get(this.vocabulary.bytesOf(token).at(-1) ?? 0) ?? [];
  }
}
