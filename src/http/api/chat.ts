/**
 * `POST /v1/chat/completions`. Every error up to the first text or end of the reply is an HTTP status; a
 * stream that is already open gets it as its last event, without `[DONE]`. While its model is being loaded, comments
 * open it before it is admitted.
 *
 * The generator of a completion holds a sequence, a lease and reserved tokens. It is always run to its end or
 * returned, and that is waited for: its `finally` gives them back.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { CompletionEvent } from "../../core/serving/completion.js";
import { ReaderTooSlow } from "../../core/ports.js";
import { ChoiceFold } from "../../core/serving/choice-fold.js";
import type { ChatRequest } from "../../protocol/chat.js";
import {
  chatCompletion,
  chunkMaker,
  type ChatCompletion,
  type ChatCompletionChunk,
  type ReplyHead,
} from "../../protocol/chat-completions/response.js";
import { errorBody } from "../../protocol/errors.js";
import { isModelId } from "../../protocol/models.js";
import { callerOf } from "../connection/caller.js";
import { errorOf } from "../errors.js";
import { newCompletionId } from "../connection/ids.js";
import { defaultKeepAliveMs, defaultTimeouts, type HttpParts } from "../parts.js";
import { writeRate } from "./rate-headers.js";
import { EventStream } from "./sse.js";

type Events = AsyncGenerator<CompletionEvent, void, undefined>;

export function createChatCompletion(parts: HttpParts) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<ChatCompletion | undefined> => {
    const { signal, trace, startedMs } = request.exchange;
    const chat = await parts.bodies.readChat(request, reply);
    request.exchange.stream = chat.stream;

    const events = parts.completions.run(chat, callerOf(request), signal, trace, startedMs);
    const begin = async (): Promise<ReplyHead> => {
      const admitted = await firstOf(events);
      writeRate(reply, "tokens", admitted.tokenRates);
      return {
        id: newCompletionId(),
        created: Math.floor(parts.clock.now().getTime() / 1000),
        model: admitted.model,
      };
    };
    try {
      if (!chat.stream) return await toCompletion(events, await begin(), chat);
      await sendStream(parts, request, reply, events, chat, begin);
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

async function toCompletion(events: Events, head: ReplyHead, chat: ChatRequest): Promise<ChatCompletion> {
  const choices = Array.from({ length: chat.choices }, () => new ChoiceFold(chat.topLogprobs !== undefined));
  for await (const event of events) {
    if ("choice" in event) choices[event.choice]?.add(event);
    if (event.type === "done") {
      return chatCompletion(
        head,
        choices.map((choice) => choice.whole()),
        event.usage,
      );
    }
  }
  throw new Error("A completion ends with its usage.");
}

type ToChunks = (event: CompletionEvent) => ChatCompletionChunk[];

/** What goes out for each event of one stream. */
function chunksOf(head: ReplyHead, { includeUsage }: ChatRequest): ToChunks {
  const make = chunkMaker(head, includeUsage);
  return (event) => {
    switch (event.type) {
      case "text":
        if (event.text === "" && event.logprobs === undefined) return [];
        return [make.text(event.choice, event.text, event.logprobs)];
      case "reasoning":
        return event.text === "" ? [] : [make.reasoning(event.choice, event.text)];
      case "call":
        return [make.call(event.choice, event.id, event.name)];
      case "arguments":
        return event.text === "" ? [] : [make.arguments(event.choice, event.text)];
      case "finished": {
        const finish = make.finish(event.choice, event.finishReason);
        return make.hasBegun(event.choice) ? [finish] : [make.text(event.choice, ""), finish];
      }
      case "done":
        return includeUsage ? [make.usage(event.usage)] : [];
      case "admitted":
        return [];
    }
  };
}

async function sendStream(
  { keepAliveMs = defaultKeepAliveMs, timeouts, log, engineStatus }: HttpParts,
  request: FastifyRequest,
  reply: FastifyReply,
  events: Events,
  chat: ChatRequest,
  begin: () => Promise<ReplyHead>,
): Promise<void> {
  const stallMs = timeouts?.stallMs ?? defaultTimeouts.stallMs;
  // A request that waits for its turn can still be refused with a status; loading a model may take longer than a proxy's timeout.
  const isLoading = () => isModelId(chat.model) && engineStatus(chat.model).state === "waking";
  const stream = new EventStream(reply, request.exchange.signal, { keepAliveMs, stallMs }, isLoading);
  try {
    const toChunks = chunksOf(await begin(), chat);
    stream.begin();
    for await (const event of events) {
      for (const chunk of toChunks(event)) {
        const drained = stream.data(chunk);
        if (drained !== undefined) await drained;
      }
    }
    await stream.data("[DONE]");
    stream.end();
  } catch (error) {
    stream.close();
    if (!stream.opened) throw error;
    if (error instanceof ReaderTooSlow) {
      stream.cut();
      return;
    }
    const shown = errorOf(error, request, log);
    if (shown !== null) stream.end(errorBody(shown));
  }
}
