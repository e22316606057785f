/** From the JSON body of `POST /v1/embeddings` to a task. The order of the statements is the order of errors. */
import type { VectorInput } from "../../core/chat/request.js";
import type { ParsedRequest } from "../dialect.js";
import type { Reader } from "../read-json.js";
import * as json from "../read-json.js";
import { maxInputs, taskRequest } from "../task-request.js";

const encoding = json.oneOf("float", "base64");
const dimensionCount = json.integer(1, 2 ** 31 - 1);
const tokenNumber = json.integer(0, 2 ** 31 - 1);

export function readEmbeddingsRequest(value: unknown): ParsedRequest {
  const body = json.bodyObject(value);
  const model = json.required(body, "model", json.nonEmptyString);
  const inputs = json.required(body, "input", readInputs);
  const vectorEncoding = json.optional(body, "encoding_format", encoding) ?? "float";
  const dimensions = json.optional(body, "dimensions", dimensionCount);
  return { chat: taskRequest(model, { type: "embed", inputs, dimensions }), vectorEncoding };
}

/** A text, texts, the tokens of one, or the tokens of several. */
export const readInputs: Reader<VectorInput[]> = (value, path) => {
  if (typeof value === "string") return [json.nonEmptyString(value, path)];
  if (!Array.isArray(value)) throw json.wrongType(path, "a string or an array", value);
  const items = json.nonEmptyArray(value, path);
  if (typeof items[0] === "number") return [tokens(items, path)];
  return json.atMost(maxInputs, items, path).map((item, index) => input(item, `${path}[${index}]`));
};

const input: Reader<VectorInput> = (value, path) => {
  if (typeof value === "string") return json.nonEmptyString(value, path);
  if (Array.isArray(value)) return tokens(value, path);
  throw json.wrongType(path, "a string or an array of tokens", value);
};

const tokens: Reader<number[]> = (value, path) =>
  json
    .nonEmptyArray(json.array(value, path), path)
    .map((item, index) => tokenNumber(item, `${path}[${index}]`));
