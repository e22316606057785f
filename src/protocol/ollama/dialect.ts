/** Ollama's API: `POST /api/chat`, `/api/generate`, `/api/embed` and `/api/embeddings`. */
import type { Dialect } from "../dialect.js";
import { ollamaError } from "./errors.js";
import { asMessage, asResponse, embeddings, oneEmbedding, wholeReply, type Wrap } from "./reply.js";
import { readChatRequest, readEmbeddingsRequest, readEmbedRequest, readGenerateRequest } from "./request.js";
import { lineWriter } from "./stream.js";

const replying = (wrap: Wrap): Omit<Dialect, "read"> => ({
  idPrefix: "",
  images: "refuse",
  streamFormat: "json-lines",
  reply: (head, request, choices, usage) => wholeReply(head, request, choices, usage, wrap),
  stream: (head) => lineWriter(head, wrap),
  error: ollamaError,
});

export const ollamaChat: Dialect = { ...replying(asMessage), read: readChatRequest };

export const ollamaGenerate: Dialect = { ...replying(asResponse), read: readGenerateRequest };

export const ollamaEmbed: Dialect = { ...ollamaChat, read: readEmbedRequest, reply: embeddings };

/** The older form: one text, one vector. */
export const ollamaEmbeddings: Dialect = {
  ...ollamaChat,
  read: readEmbeddingsRequest,
  reply: oneEmbedding,
};
