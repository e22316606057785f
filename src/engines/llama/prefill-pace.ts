/**
 * How many prompt tokens to compute in one step, so that the step stays short.
 *
 * A step cannot be interrupted: its length decides how fast a hang-up takes effect and how long the other
 * replies stand still while a prompt is read. Between a small quantised model on two cores and a GPU the cost
 * of a token differs a thousandfold, and a busy machine is slower than an idle one, so it is learned from the
 * steps themselves. It moves by factors of two, so that the same prompt is mostly computed in the same way:
 * batches of different shape round differently.
 */

/** Long enough for good use of the hardware, short enough that nobody notices the wait. */
const targetStepMs = 400;
const fewestTokens = 4;
const firstTokens = 8;

export class PrefillPace {
  #tokens: number;

  constructor(private readonly mostTokens: number) {
    this.#tokens = Math.min(firstTokens, mostTokens);
  }

  /** The most prompt tokens for the next step. */
  get tokens(): number {
    return this.#tokens;
  }

  /** A step with so many prompt tokens took so long. */
  record(promptTokens: number, stepMs: number): void {
    if (stepMs > targetStepMs * 1.5) {
      this.#tokens = Math.max(fewestTokens, this.#tokens / 2);
    } else if (promptTokens >= this.#tokens && stepMs * 2 <= targetStepMs) {
      this.#tokens = Math.min(this.mostTokens, this.#tokens * 2);
    }
  }
}
