/**
 * `POST /v1/rerank`, in the shape that Cohere, Jina, vLLM and llama-server share. The order of the statements that read a
 * request is the order of errors.
 */
import type { Usage } from "../core/chat/reply.js";
import type { Dialect, ParsedRequest, ReplyHead } from "./dialect.js";
import { errorBody } from "./error-body.js";
import type { Reader } from "./read-json.js";
import * as json from "./read-json.js";
import { maxInputs, notStreamed, taskRequest } from "./task-request.js";

export const rerank: Dialect = {
  idPrefix: "rerank-",
  read: readRerankRequest,
  reply: (head, request, [choice], usage) => rankedDocuments(head, request, choice?.scores ?? [], usage),
  stream: notStreamed,
  error: errorBody,
};

const resultCount = json.integer(1, 2 ** 31 - 1);

export function readRerankRequest(value: unknown): ParsedRequest {
  const body = json.bodyObject(value);
  const model = json.required(body, "model", json.nonEmptyString);
  const query = json.required(body, "query", json.nonEmptyString);
  const documents = json.required(body, "documents", readDocuments);
  const topN = json.optional(body, "top_n", resultCount) ?? documents.length;
  const returnsDocuments = json.optional(body, "return_documents", json.boolean) ?? false;
  return {
    chat: taskRequest(model, { type: "rank", query, documents }),
    ranking: { topN, returnsDocuments },
  };
}

const readDocuments: Reader<string[]> = (value, path) =>
  json.each(json.atMost(maxInputs, json.nonEmptyArray(value, path), path), path, document);

const document: Reader<string> = (value, path) => {
  if (typeof value === "string") return json.string(value, path);
  if (json.isObject(value)) return json.required(value, "text", json.string, path);
  throw json.wrongType(path, "a string or an object with 'text'", value);
};

/** The most relevant documents first. */
function rankedDocuments(
  { id, model }: ReplyHead,
  { chat: { task }, ranking }: ParsedRequest,
  scores: readonly number[],
  { promptTokens }: Usage,
): object {
  const documents = task?.type === "rank" && ranking?.returnsDocuments === true ? task.documents : undefined;
  const results = scores
    .map((relevance_score, index) => ({ index, relevance_score }))
    .sort((a, b) => b.relevance_score - a.relevance_score)
    .slice(0, ranking?.topN)
    .map((result) => ({ ...result, ...(documents && { document: { text: documents[result.index] } }) }));
  const usage = { prompt_tokens: promptTokens, total_tokens: promptTokens };
  return { id, object: "list", model, results, usage };
}
