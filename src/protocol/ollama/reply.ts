/** Whole replies, and what they share with the lines of a stream. Durations are in nanoseconds. */
import type { FinishReason, ReplyChoice, Usage } from "../../core/chat/reply.js";
import type { ToolCall } from "../../core/chat/request.js";
import { joined, logprobsOf, wireLogprob } from "../chat-completions/response.js";
import type { ParsedRequest, ReplyHead } from "../dialect.js";
import { vectorTexts } from "../vector-texts.js";

/** Of a reply, or a part of one. */
export interface Piece {
  content?: string;
  thinking?: string;
  tool_calls?: readonly ReturnType<typeof wireCall>[];
}

/** Where an endpoint has the text. */
export type Wrap = (piece: Piece) => object;

export const asMessage: Wrap = ({ content = "", ...rest }) => ({
  message: { role: "assistant", content, ...rest },
});

export const asResponse: Wrap = ({ content = "", thinking }) => ({
  response: content,
  ...(thinking === undefined ? {} : { thinking }),
});

export function wholeReply(
  head: ReplyHead,
  { chat, loadsOnly }: ParsedRequest,
  [choice]: readonly ReplyChoice[],
  usage: Usage,
  wrap: Wrap,
): object {
  if (choice === undefined) throw new Error("A reply has a choice.");
  if (loadsOnly === true) return { ...lineHead(head), ...wrap({}), done: true, done_reason: "load" };
  const { parts } = choice;
  const thinking = joined(parts, "reasoning");
  const calls = parts.filter((part) => part.type === "call").map(wireCall);
  return {
    ...lineHead(head),
    ...wrap({
      content: joined(parts, "text"),
      ...(thinking === "" ? {} : { thinking }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    }),
    ...(chat.topLogprobs === undefined ? {} : { logprobs: logprobsOf(choice).map(wireLogprob) }),
    ...ending(head, choice.finishReason, usage),
  };
}

export const lineHead = ({ model, created }: Readonly<ReplyHead>) => ({
  model,
  created_at: new Date(created * 1000).toISOString(),
});

/** What the last line has. */
export function ending(head: Readonly<ReplyHead>, reason: FinishReason, usage: Usage) {
  const { beforeMs, promptMs, replyMs } = head.times?.() ?? noTimes;
  return {
    done: true,
    done_reason: reason === "length" ? "length" : "stop",
    total_duration: nanoseconds(beforeMs + promptMs + replyMs),
    load_duration: nanoseconds(beforeMs),
    prompt_eval_count: usage.promptTokens,
    prompt_eval_duration: nanoseconds(promptMs),
    eval_count: usage.completionTokens,
    eval_duration: nanoseconds(replyMs),
  };
}

const noTimes = { beforeMs: 0, promptMs: 0, replyMs: 0 };

const nanoseconds = (ms: number): number => Math.round(ms * 1e6);

export const wireCall = ({ id, name, arguments: text }: ToolCall, index: number) => ({
  id,
  function: { index, name, arguments: parsedArguments(text) ?? text },
});

/** Undefined where they are not JSON, as those of a call that was cut off. */
export function parsedArguments(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export async function embeddings(
  head: ReplyHead,
  _request: ParsedRequest,
  [choice]: readonly ReplyChoice[],
  usage: Usage,
): Promise<string> {
  const vectors = await vectorTexts(choice?.vectors ?? [], (vector) => Array.from(vector));
  const { total_duration, load_duration, prompt_eval_count } = ending(head, "stop", usage);
  const rest = { model: head.model, total_duration, load_duration, prompt_eval_count };
  return `{"embeddings":[${vectors.join(",")}],${JSON.stringify(rest).slice(1)}`;
}

export const oneEmbedding = (
  _head: ReplyHead,
  _request: ParsedRequest,
  [choice]: readonly ReplyChoice[],
): object => ({ embedding: Array.from(choice?.vectors?.[0] ?? []) });
