import { describe, expect, it } from "vitest";
import { families, type FamilyName } from "../../../chat-format/families.js";
import { replyParser } from "../../../chat-format/parser-of.js";
import { Reply } from "./reply.js";

const endOfTurn = 0;
const newReply = (maxTokens: number, stop: string[] = []) =>
  new Reply({
    detokenize: (tokens) => Buffer.from(tokens).toString("utf8"),
    bytesOf: (token) => Buffer.from([token]),
    isEndOfGeneration: (token) => token === endOfTurn,
    stop,
    maxTokens,
  });
/** The parts for these bytes, until one says that it is the last. */
function partsOf(reply: Reply, bytes: Iterable<number>) {
  const parts = [];
  for (const byte of bytes) {
    const part = reply.accept({ token: byte });
    parts.push(part);
    if (part.finishReason !== null) break;
  }
  return { text: parts.map(({ text }) => text).join(""), finishReason: parts.at(-1)?.finishReason };
}

describe("reply", () => {
  it("ends at its limit", () => {
    const reply = newReply(3);
    expect(partsOf(reply, Buffer.from("abcdef"))).toEqual({ text: "abc", finishReason: "length" });
    expect(reply.completionTokens).toBe(3);
  });

  it("ends with the turn, which is no part of it", () => {
    const reply = newReply(10);
    expect(partsOf(reply, [...Buffer.from("ab"), endOfTurn])).toEqual({ text: "ab", finishReason: "stop" });
    expect(reply.completionTokens).toBe(2);
  });

  it("shows what a stop sequence held back when it ends otherwise", () => {
    expect(partsOf(newReply(3, ["cd"]), Buffer.from("abcd"))).toEqual({
      text: "abc",
      finishReason: "length",
    });
    const turn = [...Buffer.from("abc"), endOfTurn];
    expect(partsOf(newReply(9, ["cd"]), turn)).toEqual({ text: "abc", finishReason: "stop" });
  });

  it("tells which stop sequence ended it, and only then", () => {
    const last = (stop: string[], bytes: readonly number[]) => {
      const reply = newReply(10, stop);
      return bytes.map((token) => reply.accept({ token })).find(({ finishReason }) => finishReason !== null);
    };
    expect(last(["x", "cd", "bcd"], [...Buffer.from("abcd")])).toMatchObject({ stopSequence: "bcd" });
    expect(last(["x", "cd"], [...Buffer.from("abc"), endOfTurn])).not.toHaveProperty("stopSequence");
  });

  it("ends with a stop sequence that its last token completes", () => {
    const reply = newReply(4, ["cd"]);
    expect(partsOf(reply, Buffer.from("abcd"))).toEqual({ text: "ab", finishReason: "stop" });
    expect(reply.completionTokens).toBe(4);
  });

  it("ends before a character that its limit cuts", () => {
    expect(partsOf(newReply(3), Buffer.from("a😀"))).toEqual({ text: "a", finishReason: "length" });
  });

  describe("with log probabilities", () => {
    /** For each part, its text and the tokens reported with it. */
    const reported = (reply: Reply, bytes: Iterable<number>) => {
      const parts: [text: string, tokens: string][] = [];
      for (const token of bytes) {
        const part = reply.accept({ token, logprobs: { own: [token, -1], top: [[token, -1]] } });
        const raw = (part.logprobs ?? []).flatMap(({ bytes: own }) => [...own]);
        parts.push([part.text, Buffer.from(raw).toString("utf8")]);
        if (part.finishReason !== null) break;
      }
      return parts;
    };

    it("reports a token with its text", () => {
      expect(reported(newReply(2), Buffer.from("ab"))).toEqual([
        ["a", "a"],
        ["b", "b"],
      ]);
    });

    it("reports the tokens of one character together", () => {
      expect(reported(newReply(9), Buffer.from("é!"))).toEqual([
        ["", ""],
        ["é", "é"],
        ["!", "!"],
      ]);
    });

    it("holds back the tokens that may begin a stop sequence, and never reports those that did", () => {
      expect(reported(newReply(9, ["cd"]), Buffer.from("acxcd"))).toEqual([
        ["a", "a"],
        ["", ""],
        ["cx", "cx"],
        ["", ""],
        ["", ""],
      ]);
    });

    it("reports what was held back when the reply ends otherwise", () => {
      expect(reported(newReply(2, ["cd"]), Buffer.from("ac"))).toEqual([
        ["a", "a"],
        ["c", "c"],
      ]);
    });

    it("gives a token that is part of a character its exact bytes", () => {
      const reply = newReply(1);
      const [first = 0] = Buffer.from("é");
      const { logprobs } = reply.accept({ token: first, logprobs: { own: [first, -2], top: [] } });
      expect(logprobs).toEqual([{ token: "\uFFFD", bytes: [first], logprob: -2, top: [] }]);
    });
  });
});

describe("a reply with markup", () => {
  const tools = [{ name: "get_time" }];

  /** What is reported when its tokens have these texts. */
  function replied(
    family: FamilyName,
    texts: readonly string[],
    options: { stop?: string[]; open?: boolean } = {},
  ) {
    const { stop = [], open = false } = options;
    const textOf = (token: number) => texts[token] ?? "";
    const reply = new Reply({
      detokenize: (tokens) => Array.from(tokens, textOf).join(""),
      bytesOf: (token) => Buffer.from(textOf(token)),
      isEndOfGeneration: (token) => token >= texts.length,
      stop,
      maxTokens: 1000,
      parser: replyParser(families[family], { tools, callsExpected: true, reasoningOpen: open }),
    });
    const parts = [...texts, "the end"].map((_, token) =>
      reply.accept({ token, logprobs: { own: [token, -1], top: [] } }),
    );
    return {
      text: parts
        .flatMap(({ text, events }) => events ?? [{ type: "text" as const, text }])
        .map((event) => (event.type === "text" ? event.text : ""))
        .join(""),
      tokens: parts.flatMap(({ logprobs = [] }) => logprobs.map(({ token }) => token)),
      reasoningTokens: reply.reasoningTokens,
      completionTokens: reply.completionTokens,
    };
  }

  const thoughts = ["I", " think", " of", " it", "."];
  const header = (channel: string) => ["<|channel|>", channel, "<|message|>"];

  it.each<[FamilyName, string[], boolean]>([
    ["qwen3", ["<think>", "\n", ...thoughts, "\n", "</think>", "\n\n", "Yes", ",", " it", " is", "."], false],
    ["glm45", [...thoughts, "\n", "</", "think", ">", "\n", "Yes", ",", " it", " is", "."], true],
    [
      "magistral",
      ["[THINK]", ...thoughts, "[/THINK]", "Yes", ",", " it", " is", ",", " it", " is", "."],
      false,
    ],
    [
      "gptOss",
      [...header("analysis"), ...thoughts, "<|end|>", "<|start|>", "assistant", ...header("final"), "Yes"],
      false,
    ],
  ])("counts as reasoning nothing but its tokens: %s", (family, texts, open) => {
    const { reasoningTokens, completionTokens } = replied(family, texts, { open });
    expect([reasoningTokens, completionTokens]).toEqual([5, 15]);
  });

  it("counts tokens that are partly reasoning, those of one character, and every message once", () => {
    const count = (family: FamilyName, texts: string[]) => replied(family, texts).reasoningTokens;
    expect(count("qwen3", ["<think>a", "<", "b", " ", "c\n", "\n</think>d"])).toBe(5);
    const message = [...header("analysis"), "a", "b", "<|end|>", "<|start|>", "assistant"];
    expect(count("gptOss", [...message, ...message, ...header("final"), "c"])).toBe(4);
  });

  const call = ["<tool_call>", '{"name": "get_time", "arguments": {}}', "</tool_call>"];

  it("reports the tokens of text that a stop sequence held before a call", () => {
    const found = replied("hermes", ["Look", " #", ...call], { stop: ["##"] });
    expect(found).toMatchObject({ text: "Look #", tokens: ["Look", " #"] });
  });

  it("reports a token that is text and the beginning of a call, and none of markup", () => {
    const found = replied("hermes", ["Look", "!<tool_", "call>", ...call.slice(1)]);
    expect(found).toMatchObject({ text: "Look!", tokens: ["Look", "!<tool_"] });
    const silent = replied("qwen3", ["<think>", "Hm", "</think>", "\n"]);
    expect(silent).toMatchObject({ text: "", tokens: [] });
  });
});
