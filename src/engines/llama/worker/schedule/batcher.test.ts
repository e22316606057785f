import { describe, expect, it } from "vitest";
import type { BatchContext } from "../batch-context.js";
import { Batcher, type BatcherOptions } from "./batcher.js";
import { GrammarBudget } from "./grammar-budget.js";
import type { Ending, StepReport } from "../../messages.js";
import { PrefillPace } from "./prefill-pace.js";
import { PrefixCache } from "./prefix-cache.js";
import { SavedPrefixes } from "./saved-prefixes.js";
import type { SavedState, SequenceStates } from "../sequence-states.js";
import { Reply } from "../reply/reply.js";
import type { TokenSamplerOptions } from "../reply/token-sampler.js";
import { rawConfig, type SamplerConfig } from "../reply/sampling-plan.js";

const anyGrammar = { state: {}, allows: () => true, accept: () => undefined };

/**
 * A context without a model. A batch is computed when the test says so; each sequence then says `a`, `b`, `c` …
 */
class FakeContext implements BatchContext, SequenceStates {
  /** Tokens of each sequence in the batch under way, by sequence, in the order in which they were added. */
  batch = new Map<number, number>();
  batches: [sequenceId: number, tokens: number][][] = [];
  /** Sequences that were emptied, both before use and after. */
  disposed: number[] = [];
  /** Batches that hold any of these sequences fail. */
  failing = new Set<number>();
  copies: [target: number, source: number][] = [];
  /** Tokens of the states that were saved and not disposed of. */
  saved: number[] = [];
  failsToRestore = false;
  #positions = new Map<number, number>();
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

  sampleToken(): Promise<never> {
    throw new Error("tokens are sampled by the test");
  }

  disposeSequence(sequenceId: number): void {
    if (this.#finish !== undefined) throw new Error("a batch is under way");
    this.disposed.push(sequenceId);
    this.#positions.delete(sequenceId);
  }

  removeTokenCellsFromSequence(sequenceId: number, start: number): boolean {
    this.#positions.set(sequenceId, Math.min(start, this.#positions.get(sequenceId) ?? 0));
    return true;
  }

  copySequenceStateFromOtherSequence(target: number, source: number): Promise<number> {
    this.copies.push([target, source]);
    this.#positions.set(target, this.#positions.get(source) ?? 0);
    return Promise.resolve(0);
  }

  getSequenceKvCacheMinPosition(): number {
    return 0;
  }

  save(sequenceId: number): Promise<SavedState> {
    if (this.#finish !== undefined) throw new Error("a batch is under way");
    const size = this.#positions.get(sequenceId) ?? 0;
    this.saved.push(size);
    const dispose = () => this.saved.splice(this.saved.indexOf(size), 1);
    return Promise.resolve({ size, dispose });
  }

  restore(sequenceId: number, { size }: SavedState, tokens: number): Promise<boolean> {
    if (this.#finish !== undefined) throw new Error("a batch is under way");
    this.#positions.set(sequenceId, Math.min(size, tokens));
    return Promise.resolve(!this.failsToRestore);
  }

  /** Lets the batch under way be computed, and the batcher get to the next one. */
  async step(): Promise<void> {
    await settle();
    this.#finish?.();
    this.#finish = undefined;
    await settle();
  }
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

const savedIn = (states: SequenceStates) =>
  new SavedPrefixes({
    states,
    tokenBytes: 1,
    mostBytes: () => 1000,
    readingMs: (tokens) => tokens,
    leastTokens: 4,
  });

function setUp({
  sequences = 4,
  prefillChunkTokens = 4,
  paceTokens = 8,
  reuse = false,
  saves = false,
  movesSequences = true,
  copyPays = (_tokens: number): boolean => true,
  msPerToken = 0,
  passMs = 0,
  pads = undefined as BatcherOptions["pads"],
  readsWhileComputing = false,
  stop = [] as string[],
  pause = () => Promise.resolve(),
  arrivals = { count: 0 },
} = {}) {
  const context = new FakeContext();
  const reports: StepReport[] = [];
  let broken = 0;
  let sampling = 0;
  let spentMs = 0;
  const grammarMs = new Map<object, number>();
  const batcher = new Batcher({
    context,
    newTokenSampler: ({ config }) => {
      sampling += 1;
      let said = 0;
      return {
        next: () => {
          spentMs += grammarMs.get(config) ?? 0;
          return Promise.resolve({ token: "a".charCodeAt(0) + said++ });
        },
        close: () => (sampling -= 1),
      };
    },
    cache: new PrefixCache(sequences, reuse, undefined, saves ? savedIn(context) : undefined),
    pace: new PrefillPace(paceTokens, prefillChunkTokens, msPerToken || undefined, passMs),
    pads,
    threads: { run: (step) => step() },
    grammarBudget: new GrammarBudget(100, [() => spentMs]),
    movesSequences,
    copyPays,
    readsWhileComputing,
    pause,
    arrivals,
    onStep: (report) => reports.push(report),
    onBroken: () => (broken += 1),
  });
  const newChoice = (
    maxTokens: number,
    config: SamplerConfig = rawConfig,
    grammar?: TokenSamplerOptions["grammar"],
  ) => ({
    sampling: { config, nucleus: undefined, isStateless: false, topLogprobs: undefined, grammar },
    reply: new Reply({
      detokenize: (tokens) => String.fromCharCode(...tokens),
      bytesOf: (token) => Buffer.from([token]),
      isEndOfGeneration: () => false,
      stop,
      maxTokens,
    }),
  });
  const start = (id: number, promptTokens: number, maxTokens = 100, choices = 1, accountId = "one") => {
    batcher.start({
      id,
      accountId,
      prompt: new Uint32Array(promptTokens),
      choices: Array.from({ length: choices }, () => newChoice(maxTokens)),
    });
  };
  /** Each token takes so long to be sampled from the grammar. */
  const startInGrammar = (id: number, msPerSample: number, maxTokens = 100) => {
    const config = { ...rawConfig };
    grammarMs.set(config, msPerSample);
    batcher.start({
      id,
      accountId: "one",
      prompt: new Uint32Array(2),
      choices: [newChoice(maxTokens, config, anyGrammar)],
    });
  };
  return {
    context,
    batcher,
    start,
    startInGrammar,
    sampling: () => sampling,
    active: () => reports.at(-1)?.active,
    progressOf: (id: number) =>
      reports.flatMap(({ progress }) => progress).filter((one) => one.id === id).length,
    broken: () => broken,
    textOf: (id: number, choice = 0) =>
      reports
        .flatMap(({ progress }) => progress)
        .filter((one) => one.id === id && one.choice === choice)
        .map(({ text }) => text ?? "")
        .join(""),
    endingOf: (id: number): Ending["outcome"] | undefined =>
      reports.flatMap(({ endings }) => endings).find((ending) => ending.id === id)?.outcome,
  };
}

describe("batcher", () => {
  it("reads a lone prompt in large steps and then generates one token a step", async () => {
    const { context, start, textOf, endingOf, sampling } = setUp();
    start(1, 10, 2);
    for (let step = 0; step < 4; step++) await context.step();
    expect(context.batches).toEqual([[[0, 8]], [[0, 2]], [[0, 1]]]);
    expect(textOf(1)).toBe("ab");
    expect(endingOf(1)).toEqual({
      type: "finished",
      completionTokens: 2,
      cachedTokens: 0,
      reasoningTokens: 0,
    });
    expect(sampling()).toBe(0);
    expect(context.disposed).toEqual([0, 0]);
  });

  it("pads shorter prompts where that saves a pass, and takes back what it added", async () => {
    const { context, start, textOf } = setUp({
      ...{ paceTokens: 64, msPerToken: 1, passMs: 9 },
      pads: { batchTokens: 64, contextTokens: 100 },
    });
    start(1, 5, 3);
    start(2, 7, 3);
    for (let step = 0; step < 4; step++) await context.step();
    // A token that is added in the wrong place would be noticed: the context knows where each sequence ends.
    expect(context.batches).toEqual([
      [
        [0, 7],
        [1, 7],
      ],
      ...Array.from({ length: 2 }, () => [
        [0, 1],
        [1, 1],
      ]),
    ]);
    expect([textOf(1), textOf(2)]).toEqual(["abc", "abc"]);
  });

  it("makes text of a token while the next one is computed, where a GPU does that", async () => {
    const { context, start, textOf, endingOf } = setUp({ readsWhileComputing: true });
    start(1, 2, 3);
    await context.step();
    // The second token is being computed, and the first one has been reported.
    expect(context.batches).toHaveLength(2);
    expect(textOf(1)).toBe("a");
    for (let step = 0; step < 3; step++) await context.step();
    expect(textOf(1)).toBe("abc");
    expect(context.batches).toEqual([[[0, 2]], [[0, 1]], [[0, 1]]]);
    expect(endingOf(1)).toMatchObject({ type: "finished", completionTokens: 3 });
  });

  it("ends at a stop sequence that is read while the next token is computed, and shows nothing of that one", async () => {
    const { context, start, textOf, endingOf, sampling, active } = setUp({
      readsWhileComputing: true,
      stop: ["b"],
    });
    start(1, 2, 10);
    start(2, 2, 3);
    for (let step = 0; step < 5; step++) await context.step();
    expect(textOf(1)).toBe("a");
    expect(endingOf(1)).toMatchObject({ type: "finished", completionTokens: 2 });
    expect(sampling()).toBe(0);
    expect(active()).toBe(0);
    start(3, 2, 1);
    await context.step();
    await context.step();
    expect(textOf(3)).toBe("a");
  });

  it("reads prompts together that come at the same moment, where reading takes long", async () => {
    const pauses: (() => void)[] = [];
    const pause = () => new Promise<void>((resolve) => pauses.push(resolve));
    const { context, start } = setUp({ msPerToken: 100, pause });
    const next = async () => {
      await settle();
      pauses.shift()?.();
      await settle();
    };
    start(1, 4);
    await settle();
    start(2, 4);
    await next();
    // One came, so there may be more; nobody does.
    expect(context.batches).toEqual([]);
    await next();
    expect(context.batches[0]?.map(([sequenceId]) => sequenceId)).toEqual([0, 1]);
  });

  it("waits for prompts that are on their way, but not for long", async () => {
    const arrivals = { count: 1 };
    let pauses = 0;
    const pause = () => {
      pauses += 1;
      return Promise.resolve();
    };
    const { context, start } = setUp({ pause, arrivals });
    start(1, 4);
    await settle();
    expect(pauses).toBe(5);
    expect(context.batches).toHaveLength(1);
  });

  it("reads prompts together that were on their way, and waits no longer than they are", async () => {
    const arrivals = { count: 1 };
    const pauses: (() => void)[] = [];
    const pause = () => new Promise<void>((resolve) => pauses.push(resolve));
    const { context, start } = setUp({ pause, arrivals });
    start(1, 4);
    await settle();
    start(2, 4);
    arrivals.count = 0;
    pauses.shift()?.();
    await settle();
    expect(pauses).toEqual([]);
    expect(context.batches[0]?.map(([sequenceId]) => sequenceId)).toEqual([0, 1]);
  });

  it("reads the rest of prompts of different length in one step, so that their replies start together", async () => {
    const { context, start } = setUp({ paceTokens: 16, msPerToken: 1 });
    start(1, 9);
    start(2, 10);
    start(3, 11);
    for (let step = 0; step < 3; step++) await context.step();
    expect(context.batches.map((batch) => batch.map(([, tokens]) => tokens))).toEqual([
      [4, 4, 4],
      [4, 4, 4],
      [1, 2, 3],
      [1, 1, 1],
    ]);
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
        [1, 5],
      ],
      [
        [0, 1],
        [1, 5],
      ],
    ]);
  });

  it("ends a choice whose grammar takes too long, and no other", async () => {
    const { context, start, startInGrammar, textOf, endingOf, active } = setUp();
    start(1, 2);
    startInGrammar(2, 1);
    startInGrammar(3, 400);
    startInGrammar(4, 3_000);
    for (let step = 0; step < 12; step++) await context.step();
    expect(endingOf(4)).toEqual({ type: "too_slow" });
    expect(textOf(4).length).toBeLessThan(4);
    expect(endingOf(3)).toEqual({ type: "too_slow" });
    expect([endingOf(1), endingOf(2), active()]).toEqual([undefined, undefined, 2]);
    expect(textOf(1).length).toBeGreaterThan(9);
  });

  it("bounds the time of grammars in each step, and gives each its turn", async () => {
    const { context, start, startInGrammar, textOf } = setUp();
    start(1, 2);
    for (const id of [2, 3, 4]) startInGrammar(id, 50);
    const said: number[][] = [];
    for (let step = 0; step < 10; step++) {
      const before = [1, 2, 3, 4].map((id) => textOf(id).length);
      await context.step();
      said.push([1, 2, 3, 4].map((id, index) => textOf(id).length - (before[index] ?? 0)));
    }
    // A step has room for one of them, and the reply without a grammar goes on in every step.
    expect(said.every(([, ...held]) => held.reduce((sum, tokens) => sum + tokens, 0) <= 1)).toBe(true);
    expect(textOf(1)).toHaveLength(10);
    expect([2, 3, 4].map((id) => textOf(id).length)).toEqual([4, 3, 3]);
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
    expect(context.disposed).toEqual([0, 0, 0]);
  });

  it("drops an aborted generation within one step, waiting, reading or replying", async () => {
    const { context, start, batcher, endingOf, sampling, active } = setUp({ sequences: 2 });
    start(1, 1);
    await context.step();
    start(2, 1000);
    start(3, 1);
    await context.step();
    await context.step();
    expect(sampling()).toBe(2);
    for (const id of [1, 2, 3]) batcher.abort(id);
    await context.step();
    for (const id of [1, 2, 3]) expect(endingOf(id)).toEqual({ type: "aborted" });
    expect(sampling()).toBe(0);
    expect(active()).toBe(0);
    expect(context.disposed.slice(-2).toSorted()).toEqual([0, 1]);
  });

  it("samples no token for a generation that was aborted while it was computed", async () => {
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
    context.failing.clear();
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

  it("reads the prompt of several choices once, and gives each of them a copy", async () => {
    const { context, start, textOf, endingOf, active } = setUp({ paceTokens: 16 });
    start(1, 6, 2, 3);
    for (let step = 0; step < 3; step++) await context.step();
    expect(context.batches.slice(0, 2)).toEqual([
      [[0, 6]],
      [
        [0, 1],
        [1, 1],
        [2, 1],
      ],
    ]);
    expect(context.copies).toEqual([
      [1, 0],
      [2, 0],
    ]);
    expect([0, 1, 2].map((choice) => textOf(1, choice))).toEqual(["ab", "ab", "ab"]);
    expect(endingOf(1)).toEqual({
      type: "finished",
      completionTokens: 6,
      cachedTokens: 0,
      reasoningTokens: 0,
    });
    expect(active()).toBe(0);
  });

  it("lets several choices wait until all of them have a sequence, and nobody pass", async () => {
    const { context, start, batcher, active } = setUp({ sequences: 2 });
    start(1, 1);
    await context.step();
    start(2, 1, 100, 2);
    start(3, 1);
    await context.step();
    expect(active()).toBe(1);
    batcher.abort(1);
    await context.step();
    expect(active()).toBe(2);
    expect(context.batches.at(-1)).toHaveLength(1);
  });

  it("fails more choices than there are sequences", async () => {
    const { start, endingOf } = setUp({ sequences: 2 });
    start(1, 1, 1, 3);
    await settle();
    expect(endingOf(1)).toEqual({ type: "failed" });
  });

  it("fails all choices when one of them cannot be computed", async () => {
    const { context, start, endingOf, active, sampling } = setUp();
    start(1, 1, 100, 2);
    start(2, 1);
    await context.step();
    context.failing.add(1);
    for (let step = 0; step < 5; step++) await context.step();
    expect(endingOf(1)).toEqual({ type: "failed" });
    expect(endingOf(2)).toBeUndefined();
    expect(active()).toBe(1);
    expect(sampling()).toBe(1);
  });

  it("computes only what is new of a prompt that continues the account's last one", async () => {
    const { context, start, endingOf } = setUp({ reuse: true });
    start(1, 5, 1);
    for (let step = 0; step < 2; step++) await context.step();
    start(2, 9, 1);
    for (let step = 0; step < 2; step++) await context.step();
    start(3, 9, 1, 1, "two");
    for (let step = 0; step < 3; step++) await context.step();
    expect(context.batches).toEqual([[[0, 5]], [[0, 4]], [[1, 8]], [[1, 1]]]);
    expect(endingOf(2)).toMatchObject({ cachedTokens: 5 });
    expect(endingOf(3)).toMatchObject({ cachedTokens: 0 });
  });

  it("gives up no conversation for choices that start from a copy, while there is room", async () => {
    const { context, start, endingOf } = setUp({ reuse: true, movesSequences: false });
    for (const id of [1, 2]) start(id, 4, 1);
    await context.step();
    start(3, 5, 1, 2);
    await context.step();
    expect(context.copies).toEqual([[2, 0]]);
    expect(endingOf(3)).toMatchObject({ cachedTokens: 4 });
  });

  it("copies a beginning that the account's running reply shares, and that one goes on", async () => {
    const { context, start, endingOf, textOf } = setUp({ reuse: true });
    start(1, 6);
    await context.step();
    start(2, 12, 1);
    await context.step();
    expect(context.copies).toEqual([[1, 0]]);
    for (let step = 0; step < 3; step++) await context.step();
    expect(endingOf(2)).toMatchObject({ cachedTokens: 6 });
    expect(textOf(1)).toBe("abcde");
  });

  it.each([
    ["another account's", { reuse: true }, 12, "two"],
    ["its own with reuse switched off", { reuse: false }, 12, "one"],
    ["its own where copying does not pay", { reuse: true, movesSequences: false }, 12, "one"],
    ["its own where reading is faster", { reuse: true, copyPays: (tokens: number) => tokens > 6 }, 12, "one"],
    ["so little that computing it is as fast", { reuse: true }, 3, "one"],
  ] as const)("copies no beginning: %s", async (_, options, promptTokens, accountId) => {
    const { context, start, endingOf } = setUp(options);
    start(1, 6);
    await context.step();
    start(2, promptTokens, 1, 1, accountId);
    for (let step = 0; step < 6; step++) await context.step();
    expect(context.copies).toEqual([]);
    expect(endingOf(2)).toMatchObject({ cachedTokens: 0 });
  });

  it("clears a sequence before another account gets it", async () => {
    const { context, start, endingOf } = setUp({ reuse: true, sequences: 1 });
    start(1, 5, 1);
    for (let step = 0; step < 2; step++) await context.step();
    expect(context.disposed).toEqual([0]);
    start(2, 5, 1, 1, "two");
    await settle();
    expect(context.disposed).toEqual([0, 0]);
    for (let step = 0; step < 2; step++) await context.step();
    expect(endingOf(2)).toMatchObject({ cachedTokens: 0 });
  });

  it("closes the gap that a reply leaves, so that the others are computed in one pass", async () => {
    const { context, start, textOf } = setUp();
    start(1, 1);
    start(2, 1, 1);
    start(3, 1);
    await context.step();
    expect(context.copies).toEqual([[1, 2]]);
    await context.step();
    expect(context.batches.at(-1)).toEqual([
      [0, 1],
      [1, 1],
    ]);
    expect(context.disposed.at(-1)).toBe(2);
    expect([textOf(1), textOf(3)]).toEqual(["ab", "ab"]);
  });

  it("keeps a conversation whose place is needed elsewhere", async () => {
    const { context, start, endingOf } = setUp({ reuse: true });
    start(1, 1, 100, 1, "other");
    start(2, 1, 1);
    start(3, 1, 100, 1, "other");
    await context.step();
    expect(context.copies).toEqual([
      [3, 1],
      [1, 2],
    ]);
    start(4, 3, 1);
    for (let step = 0; step < 3; step++) await context.step();
    expect(endingOf(4)).toMatchObject({ cachedTokens: 1 });
  });

  it("leaves sequences where they are when moving them does not pay", async () => {
    const { context, start } = setUp({ movesSequences: false });
    start(1, 1);
    start(2, 1, 1);
    start(3, 1);
    for (let step = 0; step < 2; step++) await context.step();
    expect(context.copies).toEqual([]);
    expect(context.batches.at(-1)).toEqual([
      [0, 1],
      [2, 1],
    ]);
  });

  describe("with several accounts", () => {
    it("sets a prompt aside for another account's, which gets as much of the next step", async () => {
      const { context, start, endingOf, textOf } = setUp({ sequences: 2, reuse: true });
      for (const id of [1, 2, 3]) start(id, 40, 1, 1, "flood");
      await context.step();
      start(4, 4, 1, 1, "newcomer");
      for (let step = 0; step < 3 && endingOf(4) === undefined; step++) await context.step();
      expect(endingOf(4)).toMatchObject({ type: "finished", completionTokens: 1 });
      expect([1, 2, 3].map(endingOf)).toEqual([undefined, undefined, undefined]);
      // The step under way had none of it; the next one has all of it, and as many tokens of the flood.
      expect(context.batches.slice(0, 3)).toEqual([
        [
          [0, 4],
          [1, 4],
        ],
        [
          [0, 4],
          [1, 4],
        ],
        [
          [0, 4],
          [1, 4],
        ],
      ]);
      for (let step = 0; step < 40; step++) await context.step();
      expect([1, 2, 3].map((id) => textOf(id))).toEqual(["a", "a", "a"]);
    });

    it("sets a reply aside for another account's, and continues it where it was", async () => {
      const { context, start, endingOf, textOf, sampling } = setUp({ sequences: 2 });
      start(1, 2, 6, 1, "flood");
      start(2, 2, 6, 1, "flood");
      for (let step = 0; step < 3; step++) await context.step();
      start(3, 2, 2, 1, "newcomer");
      for (let step = 0; step < 4; step++) await context.step();
      expect(endingOf(3)).toMatchObject({ type: "finished" });
      for (let step = 0; step < 12; step++) await context.step();
      expect([textOf(1), textOf(2), textOf(3)]).toEqual(["abcdef", "abcdef", "ab"]);
      expect(sampling()).toBe(0);
    });

    it("shares sequences evenly, and takes none from an account for one that has as many", async () => {
      const { context, start, active, endingOf } = setUp({ sequences: 2 });
      start(1, 4, 100, 1, "a");
      start(2, 4, 100, 1, "b");
      await context.step();
      start(3, 4, 1, 1, "c");
      for (let step = 0; step < 5; step++) await context.step();
      expect([active(), endingOf(3)]).toEqual([2, undefined]);
    });

    it("reports progress of what is preempted, and ends it when it is aborted", async () => {
      const { context, batcher, start, endingOf, sampling, progressOf } = setUp({ sequences: 2 });
      start(1, 2, 100, 1, "flood");
      start(2, 2, 100, 1, "flood");
      await context.step();
      start(3, 2, 100, 1, "newcomer");
      await context.step();
      const before = progressOf(2);
      await context.step();
      await context.step();
      expect(progressOf(2)).toBeGreaterThan(before);
      batcher.abort(2);
      await context.step();
      expect(endingOf(2)).toEqual({ type: "aborted" });
      expect(sampling()).toBe(2);
    });
  });

  describe("with memory for what is evicted", () => {
    const evicted = async () => {
      const parts = setUp({ sequences: 1, reuse: true, saves: true });
      const { context, start } = parts;
      start(1, 8, 1, 1, "one");
      await context.step();
      start(2, 8, 1, 1, "two");
      await context.step();
      return parts;
    };

    it("saves a conversation before another gets its sequence, and restores it for the next turn", async () => {
      const { context, start, endingOf } = await evicted();
      expect(context.saved).toEqual([8]);
      start(3, 12, 1, 1, "one");
      await context.step();
      expect(endingOf(3)).toMatchObject({ type: "finished", cachedTokens: 8 });
      expect(context.batches.at(-1)).toEqual([[0, 4]]);
      // It left, and the other one came.
      expect(context.saved).toEqual([8]);
      start(4, 12, 1, 1, "three");
      await context.step();
      await context.step();
      expect(endingOf(4)).toMatchObject({ type: "finished", cachedTokens: 0 });
    });

    it("reads all of it again where restoring fails", async () => {
      const { context, start, endingOf } = await evicted();
      context.failsToRestore = true;
      start(3, 12, 1, 1, "one");
      for (let step = 0; step < 2; step++) await context.step();
      expect(endingOf(3)).toMatchObject({ type: "finished", cachedTokens: 0 });
      expect(context.batches.slice(-2)).toEqual([[[0, 8]], [[0, 4]]]);
      expect(context.saved).toEqual([8]);
    });

    it("forgets it with its account, and all of it when it is closed", async () => {
      const { batcher, context, start } = await evicted();
      expect(batcher.keptOf("one").count).toBe(1);
      batcher.forgetAccount("one");
      await settle();
      expect(batcher.keptOf("one").count).toBe(0);
      expect(context.saved).toEqual([]);
      start(3, 8, 1, 1, "one");
      await context.step();
      expect(context.saved).toEqual([8]);
      await batcher.close();
      expect(context.saved).toEqual([]);
    });
  });
});
