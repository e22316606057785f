/**
 * How many prompt tokens to compute in one step, so that the step stays short.
 *
 * A step cannot be interrupted: its length decides how fast a hang-up takes effect and how long the other
 * replies stand still while a prompt is read. Between a small quantised model on two cores and a GPU the cost
 * of a token differs a thousandfold, and a busy machine is slower than an idle one, so it is learned from the
 * steps themselves: with nothing but prompts, a step may take a fixed time; beside replies, it may take so many
 * times what one without a prompt takes. Both move by factors of two, so that the same prompt is mostly computed
 * in the same way: batches of different shape round differently.
 */

/** Long enough for good use of the hardware, short enough that nobody notices the wait. */
const targetStepMs = 400;
const fewestTokens = 4;
const firstTokens = 8;

/** Beside replies: too long, and short enough that twice the prompt tokens will not be. */
const longestRatio = 2.5;
const shortRatio = 1.6;

export class PrefillPace {
  #alone: number;
  #beside: number;
  /** A step of replies alone; undefined until there was one. */
  #replyStepMs: number | undefined;

  constructor(
    private readonly mostTokens: number,
    private readonly mostBeside: number,
  ) {
    this.#alone = Math.min(firstTokens, mostTokens);
    this.#beside = Math.min(firstTokens, mostBeside);
  }

  /** The most prompt tokens for the next step. */
  tokens(besideReplies: boolean): number {
    return besideReplies ? Math.min(this.#alone, this.#beside) : this.#alone;
  }

  /** A step with so many prompt tokens took so long. */
  record(promptTokens: number, stepMs: number, besideReplies: boolean): void {
    if (promptTokens > 0 && besideReplies) this.#adjustBeside(promptTokens, stepMs);
    if (promptTokens > 0) this.#adjustAlone(promptTokens, stepMs);
    else this.#replyStepMs = ((this.#replyStepMs ?? stepMs) * 3 + stepMs) / 4;
  }

  #adjustAlone(promptTokens: number, stepMs: number): void {
    if (stepMs > targetStepMs * 1.5) {
      this.#alone = Math.max(fewestTokens, this.#alone / 2);
    } else if (promptTokens >= this.#alone && stepMs * 2 <= targetStepMs) {
      this.#alone = Math.min(this.mostTokens, this.#alone * 2);
    }
  }

  #adjustBeside(promptTokens: number, stepMs: number): void {
    if (this.#replyStepMs === undefined) return;
    const ratio = stepMs / this.#replyStepMs;
    if (ratio > longestRatio) this.#beside = Math.max(fewestTokens, this.#beside / 2);
    else if (promptTokens >= this.#beside && ratio <= shortRatio) {
      this.#beside = Math.min(this.mostBeside, this.#beside * 2);
    }
  }
}
