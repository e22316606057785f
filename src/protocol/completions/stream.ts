/** The chunks of a streamed reply. */
import type { FinishReason, ReplyEvent } from "../../core/chat/reply.js";
import { wireUsage, type WireUsage } from "../chat-completions/response.js";
import type { ParsedRequest, ReplyHead, StreamWriter } from "../dialect.js";
import { errorBody } from "../error-body.js";
import { completionsError } from "./errors.js";
import { LogprobWriter } from "./logprobs.js";
import { echoOf, type TextChoice } from "./response.js";

export interface TextCompletionChunk {
  id: string;
  object: "text_completion";
  created: number;
  model: string;
  choices: [TextChoice<FinishReason | null>] | [];
  /** Only where the client asked for it: null on every chunk but the last. */
  usage?: WireUsage | null;
}

export function completionWriter(head: Readonly<ReplyHead>, request: ParsedRequest): StreamWriter {
  const { includeUsage } = request.chat;
  const chunk = (choices: TextCompletionChunk["choices"]): TextCompletionChunk => ({
    id: head.id,
    object: "text_completion",
    created: head.created,
    model: head.model,
    choices,
    ...(includeUsage ? { usage: null } : {}),
  });
  const begun = new Set<number>();
  /** What stands before the text of a choice. */
  const beginningOf = (choice: number): string => {
    if (begun.has(choice)) return "";
    begun.add(choice);
    return echoOf(request, choice);
  };
  const writers = new Map<number, LogprobWriter>();
  const logprobsOf = ({ choice, logprobs }: Extract<ReplyEvent, { type: "text" }>) => {
    if (logprobs === undefined) return null;
    const writer = writers.get(choice) ?? new LogprobWriter();
    writers.set(choice, writer);
    return writer.write(logprobs);
  };
  const chunksOf = (event: ReplyEvent): TextCompletionChunk[] => {
    switch (event.type) {
      case "text": {
        const text = beginningOf(event.choice) + event.text;
        const logprobs = logprobsOf(event);
        if (text === "" && logprobs === null) return [];
        return [chunk([{ index: event.choice, text, logprobs, finish_reason: null }])];
      }
      case "finished": {
        const { choice, finishReason } = event;
        return [
          chunk([{ index: choice, text: beginningOf(choice), logprobs: null, finish_reason: finishReason }]),
        ];
      }
      case "done":
        return includeUsage ? [{ ...chunk([]), usage: wireUsage(event.usage) }] : [];
      case "reasoning":
      case "call":
      case "arguments":
        // A reply to a raw prompt has none.
        return [];
    }
  };
  return {
    write: (event) => chunksOf(event).map((data) => ({ data })),
    end: () => [{ data: "[DONE]" }],
    fail: (error) => [{ data: errorBody(completionsError(error)) }],
  };
}
