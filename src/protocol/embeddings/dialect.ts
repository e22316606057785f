/** `POST /v1/embeddings`. */
import type { Dialect } from "../dialect.js";
import { errorBody } from "../error-body.js";
import { notStreamed } from "../task-request.js";
import { readEmbeddingsRequest } from "./request.js";
import { embeddingList } from "./response.js";

export const embeddings: Dialect = {
  idPrefix: "embd-",
  read: readEmbeddingsRequest,
  reply: ({ model }, { vectorEncoding }, [choice], usage) =>
    embeddingList(model, choice?.vectors ?? [], usage, vectorEncoding ?? "float"),
  stream: notStreamed,
  error: errorBody,
};
