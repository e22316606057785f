import { describe, expect, it } from "vitest";
import type { FinishReason } from "../chat/reply.js";
import { ChoiceFold } from "./choice-fold.js";

function fold(argumentTexts: readonly string[], finishReason: FinishReason) {
  const choice = new ChoiceFold();
  argumentTexts.forEach((text, call) => {
    choice.add({ type: "call", choice: 0, call, id: `call_${call}`, name: "f" });
    choice.add({ type: "arguments", choice: 0, call, text });
  });
  choice.add({ type: "finished", choice: 0, finishReason });
  return choice.whole().parts.map((part) => (part.type === "call" ? part.arguments : part));
}

describe("a reply that was cut", () => {
  it("leaves out the call that it was cut in: half a call must not be run", () => {
    expect(fold(['{"a":1}', '{"path":"/ho'], "length")).toEqual(['{"a":1}']);
    expect(fold([""], "length")).toEqual([]);
  });

  it("keeps a call that was complete by then", () => {
    expect(fold(['{"a":1}', '{"b":2}'], "length")).toEqual(['{"a":1}', '{"b":2}']);
  });
});

describe("a reply that ended by itself", () => {
  it("has its parts in the order in which they came", () => {
    const choice = new ChoiceFold();
    choice.add({ type: "reasoning", choice: 0, text: "H" });
    choice.add({ type: "reasoning", choice: 0, text: "m." });
    choice.add({ type: "call", choice: 0, call: 0, id: "call_0", name: "f" });
    choice.add({ type: "arguments", choice: 0, call: 0, text: "{" });
    choice.add({ type: "arguments", choice: 0, call: 0, text: "}" });
    choice.add({ type: "text", choice: 0, text: "Do" });
    choice.add({ type: "text", choice: 0, text: "ne." });
    choice.add({ type: "finished", choice: 0, finishReason: "tool_calls" });
    expect(choice.whole().parts).toEqual([
      { type: "reasoning", text: "Hm." },
      { type: "call", id: "call_0", name: "f", arguments: "{}" },
      { type: "text", text: "Done.", logprobs: [] },
    ]);
  });

  it("has all of its calls", () => {
    expect(fold(["{}", '{"b":2}'], "tool_calls")).toEqual(["{}", '{"b":2}']);
  });
});
