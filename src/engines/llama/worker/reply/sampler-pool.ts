/**
 * Native samplers, used again and again. Each holds memory for the whole vocabulary (hundreds of kilobytes)
 * that is freed only when JavaScript's collector comes by, and the collector, which sees a small object, is in
 * no hurry: one for each generation grew the process by a gigabyte in 3000 of them. So there are never more
 * than run at once.
 *
 * Draws that leave nothing behind in their sampler share one. Its memory, which every draw fills with all logits, then
 * stays in the processor's cache: with 64 sequences and a vocabulary of 128,000 that halves the time of a draw
 * (`bench -- engine`). That is safe where a single thread draws, one token after the other, as in the engine's child.
 */
import type { Sampler } from "../batch-context.js";
import type { SamplerConfig } from "./sampler.js";

/** Further kinds get samplers of their own. */
const mostShared = 8;

export class SamplerPool {
  readonly #free: Sampler[] = [];
  readonly #shared = new Map<string, Sampler>();

  constructor(
    private readonly newSampler: () => Sampler,
    /** Whether a single thread draws. */
    private readonly shares = false,
  ) {}

  /** A sampler without a past. From here on, each token that it draws is counted for the penalties by itself. */
  take(config: SamplerConfig): Sampler {
    const sampler = this.#free.pop() ?? this.newSampler();
    // It restarts its random numbers only for a seed that differs from its last one.
    sampler.applyConfig({ ...config, seed: config.seed === 0 ? 1 : 0 });
    sampler.applyConfig(config);
    return sampler;
  }

  /** One that others may use at the same time, for draws that depend on no earlier one. */
  share(config: SamplerConfig): Sampler {
    const { temperature, topP, minP, topK = 0 } = config;
    const kind = [temperature, topP, minP, topK].join(" ");
    const known = this.#shared.get(kind);
    if (known !== undefined) return known;
    if (!this.shares || this.#shared.size >= mostShared) return this.take(config);
    const sampler = this.take(config);
    this.#shared.set(kind, sampler);
    return sampler;
  }

  giveBack(sampler: Sampler): void {
    if (![...this.#shared.values()].includes(sampler)) this.#free.push(sampler);
  }
}
