/**
 * From the JSON bodies of `POST /api/embed` and the older `POST /api/embeddings` to a `ChatRequest` with a task. An input
 * that is too long is refused, also with `truncate`: half of a text has another meaning.
 */
import type { ParsedRequest } from "../dialect.js";
import {
  atMost,
  bodyObject,
  integer,
  nonEmptyArray,
  nonEmptyString,
  optional,
  required,
  wrongType,
  type JsonObject,
  type Reader,
} from "../read-json.js";
import { maxInputs, taskRequest } from "../task-request.js";
import { modelName } from "./model-name.js";

const dimensions = integer(1, 2 ** 16);

export function readEmbedRequest(value: unknown): ParsedRequest {
  const body = bodyObject(value);
  const model = required(body, "model", modelName);
  const inputs = required(body, "input", texts);
  return { chat: taskRequest(model, { type: "embed", inputs, dimensions: readDimensions(body) }) };
}

export function readEmbeddingsRequest(value: unknown): ParsedRequest {
  const body = bodyObject(value);
  const model = required(body, "model", modelName);
  const inputs = [required(body, "prompt", nonEmptyString)];
  return { chat: taskRequest(model, { type: "embed", inputs, dimensions: undefined }) };
}

/** 0 is what clients send that leave it out. */
function readDimensions(body: JsonObject): number | undefined {
  return body.dimensions === 0 ? undefined : optional(body, "dimensions", dimensions);
}

const texts: Reader<string[]> = (value, path) => {
  if (typeof value === "string") return [nonEmptyString(value, path)];
  if (!Array.isArray(value)) throw wrongType(path, "a string or an array of strings", value);
  return atMost(maxInputs, nonEmptyArray(value, path), path).map((text, index) =>
    nonEmptyString(text, `${path}[${index}]`),
  );
};
