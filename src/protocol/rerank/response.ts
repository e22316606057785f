/** The reply of `POST /v1/rerank`: the most relevant documents first. */
import type { Usage } from "../../core/chat/reply.js";
import type { ParsedRequest, ReplyHead } from "../dialect.js";

export function rankedDocuments(
  { id, model }: ReplyHead,
  { chat: { task }, ranking }: ParsedRequest,
  scores: readonly number[],
  { promptTokens }: Usage,
): object {
  const documents = task?.type === "rank" && ranking?.returnsDocuments === true ? task.documents : undefined;
  const results = scores
    .map((relevance_score, index) => ({ index, relevance_score }))
    .sort((a, b) => b.relevance_score - a.relevance_score)
    .slice(0, ranking?.topN)
    .map((result) => ({ ...result, ...(documents && { document: { text: documents[result.index] } }) }));
  const usage = { prompt_tokens: promptTokens, total_tokens: promptTokens };
  return { id, object: "list", model, results, usage };
}
