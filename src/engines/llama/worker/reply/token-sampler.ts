/**
 * Samples the tokens of one reply, with their probabilities where they are asked for.
 *
 * Most of it is one call of a native sampler. Some things take more:
 *
 * - A top_p after a temperature. The first call lists the likeliest tokens as biases, penalties and temperature
 *   left them, with the weight of all; the smallest set that reaches top_p is counted off; the second call samples
 *   from so many. Each call counts its token for the penalties, so the sampler is reminded of the reply first.
 * - A grammar. Checking the whole vocabulary against it is slow, and most of what a model samples is allowed. So a token
 *   is sampled as if there were none, and only if it is not allowed another, with the grammar. That gives each token
 *   the same probability: what is not allowed leaves its share to the others in proportion. After some bytes tokens
 *   are forbidden besides, see utf8-guard.ts.
 * - Log probabilities. They are the model's own, before anything shaped them, and read with a second sampler
 *   that has nothing to shape them with.
 */
import type { BatchContext, LogitsRead, LogitsWanted, Sampler } from "../batch-context.js";
import type { GrammarState, LazyGrammar } from "./lazy-grammar.js";
import type { Utf8Guard } from "./utf8-guard.js";
import { rawConfig, type SamplerConfig, type SamplingPlan } from "./sampling-plan.js";
import type { SamplerPool } from "./sampler-pool.js";

type FollowedGrammar = Pick<LazyGrammar, "state" | "allows" | "accept">;

export interface TokenSamplerOptions extends SamplingPlan {
  /** How many alternatives to report with each token; undefined: no log probabilities. */
  topLogprobs: number | undefined;
  /** Where the reply follows a grammar, or may come to. */
  grammar: FollowedGrammar | undefined;
}

/** A token with the natural logarithm of its probability. */
export type ScoredToken = readonly [token: number, logprob: number];

export interface SampledToken {
  token: number;
  /** Of the token itself, and of the likeliest ones. */
  logprobs?: Logprobs;
}

export interface Logprobs {
  own: ScoredToken;
  top: readonly ScoredToken[];
}

/** What the native sampler gives when it has nothing to choose from. */
const noToken = -1;

/** Most nuclei are smaller. */
const firstLook = 256;

export class TokenSampler {
  readonly #sampler: Sampler;
  readonly #rawSampler: Sampler | undefined;
  #reply = new Uint32Array(64);
  #length = 0;
  #forbidden: readonly number[] = [];

  constructor(
    private readonly context: Pick<BatchContext, "sampleToken">,
    private readonly samplers: Pick<SamplerPool, "take" | "share" | "release">,
    /** Of the model. */
    private readonly facts: { vocabularySize: number; utf8Guard: Pick<Utf8Guard, "forbiddenAfter"> },
    private readonly options: TokenSamplerOptions,
  ) {
    // A grammar changes the configuration from token to token.
    const isShared = options.isStateless && options.grammar === undefined;
    this.#sampler = isShared ? samplers.share(options.config) : samplers.take(options.config);
    if (options.topLogprobs !== undefined) this.#rawSampler = samplers.share(rawConfig);
  }

  async next(logitIndex: number): Promise<SampledToken | null> {
    const { nucleus, grammar } = this.options;
    const topK = nucleus === undefined ? undefined : await this.#narrow(logitIndex, nucleus);
    const free = await this.context.sampleToken(logitIndex, this.#sampler);
    const token = grammar === undefined ? free : await this.#constrained(logitIndex, grammar, free, topK);
    if (token === noToken) return null;
    if (nucleus !== undefined && grammar === undefined) this.#remember(token);
    if (this.#rawSampler === undefined) return { token };
    return { token, logprobs: await this.#logprobs(logitIndex, token, this.#rawSampler) };
  }

  close(): void {
    this.samplers.release(this.#sampler);
    if (this.#rawSampler !== undefined) this.samplers.release(this.#rawSampler);
  }

  /** The token as it is, if the grammar allows it, or else one sampled again. */
  async #constrained(
    logitIndex: number,
    grammar: FollowedGrammar,
    token: number,
    topK: number | undefined,
  ): Promise<number> {
    const { state } = grammar;
    const isAllowed =
      state === null || (token !== noToken && !this.#forbidden.includes(token) && grammar.allows(token));
    const sampled = isAllowed ? token : await this.#sampleWith(state, logitIndex, topK);
    if (sampled === noToken) return noToken;
    grammar.accept(sampled, !isAllowed);
    this.#remember(sampled);
    this.#forbidden = grammar.state === null ? [] : this.facts.utf8Guard.forbiddenAfter(sampled);
    if (!isAllowed) this.#configure(this.options.config);
    return sampled;
  }

  #sampleWith(state: GrammarState, logitIndex: number, topK: number | undefined): Promise<number> {
    this.#configure({
      ...this.options.config,
      ...withForbidden(this.options.config, this.#forbidden),
      ...(topK === undefined ? {} : { topK }),
      grammarEvaluationState: state,
    });
    return this.context.sampleToken(logitIndex, this.#sampler);
  }

  /** Narrows the next call to the smallest set of tokens whose probability reaches `nucleus`; returns its size. */
  async #narrow(logitIndex: number, nucleus: number): Promise<number> {
    let topK: number | null = null;
    for (const top of [firstLook, this.facts.vocabularySize]) {
      this.#configure(this.options.config);
      const wanted: LogitsWanted = [[], false, false, false, top];
      const [, , , logits = [], total = 1] = await this.#readLogits(logitIndex, this.#sampler, wanted);
      topK = nucleusSize(logits, total, nucleus);
      if (topK !== null) break;
    }
    topK ??= this.facts.vocabularySize;
    this.#configure({ ...this.options.config, topK });
    return topK;
  }

  #readLogits(logitIndex: number, sampler: Sampler, wanted: LogitsWanted): Promise<LogitsRead> {
    return this.context.sampleToken(logitIndex, sampler, false, false, wanted, true);
  }

  #configure(config: SamplerConfig): void {
    this.#sampler.applyConfig({
      ...config,
      repeatPenaltyTokens: this.#reply.subarray(0, this.#length),
    });
  }

  #remember(token: number): void {
    if (this.#length === this.#reply.length) {
      const longer = new Uint32Array(this.#length * 2);
      longer.set(this.#reply);
      this.#reply = longer;
    }
    this.#reply[this.#length++] = token;
  }

  async #logprobs(logitIndex: number, token: number, sampler: Sampler): Promise<Logprobs> {
    const top = this.options.topLogprobs ?? 0;
    // This sampler returns the likeliest token: its logit is the largest.
    const wanted: LogitsWanted = [[token], false, false, true, top];
    const [likeliest, , , logits = [], total = 1] = await this.#readLogits(logitIndex, sampler, wanted);
    const pairs = inPairs(logits);
    const logitOf = new Map(pairs);
    const ofAll = (logitOf.get(likeliest) ?? 0) + Math.log(total);
    // Sums of 32-bit floats may come out a little short: a probability is never above one.
    const weigh = (id: number): ScoredToken => [id, clamp((logitOf.get(id) ?? 0) - ofAll)];
    return { own: weigh(token), top: pairs.slice(0, top).map(([id]) => weigh(id)) };
  }
}

/** JSON has no infinity: a token that cannot come gets what OpenAI gives it. */
const smallestLogprob = -9999;
const clamp = (logprob: number): number => Math.min(0, Math.max(smallestLogprob, logprob));

/** How many of the likeliest tokens reach the probability together; null when those given do not. */
export function nucleusSize(logits: readonly number[], totalWeight: number, nucleus: number): number | null {
  const largest = logits[1] ?? 0;
  let sum = 0;
  for (let index = 1; index < logits.length; index += 2) {
    sum += Math.exp((logits[index] ?? -Infinity) - largest) / totalWeight;
    if (sum >= nucleus) return (index + 1) / 2;
  }
  return null;
}

function withForbidden(config: SamplerConfig, forbidden: readonly number[]): Partial<SamplerConfig> {
  if (forbidden.length === 0) return {};
  return {
    tokenBiasKeys: Uint32Array.of(...(config.tokenBiasKeys ?? []), ...forbidden),
    tokenBiasValues: Float32Array.of(...(config.tokenBiasValues ?? []), ...forbidden.map(() => -Infinity)),
  };
}

function inPairs(flat: readonly number[]): [token: number, logit: number][] {
  return Array.from({ length: flat.length / 2 }, (_, index) => [
    flat[2 * index] ?? 0,
    flat[2 * index + 1] ?? 0,
  ]);
}
