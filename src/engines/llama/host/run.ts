/**
 * One generation under way in a child. Its slots are given back when the child reports that its sequences are
 * free, or is gone itself, and not before: an abort alone frees nothing.
 */
import { ReaderTooSlow, type GenerationEvent, type PreparedGeneration } from "../../../core/ports.js";
import { newCallId } from "../../formats/replies/call-id.js";
import type { ReplyEvent } from "../../formats/replies/reply-events.js";
import { ServiceError } from "../../../protocol/errors.js";
import type { EngineChild } from "./child.js";
import type { Ending, Progress } from "../messages.js";
import { ReplyStream } from "./reply-stream.js";

export interface RunOptions {
  id: number;
  child: EngineChild;
  prepared: PreparedGeneration;
  /** Longest time without any progress, on the prompt and then on the reply. */
  firstTokenTimeoutMs: number;
  nextTokenTimeoutMs: number;
  releaseSlots: () => void;
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

  moved({ choice, text, events = [], logprobs, finishReason, stopSequence }: Progress): void {
    if (this.#state !== "running") return;
    if (text !== null && !this.#hasToken) {
      this.#hasToken = true;
      clearTimeout(this.#timer);
      this.#timer = this.#newTimer(this.options.nextTokenTimeoutMs);
    }
    this.#timer.refresh();
    const hasLogprobs = logprobs !== undefined && logprobs.length > 0;
    const written: GenerationEvent[] = events.map((event) => this.#numbered(event, choice));
    if (text !== null && (text !== "" || hasLogprobs)) {
      written.push({ type: "text", choice, text, ...(logprobs === undefined ? {} : { logprobs }) });
    }
    for (const event of written) {
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
    this.#release();
    if (outcome.type !== "finished") {
      this.stream.fail(outcome.type === "too_slow" ? tooSlow() : this.options.unavailable());
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

  /** The child is gone, and with it the sequences. */
  lost(): void {
    // One that was aborted, because it took too long or its client hung up, is over either way.
    this.#wasLost = this.#state === "running";
    this.#release();
    this.stream.fail(this.options.unavailable());
  }

  /** The rest is not wanted any more. */
  abort(): void {
    if (this.#state !== "running") return;
    this.#state = "aborting";
    clearTimeout(this.#timer);
    this.options.child.abort(this.options.id);
  }

  #numbered(event: ReplyEvent, choice: number): GenerationEvent {
    if (event.type === "text" || event.type === "reasoning") return { ...event, choice };
    const call = this.#lastCalls[choice] ?? -1;
    if (event.type === "arguments") return { ...event, choice, call };
    this.#lastCalls[choice] = call + 1;
    return { ...event, choice, call: call + 1, id: newCallId() };
  }

  #release(): void {
    this.#state = "ended";
    clearTimeout(this.#timer);
    this.options.releaseSlots();
  }

  #newTimer(timeoutMs: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.stream.fail(this.options.unavailable());
      this.abort();
    }, timeoutMs);
  }
}

const tooSlow = (): ServiceError =>
  new ServiceError("invalid_value", {
    message:
      "Following 'response_format' takes too long: its schema is too ambiguous to enforce. " +
      "Use fewer alternatives, fewer optional parts, or simpler patterns.",
    param: "response_format",
  });
