/**
 * `POST /v1/responses`: one reply to one request. Nothing is stored, whatever `store` says; without `store: false`, the
 * items of the reply stay in memory for a while (src/core/serving/recent-items.ts).
 */
import type { ReplyChoice } from "../../core/chat/reply.js";
import type { Dialect } from "../dialect.js";
import { errorBody } from "../error-body.js";
import { compactedResponse } from "./compaction.js";
import { responsesError } from "./errors.js";
import { readCompactRequest, readResponseRequest, resolveItems } from "./request.js";
import { responseEventWriter, wholeResponse } from "./stream.js";

export const responses: Dialect = {
  idPrefix: "resp_",
  images: "omit",
  read: readResponseRequest,
  resolve: resolveItems,
  reply: (head, request, choices, usage) => wholeResponse(head, request, only(choices), usage),
  stream: responseEventWriter,
  error: (error) => errorBody(responsesError(error)),
};

/** `POST /v1/responses/compact`, which is never streamed. */
export const compactResponses: Dialect = {
  ...responses,
  read: readCompactRequest,
  reply: (head, request, choices, usage) => compactedResponse(head, request, only(choices), usage),
};

function only([choice]: readonly ReplyChoice[]): ReplyChoice {
  if (choice === undefined) throw new Error("A reply has a choice.");
  return choice;
}
