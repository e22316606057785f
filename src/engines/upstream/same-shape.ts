/**
 * Most chunks of a stream differ from the one before in their text alone. Once that shape is known, such a chunk needs no
 * parsing: what stands before and after the text is compared, and the text is cut out.
 *
 * That the place is really that of the text is not guessed: the shape is learned by putting another text there and
 * parsing the result. Text with escapes is left to the parser. Engines whose chunks never repeat (usage or timings in
 * each) are given up on after a few tries.
 */
import { readChunk, type Chunk, type ChoiceDelta } from "./chunk.js";

/** No quote, no escape, no control character: as it stands in JSON, so it reads. */
const plain = /^[^"\\\p{Cc}]+$/u;
const stand = "~";
const mostTries = 4;

export class SameShape {
  #before = "";
  #after = "";
  #choice = -1;
  #tries = 0;

  /** Null when the event is not a chunk, as for `readChunk`. */
  read(data: string): Chunk | null {
    const text = this.#textIn(data);
    if (text !== null) return { choices: [fragment(this.#choice, text)], usage: undefined };
    const chunk = readChunk(data);
    if (chunk !== null && this.#tries < mostTries) this.#learn(data, chunk);
    return chunk;
  }

  #textIn(data: string): string | null {
    const end = data.length - this.#after.length;
    if (this.#choice < 0 || end <= this.#before.length) return null;
    if (!data.startsWith(this.#before) || !data.endsWith(this.#after)) return null;
    const text = data.slice(this.#before.length, end);
    return plain.test(text) ? text : null;
  }

  #learn(data: string, chunk: Chunk): void {
    const text = fragmentIn(chunk);
    if (text === null || !plain.test(text)) return;
    this.#tries += 1;
    const start = data.lastIndexOf(`"${text}"`) + 1;
    const [before, after] = [data.slice(0, start), data.slice(start + text.length)];
    const proof = readChunk(before + stand + after);
    if (proof === null || fragmentIn(proof) !== stand || text === stand) return;
    [this.#before, this.#after, this.#choice] = [before, after, chunk.choices[0]?.choice ?? -1];
  }
}

const fragment = (choice: number, text: string): ChoiceDelta => ({
  choice,
  text,
  reasoning: "",
  calls: [],
  finish: null,
  logprobs: undefined,
});

/** The text of a chunk that has nothing else; null for any other. */
function fragmentIn({ choices, usage }: Chunk): string | null {
  const [only, second] = choices;
  if (only === undefined || second !== undefined || usage !== undefined) return null;
  const { text, reasoning, calls, finish, logprobs, stoppedAt } = only;
  const isFragment =
    reasoning === "" &&
    calls.length === 0 &&
    finish === null &&
    logprobs === undefined &&
    stoppedAt === undefined;
  return isFragment ? text : null;
}
