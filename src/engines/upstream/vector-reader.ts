/** Reads vectors and scores from an engine's response, of whose shape nothing is assumed, and what a refusal means. */
import type { VectorTask } from "../../core/chat/request.js";
import { ServiceError } from "../../core/errors.js";
import { isObject } from "../../protocol/read-json.js";
import { unavailable } from "./failures.js";
import { countOf, listOf, objectOf } from "./json-value.js";

/** In the order of the inputs, each of length 1. */
export function readVectors(
  answer: unknown,
  count: number,
  dimensions: number | undefined,
): readonly Float32Array[] {
  const vectors = inOrder(objectOf(answer).data, count, ({ embedding }) => vectorOf(embedding));
  const lengths = new Set(vectors.map(({ length }) => length));
  if (lengths.size !== 1) throw invalid();
  // An engine that does not know the field ignores it.
  if (dimensions !== undefined && !lengths.has(dimensions)) throw unsupportedDimensions();
  return vectors.map(toUnitLength);
}

/** In the order of the documents. */
export const readScores = (answer: unknown, count: number): readonly number[] =>
  inOrder(objectOf(answer).results, count, ({ relevance_score }) =>
    typeof relevance_score === "number" && Number.isFinite(relevance_score) ? relevance_score : null,
  );

function inOrder<T>(
  value: unknown,
  count: number,
  read: (item: Record<string, unknown>) => T | null,
): readonly T[] {
  const items = new Map<number, T>();
  for (const item of listOf(value)) {
    const index = isObject(item) ? countOf(item.index) : undefined;
    const found = isObject(item) ? read(item) : null;
    if (index === undefined || index >= count || items.has(index) || found === null) throw invalid();
    items.set(index, found);
  }
  if (items.size !== count) throw invalid();
  return [...items].sort(([a], [b]) => a - b).map(([, item]) => item);
}

/** Numbers, or little-endian float32 as base64; null for anything else. */
function vectorOf(value: unknown): Float32Array | null {
  const vector = typeof value === "string" ? fromBase64(value) : fromNumbers(value);
  return vector !== null && vector.length > 0 && vector.every(Number.isFinite) ? vector : null;
}

function fromBase64(text: string): Float32Array | null {
  const bytes = Buffer.from(text, "base64");
  if (bytes.length % Float32Array.BYTES_PER_ELEMENT !== 0) return null;
  // A copy, since a buffer may begin anywhere in memory.
  return new Float32Array(new Uint8Array(bytes).buffer);
}

function fromNumbers(value: unknown): Float32Array | null {
  const numbers = listOf(value);
  return numbers.every((one) => typeof one === "number") ? Float32Array.from(numbers) : null;
}

function toUnitLength(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length === 0 ? vector : vector.map((value) => value / length);
}

const invalid = () => unavailable("INVALID_ANSWER");

/**
 * There is no such endpoint: the engine was started without it. A 404 that is about the model means a name that the
 * operator got wrong.
 */
export const lacksEndpoint = (status: number, text: string): boolean =>
  status === 501 || ((status === 404 || status === 405) && !/model/i.test(text));

/** The endpoint is there, and its model of another kind: vLLM. */
export const lacksModel = (status: number, text: string): boolean =>
  status === 400 && /does not support (?:the )?(?:embedding|rerank|score)/i.test(text);

export function unsupportedTask({ type }: VectorTask): ServiceError {
  const what = type === "embed" ? "compute embeddings" : "rank documents";
  return new ServiceError("unsupported_value", {
    message: `The engine behind this model does not ${what}.`,
    param: "model",
  });
}

export const unsupportedDimensions = (): ServiceError =>
  new ServiceError("unsupported_parameter", {
    message: "Unsupported parameter: 'dimensions'. The vectors of this model cannot be shortened.",
    param: "dimensions",
  });

export function tooLong({ type }: VectorTask, contextTokens: number, index?: number): ServiceError {
  const list = type === "embed" ? "input" : "documents";
  const param = index === undefined ? list : `${list}[${index}]`;
  const limit =
    contextTokens > 0
      ? `This model's maximum context length is ${contextTokens} tokens`
      : "This model's maximum context length is smaller than one of the texts";
  return new ServiceError("context_length_exceeded", {
    message: `${limit}, for each text of '${list}'. Shorten ${index === undefined ? "the longest" : `'${param}'`}, or split it.`,
    param,
  });
}
