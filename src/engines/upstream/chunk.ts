/** One chunk of an engine's stream: a delta for each choice, and the usage where it has it. */
import type { FinishReason, ReplyLogprob, TokenLogprob, Usage } from "../../core/chat/reply.js";
import { isObject, type JsonObject } from "../../protocol/read-json.js";
import { countOf, listOf, objectOf, parseObject, textOf } from "./json-value.js";

export interface ChoiceDelta {
  choice: number;
  text: string;
  reasoning: string;
  calls: CallDelta[];
  /** `failed`: the engine aborted the choice. */
  finish: FinishReason | "failed" | null;
  logprobs: ReplyLogprob[] | undefined;
  /** The stop sequence at which the engine stopped, where it reports it. */
  stoppedAt?: string | undefined;
}

/** A delta of a call. What the engine left out is empty. */
export interface CallDelta {
  index: number | undefined;
  id: string;
  name: string;
  arguments: string;
}

export interface Chunk {
  choices: ChoiceDelta[];
  usage: Usage | undefined;
}

/** Null when the event is not a chunk: invalid, or the engine's report of a failure. */
export function readChunk(data: string): Chunk | null {
  const chunk = parseObject(data);
  // Failures come as {"error": …}, or as vLLM's {"object": "error", …}. A chunk always has its list of choices.
  if (chunk === null || !Array.isArray(chunk.choices)) return null;
  if (chunk.error !== undefined && chunk.error !== null) return null;
  const choices: ChoiceDelta[] = [];
  for (const item of listOf(chunk.choices)) {
    if (!isObject(item)) return null;
    choices.push(readChoice(item));
  }
  return { choices, usage: readUsage(chunk.usage) };
}

/** The same of an event of llama-server's `/infill`, which has a shape of its own. */
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

function readChoice(choice: JsonObject): ChoiceDelta {
  const delta = objectOf(choice.delta);
  return {
    choice: countOf(choice.index) ?? 0,
    // Of a reply to a raw prompt, the text is the choice's own.
    text: textOf(delta.content) ?? textOf(choice.text) ?? "",
    // vLLM up to 0.10, SGLang, llama-server; vLLM from then on, Ollama. Those that send both send the same in both.
    reasoning: textOf(delta.reasoning_content) ?? textOf(delta.reasoning) ?? "",
    calls: listOf(delta.tool_calls).filter(isObject).map(readCall),
    finish: readFinish(choice.finish_reason),
    logprobs: isObject(choice.logprobs) ? readLogprobs(choice.logprobs) : undefined,
    // vLLM; SGLang. Both give a number when a token rather than a sequence ended the reply.
    stoppedAt: textOf(choice.stop_reason) ?? textOf(choice.matched_stop),
  };
}

function readCall(call: JsonObject): CallDelta {
  const called = objectOf(call.function);
  const given = called.arguments;
  return {
    index: countOf(call.index),
    id: textOf(call.id) ?? "",
    name: textOf(called.name) ?? "",
    // Some engines send the parsed value instead of the text.
    arguments: typeof given === "object" && given !== null ? JSON.stringify(given) : (textOf(given) ?? ""),
  };
}

const stopReasons = new Set<unknown>(["stop", "eos", "eos_token", "stop_sequence"]);
const callReasons = new Set<unknown>(["tool_calls", "function_call"]);

/** `abort`, `error`, `content_filter`: none of them is the reply that was asked for. */
function readFinish(reason: unknown): ChoiceDelta["finish"] {
  if (reason === undefined || reason === null || reason === "") return null;
  if (stopReasons.has(reason)) return "stop";
  if (callReasons.has(reason)) return "tool_calls";
  return reason === "length" ? "length" : "failed";
}

function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const promptTokens = countOf(value.prompt_tokens);
  const completionTokens = countOf(value.completion_tokens);
  if (promptTokens === undefined || completionTokens === undefined) return undefined;
  const cached = countOf(objectOf(value.prompt_tokens_details).cached_tokens) ?? 0;
  const reasoning =
    countOf(objectOf(value.completion_tokens_details).reasoning_tokens) ??
    // SGLang.
    countOf(value.reasoning_tokens) ??
    0;
  return {
    promptTokens,
    completionTokens,
    cachedTokens: Math.min(cached, promptTokens),
    reasoningTokens: Math.min(reasoning, completionTokens),
  };
}

function readLogprobs(logprobs: JsonObject): ReplyLogprob[] | undefined {
  // llama-server has this shape for raw prompts, too.
  if (Array.isArray(logprobs.content)) return readTokens(logprobs.content);
  return Array.isArray(logprobs.tokens) ? readTokenLists(logprobs) : undefined;
}

const readTokens = (list: unknown): ReplyLogprob[] =>
  listOf(list)
    .filter(isObject)
    .map((token) => ({
      ...readToken(token),
      top: listOf(token.top_logprobs).filter(isObject).map(readToken),
    }));

/** Of a reply to a raw prompt: lists side by side. */
function readTokenLists({ tokens, token_logprobs, top_logprobs }: JsonObject): ReplyLogprob[] {
  const [logprobs, tops] = [listOf(token_logprobs), listOf(top_logprobs)];
  return listOf(tokens).map((token, index) => ({
    ...readToken({ token, logprob: logprobs[index] }),
    top: Object.entries(objectOf(tops[index]))
      .map(([other, logprob]) => readToken({ token: other, logprob }))
      .sort((a, b) => b.logprob - a.logprob),
  }));
}

function readToken(token: JsonObject): TokenLogprob {
  const text = textOf(token.token) ?? "";
  const bytes = listOf(token.bytes)
    .flatMap((byte) => countOf(byte) ?? [])
    .filter((byte) => byte < 256);
  const logprob = typeof token.logprob === "number" && Number.isFinite(token.logprob) ? token.logprob : -9999;
  return { token: text, bytes: bytes.length > 0 ? bytes : [...Buffer.from(text)], logprob };
}
