/**
 * Samples the tokens of one reply with the engine's extension: one call for each, on this thread, from the logits where
 * they are. The binding's sampler copies them, for a thread of its own, and for a top_p twice.
 *
 * All that is kept of a reply is in here: how often each token was sampled, for the penalties, and how many there were,
 * which with the seed are the next random number.
 */
import type { SampleDirectly } from "../extension.js";
import type { SamplingPlan } from "./sampling-plan.js";
import type { SampledToken, TokenSampler, TokenSamplerOptions } from "./token-sampler.js";

/** Grammars and log probabilities are left to the binding. */
export const isDirect = ({ grammar, topLogprobs }: TokenSamplerOptions): boolean =>
  grammar === undefined && topLogprobs === undefined;

/** The place of `drawn` in the fields of `struct sampling`. */
const drawnField = 7;

export class DirectSampler implements Pick<TokenSampler, "next" | "close"> {
  readonly #how: Float64Array;
  readonly #biases: Float64Array;
  /** Undefined where nothing is penalised. */
  readonly #seen: SeenTokens | undefined;

  constructor(
    private readonly sample: SampleDirectly,
    { config, nucleus }: SamplingPlan,
  ) {
    const { temperature, minP, topP, repeatPenalty, seed } = config;
    const { repeatPenaltyFrequencyPenalty: frequency, repeatPenaltyPresencePenalty: presence } = config;
    const penalties = [repeatPenalty, frequency, presence];
    this.#how = Float64Array.of(temperature, minP, nucleus ?? topP, ...penalties, seed, 0);
    const { tokenBiasKeys: tokens = [], tokenBiasValues: added = [] } = config;
    this.#biases = Float64Array.from(Array.from(tokens).flatMap((token, at) => [token, added[at] ?? 0]));
    if (repeatPenalty !== 1 || frequency !== 0 || presence !== 0) this.#seen = new SeenTokens();
  }

  async next(logitIndex: number): Promise<SampledToken | null> {
    const token = this.sample(logitIndex, this.#how, this.#seen?.counted ?? none, this.#biases);
    if (token < 0) return null;
    this.#how[drawnField] = (this.#how[drawnField] ?? 0) + 1;
    this.#seen?.add(token);
    return { token };
  }

  close(): void {
    // Nothing native is held.
  }
}

const none = new Int32Array(0);

/** How often each token was sampled. */
class SeenTokens {
  #pairs = new Int32Array(64);
  readonly #places = new Map<number, number>();

  /** Tokens and counts in turn. */
  get counted(): Int32Array {
    return this.#pairs.subarray(0, 2 * this.#places.size);
  }

  add(token: number): void {
    const known = this.#places.get(token);
    const place = known ?? 2 * this.#places.size;
    if (known === undefined) {
      this.#places.set(token, place);
      if (place === this.#pairs.length) this.#grow();
      this.#pairs[place] = token;
    }
    this.#pairs[place + 1] = (this.#pairs[place + 1] ?? 0) + 1;
  }

  #grow(): void {
    const longer = new Int32Array(2 * this.#pairs.length);
    longer.set(this.#pairs);
    this.#pairs = longer;
  }
}
