/** `POST /v1/messages` and `POST /v1/messages/count_tokens`: Anthropic's Messages API. */
import type { Dialect } from "../dialect.js";
import { messagesError } from "./errors.js";
import { readCountRequest, readMessagesRequest } from "./request.js";
import { message } from "./response.js";
import { messageWriter } from "./stream.js";

export const messages: Dialect = {
  idPrefix: "msg_",
  images: "omit",
  read: readMessagesRequest,
  reply: (head, { chat }, choices, usage) => message(head, chat, choices, usage),
  stream: (head, { chat }) => messageWriter(head, chat),
  error: messagesError,
};

/** Reads what is to be counted. There is no reply to write. */
export const countTokens: Dialect = { ...messages, read: readCountRequest };
