/**
 * From the JSON bodies of `POST /api/embed` and the older `POST /api/embeddings` to a `ChatRequest` with a task. An input
 * that is too long is refused, also with `truncate`: half of a text has another meaning.
 */
import type { ParsedRequest } from "../dialect.js";
import type { JsonObject, Reader } from "../read-json.js";
import * as json from "../read-json.js";
import { maxInputs, taskRequest } from "../task-request.js";
import { modelName } from "./model-name.js";

const dimensions = json.integer(1, 2 ** 16);

export function readEmbedRequest(value: unknown): ParsedRequest {
  const body = json.bodyObject(value);
  const model = json.required(body, "model", modelName);
  const inputs = json.required(body, "input", texts);
  return { chat: taskRequest(model, { type: "embed", inputs, dimensions: readDimensions(body) }) };
}

export function readEmbeddingsRequest(value: unknown): ParsedRequest {
  const body = json.bodyObject(value);
  const model = json.required(body, "model", modelName);
  const inputs = [json.required(body, "prompt", json.nonEmptyString)];
  return { chat: taskRequest(model, { type: "embed", inputs, dimensions: undefined }) };
}

/** 0 is what clients send that leave it out. */
function readDimensions(body: JsonObject): number | undefined {
  return body.dimensions === 0 ? undefined : json.optional(body, "dimensions", dimensions);
}

const texts: Reader<string[]> = (value, path) => {
  if (typeof value === "string") return [json.nonEmptyString(value, path)];
  if (!Array.isArray(value)) throw json.wrongType(path, "a string or an array of strings", value);
  return json
    .atMost(maxInputs, json.nonEmptyArray(value, path), path)
    .map((text, index) => json.nonEmptyString(text, `${path}[${index}]`));
};
