import { describe, expect, it } from "vitest";
import { samplingPlan, type SamplerConfig } from "./sampling-plan.js";
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
      for (const sampler of taken) pool.release(sampler);
    }
    expect(made).toHaveLength(2);
  });

  it("gives samples that leave nothing behind the same sampler, for each kind of sample", () => {
    const { made, pool } = setUp();
    const shared = pool.share(configWith(1));
    expect(pool.share(configWith(2))).toBe(shared);
    pool.release(shared);
    expect(pool.take(configWith(3))).not.toBe(shared);
    expect(pool.share({ ...configWith(1), temperature: 0 })).not.toBe(shared);
    expect(made).toHaveLength(3);
  });

  it("bounds the shared ones, whatever clients ask for", () => {
    const { made, pool } = setUp();
    for (let temperature = 0; temperature < 100; temperature++) {
      pool.release(pool.share({ ...configWith(1), temperature }));
    }
    expect(made.length).toBeLessThanOrEqual(9);
  });

  it.each([0, 1, 42])("restarts for every reply, also with the same seed (%d)", (seed) => {
    const { made, pool } = setUp();
    pool.release(pool.take(configWith(seed)));
    const before = made[0]?.restarts ?? 0;
    pool.take(configWith(seed));
    expect(made[0]?.seed).toBe(seed);
    expect(made[0]?.restarts).toBeGreaterThan(before);
  });
});
