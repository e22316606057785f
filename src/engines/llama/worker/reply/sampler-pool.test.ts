import { describe, expect, it } from "vitest";
import { samplingPlan, type SamplerConfig } from "./sampler.js";
import { SamplerPool } from "./sampler-pool.js";

const sampling = {
  temperature: 1,
  topP: 1,
  topPGiven: false,
  frequencyPenalty: 0,
  presencePenalty: 0,
  logitBias: [],
};
const configWith = (seed: number) =>
  samplingPlan({ ...sampling, seed }, { repeatPenalty: 1, minP: 0 }, 100).config;

/** Restarts its random numbers when the seed changes, as the native sampler does. */
class FakeSampler {
  seed = -1;
  restarts = 0;

  applyConfig({ seed }: SamplerConfig): void {
    if (seed !== this.seed) this.restarts += 1;
    this.seed = seed;
  }
}

function setUp() {
  const made: FakeSampler[] = [];
  const pool = new SamplerPool(() => {
    const sampler = new FakeSampler();
    made.push(sampler);
    return sampler;
  });
  return { made, pool };
}

describe("sampler pool", () => {
  it("makes no more samplers than are in use at once", () => {
    const { made, pool } = setUp();
    for (let round = 0; round < 100; round++) {
      const taken = [pool.take(configWith(round)), pool.take(configWith(round))];
      for (const sampler of taken) pool.giveBack(sampler);
    }
    expect(made).toHaveLength(2);
  });

  it.each([0, 1, 42])("restarts for every reply, also with the same seed (%d)", (seed) => {
    const { made, pool } = setUp();
    pool.giveBack(pool.take(configWith(seed)));
    const before = made[0]?.restarts ?? 0;
    pool.take(configWith(seed));
    expect(made[0]?.seed).toBe(seed);
    expect(made[0]?.restarts).toBeGreaterThan(before);
  });
});
