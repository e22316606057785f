/** The reply of `POST /v1/embeddings`. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Usage } from "../../core/chat/reply.js";

export type VectorEncoding = "float" | "base64";

/** Written in about a millisecond. */
const numbersAtOnce = 8192;

/** As JSON text. Two thousand vectors are a million numbers: other requests get their turn between some of them. */
export async function embeddingList(
  model: string,
  vectors: readonly Float32Array[],
  usage: Usage,
  encoding: VectorEncoding,
): Promise<string> {
  const items: string[] = [];
  let written = 0;
  for (const [index, vector] of vectors.entries()) {
    const embedding = encoding === "base64" ? base64(vector) : Array.from(vector);
    items.push(JSON.stringify({ object: "embedding", index, embedding }));
    written += vector.length;
    if (written < numbersAtOnce) continue;
    written = 0;
    await nextTurn();
  }
  const { promptTokens } = usage;
  const rest = { model, usage: { prompt_tokens: promptTokens, total_tokens: promptTokens } };
  return `{"object":"list","data":[${items.join(",")}],${JSON.stringify(rest).slice(1)}`;
}

/** Float32, little-endian, which every machine that this runs on is. */
const base64 = ({ buffer, byteOffset, byteLength }: Float32Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString("base64");
