/**
 * One streamed reply of the playground, by session. Yields the text as it comes, then why it ended and what
 * it used. A refusal, an error inside the stream and a stream that is cut off are all thrown as `ApiError`;
 * aborting ends it with the signal's reason. Nothing of it is kept here.
 */
import type { ChatCompletionChunk } from "../../src/protocol/chat-response.js";
import type { FinishReason } from "../../src/protocol/chat.js";
import type { ErrorBody } from "../../src/protocol/errors.js";
import { ApiError, connectionFailure, refusal } from "./request.ts";
import { readEvents } from "./sse.ts";

/** The fields of a request that the playground sets; those left out take the service's defaults. */
export interface ChatBody {
  model: string;
  messages: { role: "system" | "user" | "assistant"; content: string }[];
  temperature?: number;
  top_p?: number;
  max_tokens?: number;
  frequency_penalty?: number;
  presence_penalty?: number;
  stop?: string[];
}

export type ChatPart =
  | { type: "text"; text: string }
  | { type: "end"; reason: FinishReason }
  | { type: "usage"; promptTokens: number; completionTokens: number };

export async function* streamChat(body: ChatBody, signal: AbortSignal): AsyncGenerator<ChatPart> {
  const response = await fetch("/api/playground", {
    method: "POST",
    credentials: "same-origin",
    cache: "no-store",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...body, stream: true, stream_options: { include_usage: true } }),
    signal,
  }).catch(lostConnection(signal));
  if (!response.ok || response.body === null) throw await refusal(response);

  const events = readEvents(response.body);
  for (;;) {
    const { done, value } = await events.next().catch(lostConnection(signal));
    if (done === true) throw new ApiError("unavailable", "The reply was cut off.", 0);
    if (value === "[DONE]") return;
    yield* partsOf(JSON.parse(value) as ChatCompletionChunk | ErrorBody);
  }
}

function* partsOf(event: ChatCompletionChunk | ErrorBody): Generator<ChatPart> {
  if ("error" in event) throw new ApiError("unavailable", event.error.message, 200);
  const [choice] = event.choices;
  const text = choice?.delta.content ?? "";
  if (text !== "") yield { type: "text", text };
  if (choice !== undefined && choice.finish_reason !== null)
    yield { type: "end", reason: choice.finish_reason };
  if (event.usage !== undefined && event.usage !== null) {
    const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = event.usage;
    yield { type: "usage", promptTokens, completionTokens };
  }
}

function lostConnection(signal: AbortSignal): () => never {
  return () => {
    signal.throwIfAborted();
    throw new ApiError("unavailable", connectionFailure("The connection to the service was lost."), 0);
  };
}
