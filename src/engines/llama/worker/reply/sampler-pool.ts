/**
 * Native samplers, used again and again. Each holds memory for the whole vocabulary (hundreds of kilobytes)
 * that is freed only when JavaScript's collector comes by, and the collector, which sees a small object, is in
 * no hurry: one for each generation grew the process by a gigabyte in 3000 of them. So there are never more
 * than run at once.
 *
 * Stateless sampling shares one sampler. Its memory, which every call fills with all logits, then
 * stays in the processor's cache: with 64 sequences and a vocabulary of 128,000 that halves the time of a call
 * (`bench -- engine`). That is safe because a single thread of the child samples, one token after the other
 * (child-environment.ts).
 */
import type { Sampler } from "../batch-context.js";
import type { SamplerConfig } from "./sampling-plan.js";

/** Further kinds get samplers of their own. */
const longestShared = 8;

export class SamplerPool {
  readonly #free: Sampler[] = [];
  readonly #shared = new Map<string, Sampler>();

  constructor(private readonly newSampler: () => Sampler) {}

  /** A sampler without history. From here on it counts each token that it samples for the penalties. */
  take(config: SamplerConfig): Sampler {
    const sampler = this.#free.pop() ?? this.newSampler();
    // It restarts its random numbers only for a seed that differs from its last one.
    sampler.applyConfig({ ...config, seed: config.seed === 0 ? 1 : 0 });
    sampler.applyConfig(config);
    return sampler;
  }

  /** A sampler that may be in use elsewhere, for stateless sampling. */
  share(config: SamplerConfig): Sampler {
    const { temperature, topP, minP, topK = 0 } = config;
    const kind = [temperature, topP, minP, topK].join(" ");
    const known = this.#shared.get(kind);
    if (known !== undefined) return known;
    const sampler = this.take(config);
    if (this.#shared.size < longestShared) this.#shared.set(kind, sampler);
    return sampler;
  }

  release(sampler: Sampler): void {
    if (![...this.#shared.values()].includes(sampler)) this.#free.push(sampler);
  }
}
