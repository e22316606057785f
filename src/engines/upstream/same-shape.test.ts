import { describe, expect, it } from "vitest";
import { readChunk } from "./chunk.js";
import { SameShape } from "./same-shape.js";

const chunk = (delta: object, others: object = {}, choice: object = {}) =>
  JSON.stringify({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, logprobs: null, finish_reason: null, ...choice }],
    ...others,
  });
const text = (content: string) => chunk({ content });

/** As every chunk is read by itself. */
const parsed = (chunks: readonly string[]) => chunks.map((data) => withoutAbsent(readChunk(data)));
const withoutAbsent = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe("chunks of one stream", () => {
  it.each([
    ["of plain text", [text("The"), text(" sea"), text(" is"), text(" wide")]],
    ["with escapes, quotes and line breaks", ["a", '"', "\\", "\n", "é", "\u2028", "b\\"].map(text)],
    ["that contain chunks", [text("x"), text('"content":"x"'), text("x"), text('x"},"finish_reason":"stop')]],
    [
      "with the same text elsewhere",
      [chunk({ content: "x" }, { content: "x" }), chunk({ content: "y" }, { content: "x" })],
    ],
    ["of another choice", [text("x"), chunk({ content: "y" }, {}, { index: 1 }), text("z")]],
    ["with an ending", [text("x"), chunk({}, {}, { finish_reason: "stop" }), text("y")]],
    [
      "with thoughts and calls",
      [text("x"), chunk({ reasoning_content: "y" }), chunk({ content: "y", tool_calls: [{ index: 0 }] })],
    ],
    [
      "with a usage",
      [text("x"), chunk({ content: "y" }, { usage: { prompt_tokens: 1, completion_tokens: 2 } })],
    ],
    ["that are empty", [text(""), text("x"), text(""), text("y")]],
    ["that are none", [text("x"), "{", '{"error":{}}', text("y").slice(0, -1), text("y")]],
    ["that stand for themselves", [text("~"), text("x"), text("~"), text("y")]],
    ["whose other fields change", ["a", "b", "c", "d", "e", "f"].map((id) => chunk({ content: id }, { id }))],
  ])("are read as they are alone: %s", (_name, chunks) => {
    const shape = new SameShape();
    expect(chunks.map((data) => withoutAbsent(shape.read(data)))).toEqual(parsed(chunks));
  });

  it("are not parsed again for every text", () => {
    const shape = new SameShape();
    shape.read(text("first"));
    // What comes before and after is compared, so a chunk of the shape is read even where JSON.parse cannot.
    const parse = JSON.parse;
    JSON.parse = () => {
      throw new Error("parsed");
    };
    try {
      expect(shape.read(text("second"))?.choices[0]?.text).toBe("second");
    } finally {
      JSON.parse = parse;
    }
  });
});
