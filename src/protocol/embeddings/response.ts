/** The reply of `POST /v1/embeddings`. */
import type { Usage } from "../../core/chat/reply.js";
import { vectorTexts } from "../vector-texts.js";

export type VectorEncoding = "float" | "base64";

export async function embeddingList(
  model: string,
  vectors: readonly Float32Array[],
  usage: Usage,
  encoding: VectorEncoding,
): Promise<string> {
  const items = await vectorTexts(vectors, (vector, index) => ({
    object: "embedding",
    index,
    embedding: encoding === "base64" ? base64(vector) : Array.from(vector),
  }));
  const { promptTokens } = usage;
  const rest = { model, usage: { prompt_tokens: promptTokens, total_tokens: promptTokens } };
  return `{"object":"list","data":[${items.join(",")}],${JSON.stringify(rest).slice(1)}`;
}

/** Float32, little-endian, which every machine that this runs on is. */
const base64 = ({ buffer, byteOffset, byteLength }: Float32Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString("base64");
