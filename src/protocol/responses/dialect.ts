/**
 * `POST /v1/responses`: one reply to one request. Nothing is stored, whatever `store` says; without `store: false`, the
 * items of the reply stay in memory for a while (src/core/serving/recent-items.ts).
 */
import type { Dialect } from "../dialect.js";
import { errorBody } from "../error-body.js";
import { responsesError } from "./errors.js";
import { readResponseRequest, resolveItems } from "./request.js";
import { responseEventWriter, wholeResponse } from "./stream.js";

export const responses: Dialect = {
  idPrefix: "resp_",
  images: "omit",
  read: readResponseRequest,
  resolve: resolveItems,
  reply: (head, request, [choice], usage) => {
    if (choice === undefined) throw new Error("A reply has a choice.");
    return wholeResponse(head, request, choice, usage);
  },
  stream: responseEventWriter,
  error: (error) => errorBody(responsesError(error)),
};
