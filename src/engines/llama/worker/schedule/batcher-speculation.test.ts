import { describe, expect, it } from "vitest";
import type { StepReport } from "../../messages.js";
import type { BatchContext } from "../batch-context.js";
import { Reply } from "../reply/reply.js";
import { rawConfig } from "../reply/sampling-plan.js";
import { Batcher } from "./batcher.js";
import { GrammarBudget } from "./grammar-budget.js";
import { PrefillPace } from "./prefill-pace.js";
import { PrefixCache } from "./prefix-cache.js";
import { DraftModel } from "./draft-model.js";
import type { Guess } from "./speculation.js";

const contextTokens = 64;

/** A model that says a text by heart, a letter a token, as long as what it has computed is that text. */
class Reciter implements BatchContext {
  readonly cells = new Map<number, number[]>();
  /** Tokens of each entry of each batch. */
  readonly batches: number[][] = [];
  canRemove = true;
  failsAbove = Infinity;
  firstPosition = 0;
  #adding: [sequenceId: number, tokens: Uint32Array][] = [];
  #logits: (() => number)[] = [];

  constructor(private readonly text: string) {}

  initBatch(): void {
    this.#adding = [];
    this.#logits = [];
  }

  addToBatch(sequenceId: number, first: number, tokens: Uint32Array, asked: Uint32Array): Uint32Array {
    expect(first).toBe(this.#cellsOf(sequenceId).length);
    expect(first + tokens.length).toBeLessThanOrEqual(contextTokens);
    this.#adding.push([sequenceId, tokens]);
    return asked.map((at) => this.#logits.push(() => this.#next(sequenceId, first + at + 1)) - 1);
  }

  decodeBatch(): Promise<void> {
    this.batches.push(this.#adding.map(([, tokens]) => tokens.length));
    if (this.#adding.some(([, tokens]) => tokens.length > this.failsAbove))
      return Promise.reject(new Error("failed"));
    for (const [sequenceId, tokens] of this.#adding) this.#cellsOf(sequenceId).push(...tokens);
    return Promise.resolve();
  }

  /** What comes after the first so many tokens of the sequence. */
  sample(logitIndex: number): number {
    return this.#logits[logitIndex]?.() ?? 0;
  }

  sampleToken(): Promise<never> {
    throw new Error("tokens are sampled by the test");
  }

  disposeSequence(sequenceId: number): void {
    this.cells.delete(sequenceId);
  }

  removeTokenCellsFromSequence(sequenceId: number, start: number): boolean {
    if (this.canRemove) this.#cellsOf(sequenceId).splice(start);
    return this.canRemove;
  }

  copySequenceStateFromOtherSequence(): Promise<number> {
    return Promise.resolve(0);
  }

  getSequenceKvCacheMinPosition(): number {
    return this.firstPosition;
  }

  #cellsOf(sequenceId: number): number[] {
    const cells = this.cells.get(sequenceId) ?? [];
    this.cells.set(sequenceId, cells);
    return cells;
  }

  #next(sequenceId: number, position: number): number {
    const said = String.fromCharCode(...this.#cellsOf(sequenceId).slice(0, position));
    expect(this.text.startsWith(said)).toBe(true);
    return this.text.charCodeAt(position);
  }
}

interface Setting {
  context: Reciter;
  prompt: string;
  replies?: number;
  maxTokens?: number;
  stop?: string[];
  speculates?: boolean;
  readsWhileComputing?: boolean;
  forced?: Guess;
  model?: DraftModel;
}

/** Lets the model reply until it ends, and returns what the first said, and how it ended. */
async function reply({
  context,
  prompt,
  replies = 1,
  maxTokens = 30,
  stop = [],
  speculates = true,
  readsWhileComputing = false,
  forced,
  model,
}: Setting) {
  const reports: StepReport[] = [];
  let isOver: () => void = () => undefined;
  const over = new Promise<void>((resolve) => (isOver = resolve));
  const endings = () => reports.flatMap((report) => report.endings);
  const batcher = new Batcher({
    context,
    newTokenSampler: () => ({
      next: (logitIndex) => Promise.resolve({ token: context.sample(logitIndex) }),
      close: () => undefined,
    }),
    cache: new PrefixCache(replies, false),
    pace: new PrefillPace(64, 64, undefined),
    threads: { run: (step) => step() },
    grammarBudget: new GrammarBudget(100, [() => 0]),
    movesSequences: true,
    readsWhileComputing,
    speculation: speculates
      ? {
          pace: { pays: () => true, worth: (guessed) => guessed, record: () => undefined },
          contextTokens,
          model,
        }
      : undefined,
    pause: () => Promise.resolve(),
    onStep: (report) => {
      reports.push(report);
      if (endings().length === replies) isOver();
    },
    onBroken: () => undefined,
  });
  const letters = Uint32Array.from(Buffer.from(prompt));
  for (let id = 0; id < replies; id++) {
    const own = new Reply({
      detokenize: (tokens) => String.fromCharCode(...tokens),
      bytesOf: (token) => Buffer.from([token]),
      isEndOfGeneration: (token) => Number.isNaN(token),
      stop,
      maxTokens,
    });
    const sampling = {
      config: rawConfig,
      nucleus: undefined,
      isStateless: false,
      topLogprobs: undefined,
      grammar: undefined,
    };
    batcher.start({ id, accountId: "one", prompt: letters, choices: [{ sampling, reply: own, forced }] });
  }
  await over;
  await batcher.close();
  const progress = reports.flatMap((report) => report.progress).filter((one) => one.id === 0);
  return { text: progress.map(({ text }) => text ?? "").join(""), outcome: endings()[0]?.outcome };
}

const verse = "to be or not to be or not to be, that is or not the question";

describe("speculation", () => {
  it("says the same in fewer steps", async () => {
    const [plain, quick] = [new Reciter(verse), new Reciter(verse)];
    const expected = await reply({ context: plain, prompt: "to be or", speculates: false });
    const { text, outcome } = await reply({ context: quick, prompt: "to be or" });
    expect({ text, outcome }).toEqual(expected);
    expect(text).toBe(verse.slice("to be or".length, "to be or".length + 30));
    expect(quick.batches.length).toBeLessThan(plain.batches.length - 8);
    expect(plain.batches.flat().slice(1)).toEqual(plain.batches.slice(1).map(() => 1));
  });

  it("computes what a grammar forces in one step, and nothing of it where it does not come", async () => {
    const text = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH";
    const forcing = (after: string, forced: string): Guess => {
      return (computed, newest) =>
        String.fromCharCode(...computed, newest).endsWith(after) ? [...Buffer.from(forced)] : [];
    };
    const said = async (forced: Guess) => {
      const context = new Reciter(text);
      const { text: own } = await reply({ context, prompt: "ab", forced });
      expect(own).toBe(text.slice(2, 32));
      return context.batches.slice(1).map(([tokens]) => tokens);
    };
    expect(await said(forcing("e", "fghij"))).toEqual([1, 1, 6, ...Array.from({ length: 21 }, () => 1)]);
    expect(await said(forcing("e", "fgxij"))).toEqual([1, 1, 6, ...Array.from({ length: 24 }, () => 1)]);
  });

  it("has a draft model guess where nothing else does, and keeps nothing of it", async () => {
    const text = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH".repeat(2);
    const [context, draftContext] = [new Reciter(text), new Reciter(text)];
    const model = new DraftModel({
      ...{ context: draftContext, contextTokens, vocabularySize: 128 },
      sample: (logitIndex) => Promise.resolve(draftContext.sample(logitIndex)),
    });
    const { text: said } = await reply({ context, prompt: "abcd", model });
    expect(said).toBe(text.slice(4, 34));
    expect(context.batches.slice(1)).toEqual([[16], [16]]);
    expect(draftContext.cells.size).toBe(0);
    expect(model.likelihood).toBeGreaterThan(0.95);
  });

  it("ends where a stop sequence does, in the middle of what was guessed", async () => {
    for (const readsWhileComputing of [false, true]) {
      const context = new Reciter(verse);
      const { text } = await reply({
        context,
        prompt: "to be or not to",
        stop: ["or n"],
        readsWhileComputing,
      });
      expect(text).toBe(" be ");
    }
  });

  it("guesses nothing beside another reply", async () => {
    const context = new Reciter(verse);
    await reply({ context, prompt: "to be or", replies: 2 });
    const together = context.batches.filter((sizes) => sizes.length === 2).slice(-20);
    expect(together.length).toBe(20);
    expect(new Set(together.flat())).toEqual(new Set([1]));
  });

  it("guesses nothing where a sliding window has dropped the first tokens", async () => {
    const context = new Reciter(verse);
    context.firstPosition = 1;
    await reply({ context, prompt: "to be or" });
    expect(
      context.batches
        .slice(1)
        .flat()
        .every((tokens) => tokens === 1),
    ).toBe(true);
  });

  it("stays within the context", async () => {
    const long = "ab ".repeat(40);
    const context = new Reciter(long);
    const { text } = await reply({ context, prompt: long.slice(0, 40), maxTokens: contextTokens - 40 });
    expect(text).toBe(long.slice(40, contextTokens));
  });

  it("computes a step again without guesses where it fails with them", async () => {
    const context = new Reciter(verse);
    context.failsAbove = 8;
    const { text, outcome } = await reply({ context, prompt: "to be or", maxTokens: 40 });
    expect(text).toBe(verse.slice(8, 48));
    expect(outcome?.type).toBe("finished");
  });

  it("reads the reply again where computed tokens cannot be taken back, and guesses no more", async () => {
    const context = new Reciter(verse);
    context.canRemove = false;
    const { text } = await reply({ context, prompt: "to be or", maxTokens: 45 });
    expect(text).toBe(verse.slice(8, 53));
    expect(context.batches.flat().slice(1)).toSatisfy((sizes: number[]) =>
      sizes.some((tokens) => tokens > 1),
    );
    expect(context.batches.flat().slice(-20)).toEqual(Array.from({ length: 20 }, () => 1));
  });
});
