/** With real models: one that drafts for itself guesses what it says. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tinyLoad, writeTinyGguf } from "../../../../../test/support/engines/tiny-gguf.js";
import { type LoadedModel, loadModel } from "../addon.js";
import { rawConfig } from "../reply/sampling-plan.js";
import { Reply } from "../reply/reply.js";
import { SamplerPool } from "../reply/sampler-pool.js";
import { TokenSampler } from "../reply/token-sampler.js";
import { Batcher } from "./batcher.js";
import { DraftModel } from "./draft-model.js";
import { GrammarBudget } from "./grammar-budget.js";
import { PrefillPace } from "./prefill-pace.js";
import { PrefixCache } from "./prefix-cache.js";
import type { Sequence } from "./slots.js";

const folder = mkdtempSync(join(tmpdir(), "sotto-draft-model-"));
const weights = join(folder, "tiny.gguf");
let model: LoadedModel;

beforeAll(async () => {
  writeTinyGguf(weights);
  model = await loadModel(tinyLoad(weights, { sequences: 1, draft: weights }));
});
afterAll(async () => {
  await model.dispose();
  rmSync(folder, { recursive: true });
});

/** A reply that has said all of these tokens. */
const replyOf = (tokens: readonly number[]) =>
  ({ computed: tokens.slice(0, -1), newest: tokens.at(-1) ?? 0 }) as Sequence;

function goOn(reply: Sequence, tokens: readonly number[]): void {
  reply.computed.push(reply.newest, ...tokens.slice(0, -1));
  reply.newest = tokens.at(-1) ?? 0;
}

function draftModel({ draft, facts } = model): DraftModel {
  if (draft === undefined) throw new Error("Expected a draft model.");
  return new DraftModel({ ...draft, vocabularySize: facts.vocabularySize });
}

/** What the model itself says next. */
async function saidAfter(tokens: readonly number[], count: number): Promise<number[]> {
  const { context, newSampler } = model;
  const sampler = newSampler();
  sampler.applyConfig(rawConfig);
  const said: number[] = [];
  let next = [...tokens];
  for (let position = 0; said.length < count; position += next.length, next = said.slice(-1)) {
    context.initBatch(next.length);
    const last = Uint32Array.of(next.length - 1);
    const [logits = 0] = context.addToBatch(0, position, Uint32Array.from(next), last);
    await context.decodeBatch();
    said.push(await context.sampleToken(logits, sampler));
  }
  context.disposeSequence(0);
  return said;
}

const prompt = [1, 400, 410, 420, 430];

describe("a draft model", () => {
  it("guesses what the same model says, step after step", async () => {
    const said = await saidAfter(prompt, 20);
    const draft = draftModel();
    const reply = replyOf([...prompt, ...said.slice(0, 1)]);
    expect(await draft.guess(reply, 7)).toEqual(said.slice(1, 8));
    // All of them are right, and one more is sampled after them.
    goOn(reply, said.slice(1, 9));
    expect(await draft.guess(reply, 7)).toEqual(said.slice(9, 16));
    goOn(reply, said.slice(9, 12));
    expect(await draft.guess(reply, 3)).toEqual(said.slice(12, 15));
    draft.forget();
  });

  it("goes on from what was said instead of its guess", async () => {
    const draft = draftModel();
    const reply = replyOf(prompt);
    const [first = 0] = await draft.guess(reply, 5);
    const other = first === 450 ? 451 : 450;
    goOn(reply, [other]);
    expect(await draft.guess(reply, 4)).toEqual(await saidAfter([...prompt, other], 4));
    const another = replyOf([...prompt, 460]);
    expect(await draft.guess(another, 4)).toEqual(await saidAfter([...prompt, 460], 4));
    draft.forget();
  });

  it("reads a long prompt in parts, and guesses nothing before its end", async () => {
    const long = Array.from({ length: 300 }, (_, index) => 300 + (index % 150));
    const draft = draftModel();
    const reply = replyOf(long);
    expect(await draft.guess(reply, 3)).toEqual([]);
    expect(await draft.guess(reply, 3)).toEqual([]);
    expect(await draft.guess(reply, 3)).toEqual(await saidAfter(long, 3));
    draft.forget();
  });

  it("guesses nothing beyond its context", async () => {
    const draft = draftModel();
    const reply = replyOf(Array.from({ length: 1024 }, () => 400));
    expect(await draft.guess(reply, 3)).toEqual([]);
    expect(draft.reply).toBeUndefined();
  });

  it("is tried again after a while where it did not pay", () => {
    const draft = draftModel();
    const { likelihood } = draft;
    draft.likelihood = 0;
    for (let step = 0; step < 299; step++) draft.leaveAlone();
    expect(draft.likelihood).toBe(0);
    draft.leaveAlone();
    expect(draft.likelihood).toBe(likelihood);
  });

  it("must have the vocabulary of the model", async () => {
    const other = join(folder, "other.gguf");
    writeTinyGguf(other, { otherWords: true });
    const loading = loadModel(tinyLoad(weights, { sequences: 1, draft: other }));
    await expect(loading).rejects.toThrow(`${other} has another vocabulary than ${weights}`);
  });
});

/** Of up to 60 tokens, at temperature 0, with no guesses but those of the draft model. */
async function replyWith({ context, newSampler, vocabulary, facts }: LoadedModel, drafting?: DraftModel) {
  const samplers = new SamplerPool(newSampler);
  const { vocabularySize } = facts;
  let [text, steps] = ["", 0];
  let isOver: () => void = () => undefined;
  const over = new Promise<void>((resolve) => (isOver = resolve));
  const batcher = new Batcher({
    context,
    newTokenSampler: (options) =>
      new TokenSampler(
        context,
        samplers,
        { vocabularySize, utf8Guard: { forbiddenAfter: () => [] } },
        options,
      ),
    cache: new PrefixCache(1, false),
    pace: new PrefillPace(64, 64, undefined),
    threads: {
      run: (step) => {
        steps += 1;
        return step();
      },
    },
    grammarBudget: new GrammarBudget(vocabularySize),
    movesSequences: false,
    speculation: drafting && {
      pace: {
        pays: () => false,
        worth: (guessed, _likelihood, msPerGuess) => (msPerGuess === undefined ? 0 : Math.min(guessed, 7)),
        record: () => undefined,
      },
      contextTokens: 1024,
      model: drafting,
    },
    onStep: ({ progress, endings }) => {
      text += progress.map((one) => one.text ?? "").join("");
      if (endings.length > 0) isOver();
    },
    onBroken: () => undefined,
  });
  const sampling = {
    ...{ config: rawConfig, nucleus: undefined, isStateless: false },
    ...{ topLogprobs: undefined, grammar: undefined },
  };
  const reply = new Reply({ ...vocabulary, stop: [], maxTokens: 60 });
  batcher.start({ id: 1, accountId: "a", prompt: Uint32Array.from(prompt), choices: [{ sampling, reply }] });
  await over;
  await batcher.close();
  return { text, steps };
}

describe("a reply with a draft model", () => {
  it("is the same, in an eighth of the steps where the draft model agrees", async () => {
    const expected = await replyWith(model);
    expect(expected.steps).toBe(60);
    const drafting = draftModel();
    const { text, steps } = await replyWith(model, drafting);
    expect(text).toBe(expected.text);
    expect(steps).toBeLessThan(12);
    expect(drafting.likelihood).toBeGreaterThan(0.95);
    expect(drafting.reply).toBeUndefined();
  });

  it("is the same where it does not", async () => {
    const other = join(folder, "other-weights.gguf");
    writeTinyGguf(other, { seed: 2 });
    const loaded = await loadModel(tinyLoad(weights, { sequences: 1, draft: other }));
    try {
      const expected = await replyWith(model);
      const drafting = draftModel(loaded);
      expect((await replyWith(loaded, drafting)).text).toBe(expected.text);
      expect(drafting.likelihood).toBeLessThan(0.3);
    } finally {
      await loaded.dispose();
    }
  });
});
