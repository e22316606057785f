/**
 * One streamed reply for the playground, authenticated by session. Yields reasoning, text and calls as they arrive,
 * then the finish reason and usage. A refusal, an error inside the stream and a stream that is cut off are all thrown
 * as `ApiError`;
 * aborting ends it with the signal's reason. Nothing of it is kept here.
 */
import type { ChatCompletionChunk } from "../../src/protocol/chat-completions/stream.js";
import type { FinishReason } from "../../src/core/chat/reply.js";
import type { ErrorBody } from "../../src/protocol/error-body.js";
import { ApiError, connectionFailure, refusal } from "./request.ts";
import { readEvents } from "./sse.ts";

/** The fields of a request that the playground sets; those left out take the service's defaults. */
export interface ChatBody {
  model: string;
  messages: SentMessage[];
  tools?: readonly object[];
  tool_choice?: "none" | "required" | { type: "function"; function: { name: string } };
  reasoning_effort?: string;
  temperature?: number;
  top_p?: number;
  max_tokens?: number;
  frequency_penalty?: number;
  presence_penalty?: number;
  stop?: string[];
}

export type SentMessage =
  | { role: "system" | "user"; content: string }
  | {
      role: "assistant";
      content: string | null;
      reasoning_content?: string;
      tool_calls?: { id: string; type: "function"; function: { name: string; arguments: string } }[];
    }
  | { role: "tool"; tool_call_id: string; content: string };

export type ChatPart =
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  /** A call begins; `index` tells the calls of one reply apart. */
  | { type: "call"; index: number; id: string; name: string }
  /** A fragment of the arguments of the call with this index. */
  | { type: "arguments"; index: number; text: string }
  | { type: "end"; reason: FinishReason }
  | { type: "usage"; promptTokens: number; completionTokens: number };

/** `team` is the one that it is for; null for one's own account. */
export async function* streamChat(
  team: string | null,
  body: ChatBody,
  signal: AbortSignal,
): AsyncGenerator<ChatPart> {
  const response = await fetch(team === null ? "/api/playground" : `/api/teams/${team}/playground`, {
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
  if (choice !== undefined) yield* contentOf(choice.delta);
  if (choice !== undefined && choice.finish_reason !== null)
    yield { type: "end", reason: choice.finish_reason };
  if (event.usage !== undefined && event.usage !== null) {
    const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = event.usage;
    yield { type: "usage", promptTokens, completionTokens };
  }
}

type Delta = NonNullable<ChatCompletionChunk["choices"][0]>["delta"];

function* contentOf(delta: Delta): Generator<ChatPart> {
  const { reasoning_content: reasoning = "", content, tool_calls: calls } = delta;
  if (reasoning !== "") yield { type: "reasoning", text: reasoning };
  const text = content ?? "";
  if (text !== "") yield { type: "text", text };
  for (const call of calls ?? []) {
    const { index } = call;
    if ("id" in call) yield { type: "call", index, id: call.id, name: call.function.name };
    if (call.function.arguments !== "") yield { type: "arguments", index, text: call.function.arguments };
  }
}

function lostConnection(signal: AbortSignal): () => never {
  return () => {
    signal.throwIfAborted();
    throw new ApiError("unavailable", connectionFailure("The connection to the service was lost."), 0);
  };
}
