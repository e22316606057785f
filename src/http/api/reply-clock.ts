/** How long a reply takes, in parts that add up. Until its first token, all of it is work on the prompt. */
import type { Clock } from "../../core/clock.js";
import type { CompletionTrace } from "../../core/serving/completion.js";
import type { ReplyTimes } from "../../protocol/dialect.js";

export class ReplyClock {
  #admittedMs: number;

  constructor(
    private readonly clock: Clock,
    private readonly startedMs: number,
    private readonly trace: CompletionTrace,
  ) {
    this.#admittedMs = startedMs;
  }

  /** Its turn came at this time. */
  noteAdmission(admittedMs: number): void {
    this.#admittedMs = admittedMs;
  }

  /** So far. */
  times(): ReplyTimes {
    const ranMs = this.clock.monotonicMs() - this.#admittedMs;
    const promptMs = Math.min(this.trace.firstTokenMs ?? ranMs, ranMs);
    return { beforeMs: this.#admittedMs - this.startedMs, promptMs, replyMs: ranMs - promptMs };
  }
}
