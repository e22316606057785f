/** `POST /v1/chat/completions`. */
import type { Dialect } from "../dialect.js";
import { errorBody } from "../error-body.js";
import { parseChatRequest } from "./request.js";
import { chatCompletion } from "./response.js";
import { chunkWriter } from "./stream.js";

export const chatCompletions: Dialect = {
  idPrefix: "chatcmpl-",
  read: (body) => ({ chat: parseChatRequest(body) }),
  reply: (head, { chat }, choices, usage) => chatCompletion(head, chat, choices, usage),
  stream: (head, { chat }) => chunkWriter(head, chat.includeUsage),
  error: errorBody,
};
