/** `POST /v1/completions`: text that continues a prompt, without a conversation around it. */
import type { Dialect } from "../dialect.js";
import { errorBody } from "../error-body.js";
import { completionsError } from "./errors.js";
import { completionWriter, textCompletion } from "./reply.js";
import { parseCompletionRequest } from "./request.js";

export const completions: Dialect = {
  idPrefix: "cmpl-",
  read: parseCompletionRequest,
  reply: textCompletion,
  stream: completionWriter,
  error: (error) => errorBody(completionsError(error)),
};
