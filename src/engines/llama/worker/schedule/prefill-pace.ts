/**
 * How many prompt tokens to compute in one step, so that the step stays short.
 *
 * A step cannot be interrupted: its length decides how fast a hang-up takes effect and how long reading a prompt
 * blocks decoding of the other replies. Between a small quantised model on two cores and a GPU the cost of a token
 * differs a thousandfold, so it is learned from the steps themselves. With nothing but prompts, a step may take a
 * fixed time, or twice what a step of replies takes where that is more; beside replies, less than three times what
 * theirs takes, or a moment that nobody notices where that is more. Where many prompts wait beside few replies it may
 * be as many times more, up to a bound: requests without a first token should not wait for the sake of a few.
 *
 * What a prompt adds to their step is partly the same for one token and for many, since the weights are gone through
 * once more, so it is kept for each size, and the next size is predicted from two. Medians are compared, since on a
 * busy machine any single step can be slow by chance. Sizes move by factors of two, so that the same prompt is mostly
 * computed in the same way: batches of different shape round differently.
 */

/**
 * Long enough for good use of the hardware (on two cores, where 250 ms are 8 tokens, steps of that length read prompts a
 * seventh slower), short enough for whoever comes meanwhile, or hangs up.
 */
const targetStepMs = 500;
/** What a prompt may add to a step of replies, in such steps; and what a larger one should not be predicted to. */
const mostAdded = 1.5;
const mostPredicted = 1.35;
/**
 * A step of this length may be made of anything: a prompt adds one more pass through the weights, whatever its size, so
 * shorter steps read it much later, and slow the replies down for longer.
 */
const unnoticedMs = 100;
/** The assumed cost of one more pass through the weights, until two sizes were measured. */
const likelyFixed = 0.8;
/** A size that was too large is tried again after so many steps. */
const retrySteps = 200;
const fewestTokens = 4;
const firstTokens = 8;
/** For prompts that outnumber the replies. */
const mostShares = 4;

/** Who is in a step: by number, or by weight where several accounts are. */
export interface InStep {
  prompts: number;
  replies: number;
}

export class PrefillPace {
  #alone: number;
  #beside: number;
  /** Of recent steps: how long replies alone took, and what a prompt token cost. */
  readonly #replyStepMs = new Recent();
  readonly #aloneTokenMs = new Recent();
  /** For each size, what it added to a step of replies, in such steps. */
  readonly #added = new Map<number, Recent>();
  #stepsAtSize = 0;

  /** `msPerToken`, `passMs`: what a prompt token, and a pass with one token, took in a first try, if there was one. */
  constructor(
    private readonly mostTokens: number,
    private readonly mostBeside: number,
    private readonly msPerToken?: number,
    private readonly passMs?: number,
  ) {
    const fitting = msPerToken === undefined ? firstTokens : powerOfTwo(targetStepMs / msPerToken);
    this.#alone = Math.max(fewestTokens, Math.min(fitting, mostTokens));
    this.#beside = Math.min(fewestTokens, mostBeside);
  }

  tokens(inStep: InStep): number {
    if (inStep.replies === 0) return this.#alone;
    return Math.min(this.#beside * sharesOf(inStep), this.mostBeside);
  }

  /** How long reading so many tokens takes when there is nothing else to do; 0 while nothing was measured. */
  predictedMs(promptTokens: number): number {
    return promptTokens * (this.#aloneTokenMs.median ?? this.msPerToken ?? 0);
  }

  /** How many more tokens a pass through the weights could have in the time that another pass takes; 0 if unknown. */
  get passTokens(): number {
    const passMs = Math.min(this.passMs ?? 0, this.#replyStepMs.median ?? Infinity);
    const tokenMs = this.predictedMs(1);
    return tokenMs === 0 ? 0 : Math.max(0, passMs / tokenMs - 1);
  }

  /** A step with so many prompt tokens took so long. */
  record(promptTokens: number, stepMs: number, inStep: InStep): void {
    if (promptTokens === 0) this.#replyStepMs.add(stepMs);
    // The last few tokens of a prompt do not show what many cost.
    else if (promptTokens * 2 <= this.tokens(inStep)) return;
    else if (inStep.replies === 0) this.#adjustAlone(promptTokens, stepMs);
    else if (sharesOf(inStep) === 1) this.#adjustBeside(stepMs);
    else this.#adjustShare(stepMs);
  }

  #adjustAlone(promptTokens: number, stepMs: number): void {
    const targetMs = Math.max(targetStepMs, (this.#replyStepMs.median ?? 0) * 2);
    const tokenMs = this.#aloneTokenMs.add(stepMs / promptTokens);
    this.#alone = towards(targetMs / tokenMs, this.#alone, this.mostTokens);
  }

  #adjustBeside(stepMs: number): void {
    const replyMs = this.#replyStepMs.median;
    if (replyMs === undefined) return;
    const size = this.#beside;
    const samples = this.#added.get(size) ?? new Recent();
    this.#added.set(size, samples);
    const added = samples.add(Math.max(0, stepMs - replyMs) / replyMs);
    this.#stepsAtSize += 1;
    if (this.#stepsAtSize > retrySteps) this.#added.delete(size * 2);
    const unnoticed = unnoticedMs / replyMs - 1;
    if (added > Math.max(mostAdded, unnoticed)) this.#beside = Math.max(fewestTokens, size / 2);
    else if (this.#predicted(size, added) <= Math.max(mostPredicted, unnoticed * 0.9)) {
      this.#beside = Math.min(this.mostBeside, size * 2);
    }
    if (this.#beside !== size) this.#stepsAtSize = 0;
  }

  /**
   * Several shares do not show what one costs, but if all of them together added no more than one may, it can be
   * larger.
   */
  #adjustShare(stepMs: number): void {
    const replyMs = this.#replyStepMs.median;
    if (replyMs === undefined || stepMs > replyMs + Math.max(replyMs * mostPredicted, unnoticedMs - replyMs))
      return;
    this.#beside = Math.min(this.mostBeside, this.#beside * 2);
    this.#stepsAtSize = 0;
  }

  #predicted(size: number, added: number): number {
    const seen = this.#added.get(size * 2)?.median;
    if (seen !== undefined) return seen;
    const smaller = this.#added.get(size / 2)?.median;
    if (smaller === undefined) return added + Math.max(0, added - likelyFixed);
    return added + Math.max(0, added - smaller) * 2;
  }
}

/** One factor of two towards what fits, where that is clearly more or less. */
function towards(fitting: number, current: number, most: number): number {
  if (fitting >= current * 2) return Math.min(most, current * 2);
  return fitting < current * 0.75 ? Math.max(fewestTokens, current / 2) : current;
}

const sharesOf = ({ prompts, replies }: InStep): number =>
  Math.min(mostShares, powerOfTwo(prompts / replies));

const powerOfTwo = (value: number): number => 2 ** Math.floor(Math.log2(Math.max(1, value)));

const kept = 9;

class Recent {
  #values: number[] = [];

  /** Returns the new median. */
  add(value: number): number {
    this.#values = [...this.#values.slice(1 - kept), value];
    return this.median ?? value;
  }

  get median(): number | undefined {
    return this.#values.toSorted((a, b) => a - b)[Math.floor(this.#values.length / 2)];
  }
}
