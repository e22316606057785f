/** `POST /v1/rerank`, in the shape that Cohere, Jina, vLLM and llama-server share. */
import type { Dialect } from "../dialect.js";
import { errorBody } from "../error-body.js";
import { notStreamed } from "../task-request.js";
import { readRerankRequest } from "./request.js";
import { rankedDocuments } from "./response.js";

export const rerank: Dialect = {
  idPrefix: "rerank-",
  read: readRerankRequest,
  reply: (head, request, [choice], usage) => rankedDocuments(head, request, choice?.scores ?? [], usage),
  stream: notStreamed,
  error: errorBody,
};
