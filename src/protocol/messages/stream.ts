/**
 * The events of a streamed reply: `message_start`; for each block of the content its start, its deltas and its stop;
 * `message_delta` with the reason of the end and the usage; `message_stop`. Blocks come one after the other, each with
 * the next index.
 */
import type { ChatRequest } from "../../core/chat/request.js";
import type { ReplyEvent } from "../../core/chat/reply.js";
import type { ReplyHead, StreamWriter, WireEvent } from "../dialect.js";
import { messagesError, type MessagesError } from "./errors.js";
import {
  emptyMessage,
  ending,
  showsReasoning,
  textBlock,
  thinkingBlock,
  wireUsage,
  type ContentBlock,
  type Message,
  type WireUsage,
} from "./response.js";

type Delta =
  | { type: "text_delta"; text: string }
  | { type: "thinking_delta"; thinking: string }
  | { type: "input_json_delta"; partial_json: string };

type Ending = ReturnType<typeof ending>;

type MessageEvent =
  | { type: "message_start"; message: Message }
  | { type: "content_block_start"; index: number; content_block: ContentBlock }
  | { type: "content_block_delta"; index: number; delta: Delta }
  | { type: "content_block_stop"; index: number }
  | { type: "message_delta"; delta: Ending; usage: WireUsage }
  | { type: "message_stop" }
  | MessagesError;

export function messageWriter(head: Readonly<ReplyHead>, chat: ChatRequest): StreamWriter {
  const stream = new MessageStream(head, showsReasoning(chat));
  return {
    write: (event) => stream.write(event),
    end: () => [named({ type: "message_stop" })],
    fail: (error) => [named(messagesError(error))],
  };
}

class MessageStream {
  #hasBegun = false;
  #index = -1;
  #open: ContentBlock["type"] | null = null;
  #ending: Ending = ending({ finishReason: "stop" });

  constructor(
    private readonly head: Readonly<ReplyHead>,
    private readonly withReasoning: boolean,
  ) {}

  write(event: ReplyEvent): WireEvent[] {
    const events = this.#eventsOf(event);
    if (this.#hasBegun || events.length === 0) return events;
    this.#hasBegun = true;
    return [this.#start(), ...events];
  }

  #eventsOf(event: ReplyEvent): WireEvent[] {
    switch (event.type) {
      case "text":
        if (event.text === "") return [];
        return [...this.#enter(textBlock("")), this.#delta({ type: "text_delta", text: event.text })];
      case "reasoning":
        if (event.text === "" || !this.withReasoning) return [];
        return [
          ...this.#enter(thinkingBlock("")),
          this.#delta({ type: "thinking_delta", thinking: event.text }),
        ];
      case "call":
        return this.#begin({ type: "tool_use", id: event.id, name: event.name, input: {} });
      case "arguments":
        return event.text === "" ? [] : [this.#delta({ type: "input_json_delta", partial_json: event.text })];
      case "finished":
        this.#ending = ending(event);
        return this.#leave();
      case "done":
        return [named({ type: "message_delta", delta: this.#ending, usage: wireUsage(event.usage) })];
    }
  }

  #start(): WireEvent {
    const { id, model, promptTokens } = this.head;
    // What of the prompt was cached is known at the end.
    const usage = wireUsage({ promptTokens, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 });
    return named({ type: "message_start", message: { ...emptyMessage(id, model), usage } });
  }

  /** Continues the open block if it is of this type. */
  #enter(block: ContentBlock): WireEvent[] {
    return this.#open === block.type ? [] : this.#begin(block);
  }

  #begin(block: ContentBlock): WireEvent[] {
    const left = this.#leave();
    this.#open = block.type;
    this.#index += 1;
    return [...left, named({ type: "content_block_start", index: this.#index, content_block: block })];
  }

  #leave(): WireEvent[] {
    if (this.#open === null) return [];
    this.#open = null;
    return [named({ type: "content_block_stop", index: this.#index })];
  }

  #delta(delta: Delta): WireEvent {
    return named({ type: "content_block_delta", index: this.#index, delta });
  }
}

/** Clients go by the name or by the type; they are the same. */
const named = (data: MessageEvent): WireEvent => ({ name: data.type, data });
