import { setImmediate as nextTurn } from "node:timers/promises";

/** Written in about a millisecond. */
const numbersAtOnce = 8192;

/** As JSON texts. Two thousand vectors are a million numbers: other requests get their turn between some of them. */
export async function vectorTexts(
  vectors: readonly Float32Array[],
  wire: (vector: Float32Array, index: number) => unknown,
): Promise<string[]> {
  const texts: string[] = [];
  let written = 0;
  for (const [index, vector] of vectors.entries()) {
    texts.push(JSON.stringify(wire(vector, index)));
    written += vector.length;
    if (written < numbersAtOnce) continue;
    written = 0;
    await nextTurn();
  }
  return texts;
}
