import { describe, expect, it } from "vitest";
import { InputReader, type InputFacts } from "./inputs.js";

/** A token for each character; `<` and `>` around a number are that token, where they may be. */
const tokenize = (text: string, special: boolean): Uint32Array => {
  const pieces = special ? (text.match(/<\d+>|./gs) ?? []) : Array.from(text);
  return Uint32Array.from(pieces, (piece) =>
    piece.length > 1 ? Number(piece.slice(1, -1)) : (piece.codePointAt(0) ?? 0),
  );
};
const frame = { firstToken: 1, lastToken: 2, betweenTexts: [2, 3] };
const reader = (facts: Partial<InputFacts> = {}, vocabulary: Partial<typeof frame> = {}) =>
  new InputReader(
    { tokenize, ...frame, ...vocabulary },
    { vocabularySize: 200, contextTokens: 8, stripsAccents: false, rankTemplate: undefined, ...facts },
  );
const embed = (...inputs: (string | number[])[]) =>
  ({ type: "embed", inputs, dimensions: undefined }) as const;
const tokensOf = (text: string) => [...tokenize(text, false)];

describe("the inputs of a task", () => {
  it("get the model's frame, once", () => {
    const framed = Uint32Array.of(1, ...tokensOf("ab"), 2);
    const inputs = embed("ab", tokensOf("ab"), [...framed]);
    expect(reader().read(inputs)).toEqual({ type: "inputs", inputs: [framed, framed, framed] });
  });

  it("are plain text, whatever is written in them", () => {
    const result = reader().read(embed("<1>"));
    expect(result).toEqual({ type: "inputs", inputs: [Uint32Array.of(1, ...tokensOf("<1>"), 2)] });
  });

  it("lose their accents where the model knows none, and nothing else", () => {
    const read = (text: string, stripsAccents: boolean) =>
      reader({ stripsAccents, vocabularySize: Infinity }).read(embed(text));
    expect(read("é", true)).toEqual(read("e", false));
    expect(read("की", true)).toEqual(read("की", false));
    expect(read("한", true)).toEqual(read("한".normalize("NFD"), false));
  });

  it("are named when they are too long, and what comes after is not read", () => {
    expect(reader().read(embed("abcdef", "abcdefg", "z".repeat(1000)))).toEqual({
      type: "input_too_long",
      index: 1,
      tokens: 9,
    });
  });

  it("are named when they have a token that the model does not have", () => {
    expect(reader().read(embed("a", [199], [200]))).toEqual({ type: "unknown_token", index: 2 });
  });

  it("are a query with each document, for a model that ranks", () => {
    const task = { type: "rank", query: "q", documents: ["d", "e"] } as const;
    const pair = (document: string) => Uint32Array.of(1, ...tokensOf("q"), 2, 3, ...tokensOf(document), 2);
    expect(reader().read(task)).toEqual({ type: "inputs", inputs: [pair("d"), pair("e")] });
  });

  it("stand in the model's own text, where it has one, which they cannot leave", () => {
    const task = { type: "rank", query: "<9>", documents: ["{query}"] } as const;
    const result = reader({ rankTemplate: "<5>{query}<6>{document}<7>", contextTokens: 20 }).read(task);
    expect(result).toEqual({
      type: "inputs",
      inputs: [Uint32Array.of(5, ...tokensOf("<9>"), 6, ...tokensOf("{query}"), 7)],
    });
  });
});
