/** `POST /v1/chat/completions`. */
import type { Dialect } from "../dialect.js";
import { errorBody } from "../error-body.js";
import { imageSizes } from "../images.js";
import { parseChatRequest } from "./request.js";
import { chatCompletion } from "./response.js";
import { chunkWriter } from "./stream.js";

export const chatCompletions: Dialect = {
  idPrefix: "chatcmpl-",
  images: "refuse",
  read: (body) => {
    const chat = parseChatRequest(body);
    return { chat, ...imageSizes(chat.messages, "messages") };
  },
  reply: (head, { chat }, choices, usage) => chatCompletion(head, chat, choices, usage),
  stream: (head, { chat }) => chunkWriter(head, chat),
  error: errorBody,
};
