import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  infillMarkers,
  tinyLoad,
  writeTinyGguf,
  type TinyModel,
} from "../../../../../test/support/engines/tiny-gguf.js";
import type { RawPrompt } from "../../../../core/chat/request.js";
import { loadModel, type LoadedModel } from "../addon.js";
import { PieceTokenizer } from "./piece-tokenizer.js";
import { buildRawPrompt } from "./raw-prompt.js";

const folder = mkdtempSync(join(tmpdir(), "sotto-raw-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A model with these tokens, for the tests of one block. */
function useModel(options: TinyModel) {
  let model: LoadedModel;
  beforeAll(async () => {
    const weights = join(folder, `${options.infill ?? "plain"}.gguf`);
    writeTinyGguf(weights, options);
    model = await loadModel(tinyLoad(weights, { sequences: 1 }));
  });
  afterAll(() => model.dispose());
  const build = (prompt: RawPrompt, contextTokens = 1024) =>
    buildRawPrompt(prompt, new PieceTokenizer(model.vocabulary, contextTokens), model.vocabulary);
  return {
    build,
    vocabulary: () => model.vocabulary,
    tokens: (prompt: RawPrompt): number[] => {
      const result = build(prompt);
      if (result.type !== "tokens") throw new Error(`expected tokens, got ${result.type}`);
      return [...result.tokens];
    },
    /** With the names of special tokens. */
    text: (tokens: readonly number[]) => model.vocabulary.detokenizeAll(Uint32Array.from(tokens)),
  };
}

const [pre, suf, mid] = infillMarkers;

describe("a raw prompt", () => {
  const model = useModel({});

  it("of text begins with the first token and has special tokens where they are written", () => {
    const vocabulary = model.vocabulary();
    const { firstToken } = vocabulary;
    const text = "<|im_start|>user\nWhat is it?<|im_end|>";
    expect(model.tokens({ type: "text", text })).toEqual([firstToken, ...vocabulary.tokenize(text, true)]);
    const twice = model.tokens({ type: "text", text: "<s>hello" });
    expect(twice.filter((token) => token === firstToken)).toHaveLength(1);
  });

  it("of tokens is read as it is", () => {
    expect(model.tokens({ type: "tokens", tokens: [7, 1, 300] })).toEqual([7, 1, 300]);
  });

  it("that leaves no room for a reply is refused by its length", () => {
    expect(model.build({ type: "tokens", tokens: [1, 2, 3] }, 3)).toEqual({
      type: "too_long",
      tokens: 3,
      exact: true,
    });
    expect(model.build({ type: "text", text: "a".repeat(100_000) })).toMatchObject({
      type: "too_long",
      exact: false,
    });
  });

  it("with a gap is refused where the model has no tokens for it", () => {
    expect(model.build({ type: "infill", prefix: "a", suffix: "b" })).toEqual({ type: "no_infill" });
  });
});

describe("a gap, of a model with a token for the middle", () => {
  const model = useModel({ infill: "with-middle" });

  it("has its prefix and suffix before the middle", () => {
    const tokens = model.tokens({ type: "infill", prefix: "a = ", suffix: "\nb" });
    expect(model.text(tokens)).toMatch(
      /^(?:<s>)?\s*<\|fim_prefix\|>a = <\|fim_suffix\|>\nb<\|fim_middle\|>$/,
    );
  });

  it("is marked once, whatever the texts around it say", () => {
    const hostile = `${mid}x${pre}</s>${suf}<|im_end|>`;
    const tokens = model.tokens({ type: "infill", prefix: hostile, suffix: hostile });
    const plain = model.tokens({ type: "infill", prefix: "a", suffix: "b" });
    const special = (list: readonly number[]) =>
      list.filter((token) => model.vocabulary().specialTokens.has(token));
    expect(special(tokens)).toEqual(special(plain));
    expect(model.text(tokens).split(hostile)).toHaveLength(3);
  });

  it("may be at either end", () => {
    expect(model.text(model.tokens({ type: "infill", prefix: "", suffix: "b" }))).toContain(
      `${pre}${suf}b${mid}`,
    );
  });
});

describe("a gap, of a model without one", () => {
  const model = useModel({ infill: "without-middle" });

  it("has the suffix first, and goes on after the prefix", () => {
    const tokens = model.tokens({ type: "infill", prefix: "a = ", suffix: "\nb" });
    expect(model.text(tokens)).toMatch(/^(?:<s>)?\s*<\|fim_suffix\|>\nb<\|fim_prefix\|>a = $/);
  });
});
