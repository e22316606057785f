/** One event of llama-server's `/infill`, which has a shape of its own, as a chunk of a reply. */
import type { FinishReason, Usage } from "../../core/chat/reply.js";
import type { JsonObject } from "../../protocol/read-json.js";
import { type Chunk, readTokens } from "./chunk.js";
import { countOf, parseObject, textOf } from "./json-value.js";

/** Null when the event is something else: invalid, or the engine's report of a failure. */
export function readInfillEvent(data: string): Chunk | null {
  const event = parseObject(data);
  if (event === null || typeof event.content !== "string") return null;
  const isLast = event.stop === true;
  const probabilities = event.completion_probabilities;
  return {
    choices: [
      {
        choice: 0,
        text: event.content,
        reasoning: "",
        calls: [],
        finish: isLast ? finishOf(event) : null,
        logprobs: Array.isArray(probabilities) ? readTokens(probabilities) : undefined,
        stoppedAt: textOf(event.stopping_word),
      },
    ],
    usage: isLast ? usageOf(event) : undefined,
  };
}

const finishOf = ({ stop_type }: JsonObject): FinishReason => (stop_type === "limit" ? "length" : "stop");

/** Of the cache, which is switched off, it counts the tokens that are in it afterwards. */
function usageOf({ tokens_evaluated, tokens_predicted }: JsonObject): Usage | undefined {
  const [promptTokens, completionTokens] = [countOf(tokens_evaluated), countOf(tokens_predicted)];
  if (promptTokens === undefined || completionTokens === undefined) return undefined;
  return { promptTokens, completionTokens, cachedTokens: 0, reasoningTokens: 0 };
}
