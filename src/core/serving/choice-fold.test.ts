import { describe, expect, it } from "vitest";
import type { FinishReason } from "../../protocol/chat.js";
import { ChoiceFold } from "./choice-fold.js";

function fold(argumentTexts: readonly string[], finishReason: FinishReason) {
  const choice = new ChoiceFold(false);
  argumentTexts.forEach((text, index) => {
    choice.add({ type: "call", choice: 0, id: `call_${index}`, name: "f" });
    choice.add({ type: "arguments", choice: 0, text });
  });
  choice.add({ type: "finished", choice: 0, finishReason });
  return choice.whole().calls.map((call) => call.arguments);
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
  it("has all of its calls", () => {
    expect(fold(["{}", '{"b":2}'], "tool_calls")).toEqual(["{}", '{"b":2}']);
  });
});
