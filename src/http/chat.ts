/**
 * `POST /v1/chat/completions`. Every fault up to the first text or end of the reply is an HTTP status; a
 * stream that is already open gets it as its last event, without `[DONE]`.
 *
 * The generator of a completion holds a sequence, a lease and reserved tokens. It is always run to its end or
 * returned, and that is waited for: its `finally` gives them back.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { CompletionEvent } from "../core/completion.js";
import type { ChatRequest } from "../protocol/chat.js";
import { parseChatRequest } from "../protocol/chat-request.js";
import {
  chatCompletion,
  chunkMaker,
  type ChatCompletion,
  type ChatCompletionChunk,
  type ReplyHead,
} from "../protocol/chat-response.js";
import { errorBody } from "../protocol/errors.js";
import { callerOf } from "./auth.js";
import { readJson } from "./body.js";
import { faultOf } from "./errors.js";
import { idle, withIdleTicks } from "./idle-ticks.js";
import { newCompletionId } from "./ids.js";
import { defaultKeepAliveMs, defaultTimeouts, type HttpParts } from "./parts.js";
import { writeRate } from "./rate-headers.js";
import { EventStream } from "./sse.js";

type Events = AsyncGenerator<CompletionEvent, void, undefined>;

export function createChatCompletion(parts: HttpParts) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<ChatCompletion | undefined> => {
    const { signal, trace } = request.exchange;
    const chat = parseChatRequest(await readJson(request, reply, parts.config.bodyLimitBytes));
    request.exchange.stream = chat.stream;

    const events = parts.completions.run(chat, callerOf(request), signal, trace);
    try {
      const admitted = await firstOf(events);
      writeRate(reply, "tokens", admitted.tokenRates);
      const head = {
        id: newCompletionId(),
        created: Math.floor(parts.clock.now().getTime() / 1000),
        model: admitted.model,
      };
      if (!chat.stream) return await toCompletion(events, head);
      await sendStream(parts, request, reply, toChunks(events, head, chat));
    } finally {
      await events.return();
    }
  };
}

async function firstOf(events: Events) {
  const first = await events.next();
  if (first.done !== true && first.value.type === "admitted") return first.value;
  throw new Error("A completion begins with its admission.");
}

async function toCompletion(events: Events, head: ReplyHead): Promise<ChatCompletion> {
  let text = "";
  let completion: ChatCompletion | undefined;
  for await (const event of events) {
    if (event.type === "text") text += event.text;
    if (event.type === "done") completion = chatCompletion(head, text, event.finishReason, event.usage);
  }
  if (completion === undefined) throw new Error("A completion ends with its usage.");
  return completion;
}

async function* toChunks(
  events: Events,
  head: ReplyHead,
  { includeUsage }: ChatRequest,
): AsyncGenerator<ChatCompletionChunk, void, undefined> {
  const make = chunkMaker(head, includeUsage);
  let begun = false;
  for await (const event of events) {
    if (event.type === "text" && event.text !== "") {
      yield begun ? make.text(event.text) : make.first(event.text);
      begun = true;
    }
    if (event.type === "done") {
      if (!begun) yield make.first("");
      yield make.finish(event.finishReason);
      if (includeUsage) yield make.usage(event.usage);
    }
  }
}

async function sendStream(
  { keepAliveMs = defaultKeepAliveMs, timeouts, log }: HttpParts,
  request: FastifyRequest,
  reply: FastifyReply,
  chunks: AsyncIterable<ChatCompletionChunk>,
): Promise<void> {
  const stallMs = timeouts?.stallMs ?? defaultTimeouts.stallMs;
  const stream = new EventStream(reply, request.exchange.signal, stallMs);
  try {
    for await (const chunk of withIdleTicks(chunks, keepAliveMs)) {
      if (chunk === idle) await stream.keepAlive();
      else await stream.data(chunk);
    }
    await stream.data("[DONE]");
    stream.end();
  } catch (error) {
    if (!stream.opened) throw error;
    const fault = faultOf(error, request, log);
    if (fault !== null) stream.end(errorBody(fault));
  }
}
