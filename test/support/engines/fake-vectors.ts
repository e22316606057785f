/** Vectors and scores without a model: texts are alike by the words that they share. */
import { createHash } from "node:crypto";
import type { TaskEvent } from "../../../src/core/chat/reply.js";
import type { VectorInput, VectorTask } from "../../../src/core/chat/request.js";

export const fakeDimensions = 64;

export function fakeResult(task: VectorTask): TaskEvent {
  if (task.type === "rank") {
    const asked = new Set(wordsOf(task.query));
    const scores = task.documents.map((text) => wordsOf(text).filter((word) => asked.has(word)).length);
    return { type: "scores", choice: 0, scores };
  }
  const vectors = task.inputs.map((input) => fakeVector(input, task.dimensions));
  return { type: "vectors", choice: 0, vectors };
}

/** One for each word, or as many as were sent; a query counts with every document. */
export function fakeTokens(task: VectorTask): number[] {
  if (task.type === "embed") return task.inputs.map((input) => wordsOf(input).length);
  const ofQuery = wordsOf(task.query).length;
  return task.documents.map((document) => ofQuery + wordsOf(document).length);
}

export function fakeVector(input: VectorInput, dimensions = fakeDimensions): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const word of wordsOf(input)) {
    const place = createHash("sha256").update(word).digest().readUInt32LE() % dimensions;
    vector[place] = (vector[place] ?? 0) + 1;
  }
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}

export const cosine = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);

const wordsOf = (input: VectorInput): string[] =>
  typeof input === "string" ? (input.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) : input.map(String);
