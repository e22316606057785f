/**
 * Native samplers, used again and again. Each holds memory for the whole vocabulary (hundreds of kilobytes)
 * that is freed only when JavaScript's collector comes by, and the collector, which sees a small object, is in
 * no hurry: one for each generation grew the process by a gigabyte in 3000 of them. So there are never more
 * than run at once.
 */
import type { Sampler } from "../batch-context.js";
import type { SamplerConfig } from "./sampler.js";

export class SamplerPool {
  readonly #free: Sampler[] = [];

  constructor(private readonly newSampler: () => Sampler) {}

  /** A sampler without a past. From here on, each token that it draws is counted for the penalties by itself. */
  take(config: SamplerConfig): Sampler {
    const sampler = this.#free.pop() ?? this.newSampler();
    // It restarts its random numbers only for a seed that differs from its last one.
    sampler.applyConfig({ ...config, seed: config.seed === 0 ? 1 : 0 });
    sampler.applyConfig(config);
    return sampler;
  }

  giveBack(sampler: Sampler): void {
    this.#free.push(sampler);
  }
}
