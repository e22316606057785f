/** One generation under way in a child, until the child reports that it has ended, or is gone itself. */
import { ServiceError } from "../../../core/errors.js";
import {
  type GenerationEvent,
  type PreparedGeneration,
  ReaderTooSlow,
} from "../../../core/serving/engine-port.js";
import { newCallId } from "../../chat-format/call-id.js";
import type { ReplyEvent } from "../../chat-format/reply-events.js";
import type { EngineChild } from "./child.js";
import { ReplyStream } from "./reply-stream.js";
import type { Ending, Progress } from "../messages.js";

export interface RunOptions {
  id: number;
  child: Pick<EngineChild, "abort">;
  prepared: PreparedGeneration;
  /** Longest time without any progress, on the prompt and then on the reply. */
  firstTokenTimeoutMs: number;
  nextTokenTimeoutMs: number;
  unavailable: () => ServiceError;
}

export class Run {
  readonly stream = new ReplyStream();
  #timer: NodeJS.Timeout;
  #hasToken = false;
  #state: "running" | "aborting" | "ended" = "running";
  #wasLost = false;
  /** Of each choice, the number of the call that began last. */
  readonly #lastCalls: number[] = [];

  constructor(private readonly options: RunOptions) {
    this.#timer = this.#newTimer(options.firstTokenTimeoutMs);
  }

  /** The child died before it gave a token: another may run it from the start. */
  get wasLostUnbegun(): boolean {
    return this.#wasLost && !this.#hasToken;
  }

  progressed(progress: Progress): void {
    const { choice, text, finishReason, stopSequence } = progress;
    if (this.#state !== "running") return;
    if (text !== null && !this.#hasToken) {
      this.#hasToken = true;
      clearTimeout(this.#timer);
      this.#timer = this.#newTimer(this.options.nextTokenTimeoutMs);
    }
    this.#timer.refresh();
    for (const event of this.#eventsOf(progress)) {
      if (this.stream.push(event)) continue;
      this.stream.fail(new ReaderTooSlow());
      this.abort();
      return;
    }
    if (finishReason === undefined) return;
    const ended = stopSequence === undefined ? {} : { stopSequence };
    this.stream.push({ type: "finished", choice, finishReason, ...ended });
  }

  ended(outcome: Ending["outcome"]): void {
    this.#end();
    if (outcome.type !== "finished") {
      this.stream.fail(outcome.type === "too_slow" ? this.#tooSlow() : this.options.unavailable());
      return;
    }
    const { completionTokens, cachedTokens, reasoningTokens } = outcome;
    const { promptTokens } = this.options.prepared;
    this.stream.push({
      type: "done",
      usage: { promptTokens, completionTokens, cachedTokens, reasoningTokens },
    });
    this.stream.finish();
  }

  lost(): void {
    // One that was aborted, because it took too long or its client hung up, is over either way.
    this.#wasLost = this.#state === "running";
    this.#end();
    this.stream.fail(this.options.unavailable());
  }

  /** Remaining output is discarded. */
  abort(): void {
    if (this.#state !== "running") return;
    this.#state = "aborting";
    clearTimeout(this.#timer);
    this.options.child.abort(this.options.id);
  }

  /** A grammar for both is a choice between calls and a reply: a call that has begun says which it was. */
  #tooSlow(): ServiceError {
    const { format, tooling } = this.options.prepared.generation;
    const hasCalled = this.#lastCalls.length > 0;
    const isOfTool = tooling !== undefined && (format.type === "text" || hasCalled);
    const param = isOfTool ? "tools" : "response_format";
    return new ServiceError("invalid_value", {
      message:
        `Following '${param}' takes too long: its schema is too ambiguous to enforce. ` +
        "Use fewer alternatives, fewer optional parts, or simpler patterns.",
      param,
    });
  }

  /** Log probabilities go with the text of their tokens; that may have been given out before, then with none. */
  #eventsOf({ choice, text, events, logprobs = [], result }: Progress): GenerationEvent[] {
    if (result !== undefined) return [{ ...result, choice: 0 }];
    // Most tokens.
    if (events === undefined && logprobs.length === 0)
      return text === null || text === "" ? [] : [{ type: "text", choice, text }];
    const written = events ?? (text === null ? [] : [{ type: "text" as const, text }]);
    const hasText = written.some(({ type }) => type === "text");
    const whole =
      hasText || logprobs.length === 0 ? written : [{ type: "text" as const, text: "" }, ...written];
    const named = whole.findLast(({ type }) => type === "text");
    return whole.flatMap((event): GenerationEvent[] => {
      if (event.type === "text" && event === named && logprobs.length > 0) {
        return [{ type: "text", choice, text: event.text, logprobs }];
      }
      return event.type !== "call" && event.text === "" ? [] : [this.#numbered(event, choice)];
    });
  }

  #numbered(event: ReplyEvent, choice: number): GenerationEvent {
    if (event.type === "text" || event.type === "reasoning") return { ...event, choice };
    const call = this.#lastCalls[choice] ?? -1;
    if (event.type === "arguments") return { ...event, choice, call };
    this.#lastCalls[choice] = call + 1;
    return { ...event, choice, call: call + 1, id: newCallId() };
  }

  #end(): void {
    this.#state = "ended";
    clearTimeout(this.#timer);
  }

  #newTimer(timeoutMs: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.stream.fail(this.options.unavailable());
      this.abort();
    }, timeoutMs);
  }
}
