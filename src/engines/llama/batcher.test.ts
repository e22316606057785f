import { describe, expect, it } from "vitest";
import type { BatchContext, Sampler } from "./batch-context.js";
import { Batcher, type Ending, type StepReport } from "./batcher.js";
import { PrefillPace } from "./prefill-pace.js";
import { Reply } from "./reply.js";
import { samplerConfig } from "./sampler.js";

/**
 * A context without a model. A batch is computed when the test says so; each sequence then says `a`, `b`, `c` …
 */
class FakeContext implements BatchContext {
  /** Tokens of each sequence in the batch under way, by sequence, in the order in which they were added. */
  batch = new Map<number, number>();
  batches: [sequenceId: number, tokens: number][][] = [];
  disposed: number[] = [];
  /** Batches that hold any of these sequences fail. */
  failing = new Set<number>();
  #positions = new Map<number, number>();
  #said = new Map<Sampler, number>();
  #finish: (() => void) | undefined;

  initBatch(): void {
    this.batch = new Map();
  }

  addToBatch(sequenceId: number, first: number, tokens: Uint32Array, logits: Uint32Array): Uint32Array {
    expect(first).toBe(this.#positions.get(sequenceId) ?? 0);
    this.batch.set(sequenceId, tokens.length);
    return logits.length === 0 ? new Uint32Array() : Uint32Array.of(sequenceId);
  }

  async decodeBatch(): Promise<void> {
    this.batches.push([...this.batch]);
    await new Promise<void>((resolve) => (this.#finish = resolve));
    if ([...this.batch.keys()].some((sequenceId) => this.failing.has(sequenceId))) throw new Error("failed");
    for (const [sequenceId, tokens] of this.batch) {
      this.#positions.set(sequenceId, (this.#positions.get(sequenceId) ?? 0) + tokens);
    }
  }

  async sampleToken(_logitIndex: number, sampler: Sampler): Promise<number> {
    const said = this.#said.get(sampler) ?? 0;
    this.#said.set(sampler, said + 1);
    return "a".charCodeAt(0) + said;
  }

  disposeSequence(sequenceId: number): void {
    this.disposed.push(sequenceId);
    this.#positions.delete(sequenceId);
  }

  removeTokenCellsFromSequence(): boolean {
    return true;
  }

  /** Lets the batch under way be computed, and the batcher get to the next one. */
  async step(): Promise<void> {
    await settle();
    this.#finish?.();
    this.#finish = undefined;
    await settle();
  }
}

const sampling = samplerConfig(
  {
    temperature: 0,
    topP: 1,
    topPGiven: false,
    frequencyPenalty: 0,
    presencePenalty: 0,
    seed: undefined,
    logitBias: [],
  },
  { repeatPenalty: 1, minP: 0 },
  100,
);
const settle = () => new Promise((resolve) => setImmediate(resolve));

function setUp({ sequences = 4, prefillChunkTokens = 4, paceTokens = 8 } = {}) {
  const context = new FakeContext();
  const reports: StepReport[] = [];
  let broken = 0;
  let samplersTaken = 0;
  const batcher = new Batcher({
    context,
    samplers: {
      take: () => {
        samplersTaken += 1;
        return { applyConfig: () => undefined };
      },
      giveBack: () => (samplersTaken -= 1),
    },
    sequences,
    prefillChunkTokens,
    pace: new PrefillPace(paceTokens),
    onStep: (report) => reports.push(report),
    onBroken: () => (broken += 1),
  });
  const start = (id: number, promptTokens: number, maxTokens = 100) => {
    batcher.start({
      id,
      prompt: new Uint32Array(promptTokens),
      sampling,
      reply: new Reply({
        detokenize: (tokens) => String.fromCharCode(...tokens),
        isEndOfGeneration: () => false,
        stop: [],
        maxTokens,
      }),
    });
  };
  return {
    context,
    batcher,
    start,
    samplersTaken: () => samplersTaken,
    active: () => reports.at(-1)?.active,
    broken: () => broken,
    textOf: (id: number) =>
      reports
        .flatMap(({ progress }) => progress)
        .filter((one) => one.id === id)
        .map(({ text }) => text ?? "")
        .join(""),
    endingOf: (id: number): Ending["outcome"] | undefined =>
      reports.flatMap(({ endings }) => endings).find((ending) => ending.id === id)?.outcome,
  };
}

describe("batcher", () => {
  it("reads a lone prompt in large steps and then generates one token a step", async () => {
    const { context, start, textOf, endingOf, samplersTaken } = setUp();
    start(1, 10, 2);
    for (let step = 0; step < 4; step++) await context.step();
    expect(context.batches).toEqual([[[0, 8]], [[0, 2]], [[0, 1]]]);
    expect(textOf(1)).toBe("ab");
    expect(endingOf(1)).toEqual({ type: "finished", finishReason: "length", completionTokens: 2 });
    expect(samplersTaken()).toBe(0);
    expect(context.disposed).toEqual([0]);
  });

  it("keeps replies going while a prompt is read beside them, in ascending order of sequence", async () => {
    const { context, start } = setUp();
    start(1, 1);
    await context.step();
    start(2, 20);
    for (let step = 0; step < 3; step++) await context.step();
    expect(context.batches.slice(1, 4)).toEqual([
      [[0, 1]],
      [
        [0, 1],
        [1, 4],
      ],
      [
        [0, 1],
        [1, 4],
      ],
    ]);
  });

  it("gives a sequence that became free to the next in line", async () => {
    const { context, start, batcher, active } = setUp({ sequences: 1 });
    start(1, 1);
    start(2, 1);
    start(3, 1);
    await context.step();
    expect(context.batches).toHaveLength(2);
    batcher.abort(2);
    batcher.abort(1);
    await context.step();
    expect(active()).toBe(1);
    expect(context.batches.at(-1)).toEqual([[0, 1]]);
    expect(context.disposed).toEqual([0]);
  });

  it("drops an aborted generation within one step, waiting, reading or replying", async () => {
    const { context, start, batcher, endingOf, samplersTaken, active } = setUp({ sequences: 2 });
    start(1, 1);
    await context.step();
    start(2, 1000);
    start(3, 1);
    await context.step();
    await context.step();
    expect(samplersTaken()).toBe(2);
    for (const id of [1, 2, 3]) batcher.abort(id);
    await context.step();
    for (const id of [1, 2, 3]) expect(endingOf(id)).toEqual({ type: "aborted" });
    expect(samplersTaken()).toBe(0);
    expect(active()).toBe(0);
    expect(context.disposed.toSorted()).toEqual([0, 1]);
  });

  it("draws no token for a generation that was aborted while it was computed", async () => {
    const { context, start, batcher, textOf } = setUp();
    start(1, 1);
    await settle();
    batcher.abort(1);
    await context.step();
    expect(textOf(1)).toBe("");
  });

  it("fails only the generation that cannot be computed", async () => {
    const { context, start, endingOf, textOf, broken } = setUp();
    start(1, 1);
    start(2, 1);
    start(3, 1);
    context.failing.add(1);
    // Once together, then each alone.
    for (let step = 0; step < 4; step++) await context.step();
    expect(endingOf(2)).toEqual({ type: "failed" });
    expect([textOf(1), textOf(3)]).toEqual(["a", "a"]);
    await context.step();
    expect([textOf(1), textOf(3)]).toEqual(["ab", "ab"]);
    expect(broken()).toBe(0);
  });

  it("reports a context that computes nothing any more", async () => {
    const { context, start, broken, endingOf } = setUp();
    for (const sequenceId of [0, 1, 2, 3]) context.failing.add(sequenceId);
    start(1, 1);
    await context.step();
    expect(broken()).toBe(0);
    start(2, 1);
    await context.step();
    expect(broken()).toBe(1);
    expect(endingOf(2)).toEqual({ type: "failed" });
  });

  it("computes nothing more once it is closed", async () => {
    const { context, start, batcher } = setUp();
    start(1, 100);
    await context.step();
    const closed = batcher.close();
    await context.step();
    await closed;
    expect(context.batches).toHaveLength(2);
  });
});
