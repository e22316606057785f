/**
 * The lines of a streamed reply, each a JSON object. A call comes whole, once its arguments are. The last line has
 * `done: true`, the reason of the end, the numbers of tokens and the durations; a reply that breaks off ends with
 * `{"error": …}`.
 */
import type { FinishReason, ReplyEvent, ReplyLogprob } from "../../core/chat/reply.js";
import type { ToolCall } from "../../core/chat/request.js";
import { wireLogprob } from "../chat-completions/response.js";
import type { ReplyHead, StreamWriter } from "../dialect.js";
import { ollamaError } from "./errors.js";
import { ending, lineHead, parsedArguments, wireCall, type Piece, type Wrap } from "./reply.js";

export function lineWriter(head: Readonly<ReplyHead>, wrap: Wrap): StreamWriter {
  const lines = new Lines(head, wrap);
  return {
    write: (event) => lines.of(event).map((data) => ({ data })),
    end: () => [],
    fail: (error) => [{ data: ollamaError(error) }],
  };
}

class Lines {
  /** The one whose arguments are coming. */
  #call: ToolCall | null = null;
  #calls = 0;
  #reason: FinishReason = "stop";

  constructor(
    private readonly head: Readonly<ReplyHead>,
    private readonly wrap: Wrap,
  ) {}

  of(event: ReplyEvent): object[] {
    switch (event.type) {
      case "text": {
        const { text, logprobs } = event;
        if (text === "" && logprobs === undefined) return [];
        return [...this.#endCall(), this.#line({ content: text }, logprobs)];
      }
      case "reasoning":
        return event.text === "" ? [] : [this.#line({ thinking: event.text })];
      case "call": {
        const ended = this.#endCall();
        this.#call = { id: event.id, name: event.name, arguments: "" };
        return ended;
      }
      case "arguments":
        if (this.#call !== null) this.#call.arguments += event.text;
        return [];
      case "finished":
        this.#reason = event.finishReason;
        return this.#endCall();
      case "done":
        return [
          { ...lineHead(this.head), ...this.wrap({}), ...ending(this.head, this.#reason, event.usage) },
        ];
    }
  }

  /** Half a call must not be run. */
  #endCall(): object[] {
    const call = this.#call;
    this.#call = null;
    if (call === null || parsedArguments(call.arguments) === undefined) return [];
    this.#calls += 1;
    return [this.#line({ tool_calls: [wireCall(call, this.#calls - 1)] })];
  }

  #line(piece: Piece, logprobs?: readonly ReplyLogprob[]): object {
    return {
      ...lineHead(this.head),
      ...this.wrap(piece),
      ...(logprobs === undefined ? {} : { logprobs: logprobs.map(wireLogprob) }),
      done: false,
    };
  }
}
