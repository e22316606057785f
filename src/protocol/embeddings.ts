/** `POST /v1/embeddings`. The order of the statements that read a request is the order of errors. */
import type { Usage } from "../core/chat/reply.js";
import type { VectorInput } from "../core/chat/request.js";
import type { Dialect, ParsedRequest } from "./dialect.js";
import { errorBody } from "./error-body.js";
import type { Reader } from "./read-json.js";
import * as json from "./read-json.js";
import { maxInputs, notStreamed, taskRequest } from "./task-request.js";
import { vectorTexts } from "./vector-texts.js";

export const embeddings: Dialect = {
  idPrefix: "embd-",
  read: readEmbeddingsRequest,
  reply: ({ model }, { vectorEncoding }, [choice], usage) =>
    embeddingList(model, choice?.vectors ?? [], usage, vectorEncoding ?? "float"),
  stream: notStreamed,
  error: errorBody,
};

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
const readInputs: Reader<VectorInput[]> = (value, path) => {
  if (typeof value === "string") return [json.nonEmptyString(value, path)];
  if (!Array.isArray(value)) throw json.wrongType(path, "a string or an array", value);
  const items = json.nonEmptyArray(value, path);
  if (typeof items[0] === "number") return [tokens(items, path)];
  return json.each(json.atMost(maxInputs, items, path), path, input);
};

const input: Reader<VectorInput> = (value, path) => {
  if (typeof value === "string") return json.nonEmptyString(value, path);
  if (Array.isArray(value)) return tokens(value, path);
  throw json.wrongType(path, "a string or an array of tokens", value);
};

const tokens: Reader<number[]> = (value, path) =>
  json.each(json.nonEmptyArray(value, path), path, tokenNumber);

async function embeddingList(
  model: string,
  vectors: readonly Float32Array[],
  usage: Usage,
  encoding: "float" | "base64",
): Promise<string> {
  const items = await vectorTexts(vectors, (vector, index) => ({
    object: "embedding",
    index,
    embedding: encoding === "base64" ? base64(vector) : Array.from(vector),
  }));
  const { promptTokens } = usage;
  const rest = { model, usage: { prompt_tokens: promptTokens, total_tokens: promptTokens } };
  return `{"object":"list","data":[${items.join(",")}],${JSON.stringify(rest).slice(1)}`;
}

/** Float32, little-endian, which every machine that this runs on is. */
const base64 = ({ buffer, byteOffset, byteLength }: Float32Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString("base64");
