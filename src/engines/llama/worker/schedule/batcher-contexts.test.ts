/**
 * Whatever comes and goes in whatever order: every token is sampled from exactly its own conversation. The batcher
 * and its bookkeeping are real; the native context is a model of it that knows what each sequence holds.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BatchContext } from "../batch-context.js";
import { Batcher } from "./batcher.js";
import type { TokenSamplerOptions } from "../reply/token-sampler.js";
import { GrammarBudget } from "./grammar-budget.js";
import type { Ending } from "../../messages.js";
import { PrefillPace } from "./prefill-pace.js";
import { PrefixCache } from "./prefix-cache.js";
import { SavedPrefixes } from "./saved-prefixes.js";
import type { SavedState, SequenceStates } from "../sequence-states.js";
import { Reply } from "../reply/reply.js";
import { rawConfig } from "../reply/sampling-plan.js";
import { runs } from "../../../../../test/support/depth.js";

/** A computed token, and the account that it was computed for. */
interface Cell {
  token: number;
  accountId: string;
}

interface BatchEntry {
  sequenceId: number;
  first: number;
  tokens: Uint32Array;
}

class ModelState implements SavedState {
  #cells: readonly Cell[] | null;
  readonly size: number;

  constructor(cells: readonly Cell[]) {
    this.#cells = cells;
    this.size = cells.length;
  }

  read(): readonly Cell[] {
    if (this.#cells === null) throw new Error("used after it was disposed of");
    return this.#cells;
  }

  get isDisposed(): boolean {
    return this.#cells === null;
  }

  dispose(): void {
    this.#cells = null;
  }
}

/**
 * As the native one does it: which cells a sequence has is known at once, but the cells themselves are copied in
 * front of the next batch, and what is forgotten is only no longer counted. Only saving and restoring is done at once.
 */
class ModelContext implements BatchContext, SequenceStates {
  readonly batches: number[][] = [];
  /** What the next batches do: `halfway` computes a part of them before it fails. */
  failures: ("none" | "at once" | "halfway")[] = [];
  /** Whether the next state is neither saved nor restored. */
  losesState = false;
  readonly savedStates: ModelState[] = [];
  restored = 0;
  readonly #memory: Cell[][];
  readonly #spans: { from: number; to: number }[];
  #copies: { target: number; source: number }[] = [];
  #batch: BatchEntry[] = [];
  readonly #logits = new Map<number, Cell[]>();
  #finish: (() => void) | undefined;
  /** What should not have been asked of it; the batcher takes what is thrown for a batch that failed. */
  readonly misuses: string[] = [];

  constructor(
    sequences: number,
    /** How many positions attention reaches back; 0: it has a state instead, which cannot go back. */
    private readonly window: number,
    /** Undefined for a token of a prompt that is computed again, alone. */
    private readonly accountOf: (tokens: Uint32Array) => string | undefined,
  ) {
    this.#memory = Array.from({ length: sequences }, () => []);
    this.#spans = Array.from({ length: sequences }, () => ({ from: 0, to: 0 }));
  }

  /** All that was read for the logits, whether attention reaches back to it or not. They stay until the next batch. */
  readBefore(logitIndex: number): readonly Cell[] {
    return this.#logits.get(logitIndex) ?? [];
  }

  initBatch(): void {
    this.#batch = [];
  }

  addToBatch(sequenceId: number, first: number, tokens: Uint32Array, logits: Uint32Array): Uint32Array {
    this.#batch.push({ sequenceId, first, tokens });
    return logits.length === 0 ? new Uint32Array() : Uint32Array.of(sequenceId);
  }

  async decodeBatch(): Promise<void> {
    this.batches.push(this.#batch.map(({ sequenceId }) => sequenceId));
    await new Promise<void>((resolve) => (this.#finish = resolve));
    for (const { target, source } of this.#copies) this.#memory[target] = [...(this.#memory[source] ?? [])];
    this.#copies = [];
    const failure = this.failures.shift() ?? "none";
    if (failure === "at once") throw new Error("failed");
    const computed = failure === "none" ? this.#batch.length : Math.ceil(this.#batch.length / 2);
    this.#logits.clear();
    for (const entry of this.#batch.slice(0, computed)) {
      this.#computeEntry(entry);
      const { sequenceId } = entry;
      this.#logits.set(sequenceId, this.#memory[sequenceId]?.slice(0, this.#span(sequenceId).to) ?? []);
    }
    if (failure === "halfway") throw new Error("failed");
  }

  sampleToken(): Promise<never> {
    throw new Error("tokens are sampled by the test");
  }

  disposeSequence(sequenceId: number): void {
    this.#requireIdle();
    this.#spans[sequenceId] = { from: 0, to: 0 };
  }

  removeTokenCellsFromSequence(sequenceId: number, start: number): boolean {
    this.#requireIdle();
    const { from, to } = this.#span(sequenceId);
    if (this.window === 0 && start > 0 && start < to) return false;
    this.#spans[sequenceId] = start <= from ? { from: 0, to: 0 } : { from, to: Math.min(start, to) };
    return true;
  }

  async copySequenceStateFromOtherSequence(target: number, source: number): Promise<number> {
    this.#requireIdle();
    this.#spans[target] = { ...this.#span(source) };
    this.#copies.push({ target, source });
    await settle();
    return 0;
  }

  async save(sequenceId: number): Promise<SavedState> {
    this.#requireIdle();
    await settle();
    if (this.#losesState()) throw new Error("out of memory");
    const state = new ModelState(this.#memory[sequenceId]?.slice(0, this.#span(sequenceId).to) ?? []);
    this.savedStates.push(state);
    return state;
  }

  async restore(sequenceId: number, state: SavedState, tokens: number): Promise<boolean> {
    this.#requireIdle();
    await settle();
    if (!(state instanceof ModelState)) return false;
    const isLost = this.#losesState();
    this.#memory[sequenceId] = state.read().slice(0, isLost ? 1 : tokens);
    this.#spans[sequenceId] = { from: 0, to: this.#memory[sequenceId].length };
    this.restored += isLost ? 0 : 1;
    return !isLost;
  }

  #losesState(): boolean {
    const loses = this.losesState;
    this.losesState = false;
    return loses;
  }

  getSequenceKvCacheMinPosition(sequenceId: number): number {
    const { from, to } = this.#span(sequenceId);
    return to === 0 ? -1 : from;
  }

  /** Lets the batch under way be computed. */
  finishBatch(): void {
    this.#finish?.();
    this.#finish = undefined;
  }

  #computeEntry({ sequenceId, first, tokens }: BatchEntry): void {
    const { from, to } = this.#span(sequenceId);
    if (first !== to) this.misuses.push(`computes position ${first} after ${to} tokens`);
    // What the first of these tokens attends to must still be there.
    if (this.window > 0 && from > Math.max(0, first + 1 - this.window))
      this.misuses.push(`position ${first} finds a hole`);
    const accountId = this.accountOf(tokens) ?? this.#memory[sequenceId]?.[first - 1]?.accountId ?? unknown;
    const cells = Array.from(tokens, (token) => ({ token, accountId }));
    this.#memory[sequenceId]?.splice(first, Infinity, ...cells);
    const end = first + tokens.length;
    this.#spans[sequenceId] = { from: Math.max(from, end - Math.max(1, this.window)), to: end };
  }

  #span(sequenceId: number): { from: number; to: number } {
    return this.#spans[sequenceId] ?? { from: 0, to: 0 };
  }

  #requireIdle(): void {
    if (this.#finish !== undefined) this.misuses.push("called while it computes");
  }
}

const accounts = ["a", "b"];
/**
 * Of what is read again after it was preempted, until a token is sampled from it: it is the sampling account's from
 * then on.
 */
const unknown = "unknown";
const settle = () => new Promise((resolve) => setImmediate(resolve));

interface Setting {
  sequences: number;
  window: number;
  reuse: boolean;
  movesSequences: boolean;
  /** How many tokens may be saved beside the sequences. */
  savedTokens: number;
  readsWhileComputing: boolean;
  /** How long the stop sequence is; 0: there is none. */
  stopChars: number;
  mostChoices: number;
}

/** Prompts and replies are made of ones and twos, so that they often begin alike; replies name their account. */
const replyToken = (accountId: string, bit: number) => 10 * (1 + accounts.indexOf(accountId)) + 1 + (bit % 2);

function setUp(setting: Setting) {
  const { sequences, window, reuse, movesSequences, savedTokens, readsWhileComputing, stopChars } = setting;
  let nowMs = 0;
  const accountOfPrompt = new Map<ArrayBufferLike, string>();
  const context = new ModelContext(sequences, window, (tokens) => {
    const own = accountOfPrompt.get(tokens.buffer);
    return own ?? accounts[Math.floor((tokens[0] ?? 0) / 10) - 1];
  });
  const owners = new Map<TokenSamplerOptions, { accountId: string; prompt: Uint32Array; said: number[] }>();
  const endings: Ending[] = [];
  const errors: unknown[] = [];
  const grammarMs = new Map<TokenSamplerOptions, number>();
  let spentMs = 0;
  let broken = 0;
  let open = 0;
  const saved = new SavedPrefixes({
    states: context,
    tokenBytes: 1,
    leastTokens: 2,
    mostBytes: () => savedTokens,
    readingMs: () => 1,
    nowMs: () => 0,
  });
  const saves = window === wholeContext && reuse;
  const batcher = new Batcher({
    context,
    cache: new PrefixCache(sequences, reuse, () => nowMs, saves ? saved : undefined),
    pace: new PrefillPace(8, 4),
    threads: { run: (step) => step() },
    grammarBudget: new GrammarBudget(100, [() => spentMs]),
    movesSequences,
    readsWhileComputing,
    onStep: (report) => endings.push(...report.endings),
    onBroken: () => (broken += 1),
    newTokenSampler: (options) => {
      open += 1;
      return {
        next: (logitIndex) => {
          const owner = owners.get(options);
          if (owner === undefined) throw new Error("nobody asked for it");
          const { accountId, prompt, said } = owner;
          const own = [...prompt, ...said].map((token) => ({ token, accountId }));
          const read = context.readBefore(logitIndex);
          for (const cell of read) if (cell.accountId === unknown) cell.accountId = accountId;
          try {
            expect(read).toEqual(own);
          } catch (error) {
            errors.push(error);
          }
          const token = replyToken(accountId, said.length + prompt.length);
          said.push(token);
          spentMs += grammarMs.get(options) ?? 0;
          return Promise.resolve({ token });
        },
        close: () => (open -= 1),
      };
    },
  });
  const start = (
    id: number,
    accountId: string,
    tokens: number[],
    choices: number,
    maxTokens: number,
    msPerSample: number | null,
  ) => {
    const prompt = Uint32Array.from(tokens);
    accountOfPrompt.set(prompt.buffer, accountId);
    const newChoice = () => {
      const grammar =
        msPerSample === null ? undefined : { state: {}, allows: () => true, accept: () => undefined };
      const sampling: TokenSamplerOptions = {
        config: { ...rawConfig },
        nucleus: undefined,
        isStateless: false,
        topLogprobs: undefined,
        grammar,
      };
      grammarMs.set(sampling, msPerSample ?? 0);
      owners.set(sampling, { accountId, prompt, said: [] });
      const reply = new Reply({
        detokenize: (tokens) => "x".repeat(tokens.length),
        bytesOf: () => Buffer.from("x"),
        isEndOfGeneration: () => false,
        stop: stopChars === 0 ? [] : ["x".repeat(stopChars)],
        maxTokens,
      });
      return { sampling, reply };
    };
    batcher.start({ id, accountId, prompt, choices: Array.from({ length: choices }, newChoice) });
  };
  return {
    ...{ batcher, context, start, endings, errors },
    broken: () => broken,
    open: () => open,
    pass: (ms: number) => (nowMs += ms),
  };
}

const wholeContext = 1000;

const settings = fc.record({
  sequences: fc.integer({ min: 1, max: 6 }),
  window: fc.constantFrom(0, 3, wholeContext, wholeContext),
  reuse: fc.constantFrom(true, true, true, false),
  movesSequences: fc.boolean(),
  savedTokens: fc.constantFrom(0, 30, 1000),
  readsWhileComputing: fc.boolean(),
  stopChars: fc.constantFrom(0, 1, 3),
  mostChoices: fc.constantFrom(1, 3),
});

const events = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("start" as const),
      account: fc.constantFrom(...accounts),
      /** Goes on from what this account asked before, if it did. */
      continues: fc.boolean(),
      tokens: fc.array(fc.constantFrom(1, 2), { minLength: 2, maxLength: 12 }),
      choices: fc.constantFrom(1, 1, 1, 2, 3),
      maxTokens: fc.integer({ min: 1, max: 6 }),
      /** Null: the reply follows no grammar. Some take longer than a step has, some than a choice. */
      grammarMs: fc.constantFrom(null, null, 1, 15, 40, 200),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("abort" as const), id: fc.nat(30) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant("step" as const),
      // A turn of the loop may pass, or more than one event fall into it.
      settles: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("failure" as const),
      kind: fc.constantFrom("at once" as const, "halfway" as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("lost state" as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("forget" as const), account: fc.constantFrom(...accounts) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("pause" as const) }) },
);

const savingSetting = {
  ...{ window: wholeContext, reuse: true, movesSequences: true, savedTokens: 1000 },
  ...{ readsWhileComputing: false, stopChars: 0, mostChoices: 2 },
};

describe("conversations in the batcher", () => {
  it("are never lost, mixed or shared between accounts, whatever moves, waits, ends or fails", async () => {
    await fc.assert(
      fc.asyncProperty(
        settings,
        fc.array(events, { maxLength: 80, size: "max" }),
        async (setting, happening) => {
          const { batcher, context, start, endings, errors, broken, open, pass } = setUp(setting);
          const last = new Map<string, number[]>();
          let started = 0;
          let lastError = -Infinity;
          for (const event of happening) {
            if (event.type === "start") {
              const { account, tokens } = event;
              const before = event.continues ? (last.get(account) ?? []) : [];
              const prompt = [...before, ...tokens];
              const choices = Math.min(event.choices, setting.sequences, setting.mostChoices);
              last.set(account, [...prompt, replyToken(account, prompt.length)]);
              start(started++, account, prompt, choices, event.maxTokens, event.grammarMs);
            } else if (event.type === "abort") batcher.abort(event.id);
            else if (event.type === "failure") {
              // Nothing computed in two steps in a row would be a context that is lost.
              if (context.batches.length <= lastError + setting.sequences + 1) continue;
              lastError = context.batches.length;
              context.failures = [event.kind];
            } else if (event.type === "lost state") context.losesState = true;
            else if (event.type === "forget") batcher.forgetAccount(event.account);
            else if (event.type === "pause") pass(4 * 60_000);
            else {
              context.finishBatch();
              if (event.settles) await settle();
            }
          }
          for (let step = 0; step < 4000 && endings.length < started; step++) {
            context.finishBatch();
            await settle();
          }
          const closed = batcher.close();
          context.finishBatch();
          await closed;
          if (errors.length > 0) throw errors[0];
          expect(context.misuses).toEqual([]);
          expect(endings.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(
            Array.from({ length: started }, (_, id) => id),
          );
          expect(broken()).toBe(0);
          expect(open()).toBe(0);
          expect(context.savedStates.every((state) => state.isDisposed)).toBe(true);
          for (const batch of context.batches) {
            expect(batch).toEqual(batch.toSorted((a, b) => a - b));
            // Choices that wait for their prompt, or for another account's, stand between the others.
            if (!setting.movesSequences || setting.mostChoices > 1 || last.size > 1) continue;
            expect((batch.at(-1) ?? 0) - (batch[0] ?? 0)).toBe(batch.length - 1);
          }
        },
      ),
      { numRuns: runs(300) },
    );
  });

  it("are not restored into a sequence that others are still to be copied from", async () => {
    const parts = setUp({ ...savingSetting, sequences: 2 });
    const { batcher, context, start, endings, errors, pass } = parts;
    const finish = async (count: number) => {
      while (endings.length < count) {
        context.finishBatch();
        await settle();
      }
      pass(1);
    };
    const ask = async (account: string, tokens: number[]) => {
      start(endings.length, account, tokens, 1, 1, null);
      await finish(endings.length + 1);
    };
    const [evicted, other] = [Array<number>(8).fill(1), Array<number>(8).fill(2)];
    await ask("b", evicted);
    await ask("b", other);
    await ask("a", [1, 2, 1, 2, 1, 2, 2, 2, 2, 2, 2, 2]);
    // The first gets a copy of what its account has at 0, and the second that sequence.
    start(3, "a", [1, 2, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1], 1, 1, null);
    start(4, "b", [...evicted, 2, 2], 1, 1, null);
    await finish(5);
    expect(context.restored).toBe(0);
    await ask("b", [...other, 1, 1]);
    expect(context.restored).toBe(1);
    const closed = batcher.close();
    context.finishBatch();
    await closed;
    expect([...errors, ...context.misuses]).toEqual([]);
    const cached = endings.map(({ outcome }) => (outcome.type === "finished" ? outcome.cachedTokens : -1));
    expect(cached).toEqual([0, 0, 0, 5, 0, 8]);
  });

  it("are not saved from a sequence that they are still to be copied to", async () => {
    const { batcher, context, start, endings, errors, pass } = setUp({ ...savingSetting, sequences: 4 });
    const step = async () => {
      context.finishBatch();
      await settle();
      pass(1);
    };
    const stepUntil = async (isReached: () => boolean) => {
      for (let steps = 0; steps < 200 && !isReached(); steps++) await step();
      expect(isReached()).toBe(true);
    };
    const hasEnded = (id: number) => endings.some((ending) => ending.id === id);
    start(0, "a", Array<number>(4).fill(1), 1, 100, null);
    start(1, "a", Array<number>(8).fill(2), 1, 30, null);
    start(2, "a", Array<number>(4).fill(3), 1, 100, null);
    start(3, "a", Array<number>(8).fill(4), 1, 1, null);
    await stepUntil(() => hasEnded(3));
    // When 1 ends, 2 moves to where it was, and what it has computed to where 3 was. The next job takes that at once.
    const copied: [target: number, source: number][] = [];
    const copy = context.copySequenceStateFromOtherSequence.bind(context);
    context.copySequenceStateFromOtherSequence = (target, source) => {
      if (copied.length === 0) start(4, "a", [5, 5, 5], 2, 1, null);
      copied.push([target, source]);
      return copy(target, source);
    };
    await stepUntil(() => copied.length > 0);
    const { length } = context.batches;
    await stepUntil(() => context.batches.length > length);
    expect(copied).toEqual([
      [3, 1],
      [1, 2],
    ]);
    expect(context.savedStates).toHaveLength(1);
    await stepUntil(() => hasEnded(0) && hasEnded(2) && hasEnded(4));
    start(5, "a", [...Array<number>(8).fill(2), 1, 1], 1, 1, null);
    await stepUntil(() => hasEnded(5));
    await batcher.close();
    expect([...errors, ...context.misuses]).toEqual([]);
  });
});
