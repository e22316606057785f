import { describe, expect, test } from "vitest";
import { ServiceError } from "../errors.js";
import { readInput, withInstructions } from "./input.js";
import { readResponseRequest } from "./request.js";

const read = (...items: unknown[]) => readInput(items, "input");

function refusal(...items: unknown[]): { code: string; param: string | null; message: string } {
  try {
    read(...items);
  } catch (error) {
    if (error instanceof ServiceError)
      return { code: error.code, param: error.param, message: error.message };
    throw error;
  }
  throw new Error("It was accepted.");
}

const user = { role: "user", content: "hi" };
const call = (id: string) => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: id,
  name: "f",
  arguments: "{}",
});
const result = (id: string, output: unknown = "ok") => ({
  type: "function_call_output",
  call_id: id,
  output,
});
const said = (text: string) => ({
  id: "msg_1",
  type: "message",
  status: "completed",
  role: "assistant",
  content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
});
const thought = (text: string) => ({
  id: "rs_1",
  type: "reasoning",
  summary: [],
  content: [{ type: "reasoning_text", text }],
  encrypted_content: "gAAA",
});
const toolCall = (id: string) => ({ id, name: "f", arguments: "{}" });

describe("input", () => {
  test("may be a string", () => {
    expect(readInput("hi", "input")).toEqual([{ role: "user", content: "hi" }]);
    expect(readInput("", "input")).toEqual([{ role: "user", content: "" }]);
  });

  test("has messages with and without a type, with a string or parts", () => {
    const parts = [
      { type: "input_text", text: "a" },
      { type: "input_text", text: "b" },
    ];
    expect(
      read(
        { type: "message", role: "system", content: "s" },
        { type: null, role: "developer", content: parts },
        { id: "msg_1", type: "message", role: "user", content: parts, status: "completed" },
        { role: "assistant", content: [{ type: "refusal", refusal: "no" }], phase: "commentary" },
      ),
    ).toEqual([
      { role: "system", content: "s" },
      { role: "system", content: "ab" },
      { role: "user", content: "ab" },
      { role: "assistant", content: "no" },
    ]);
  });

  test("joins an assistant's thoughts, text and calls to one turn", () => {
    expect(read(user, thought("hm"), said("look"), call("a"), call("b"), result("b"), result("a"))).toEqual([
      { role: "user", content: "hi" },
      { role: "assistant", content: "look", reasoning: "hm", toolCalls: [toolCall("a"), toolCall("b")] },
      { role: "tool", content: "ok", toolCallId: "b" },
      { role: "tool", content: "ok", toolCallId: "a" },
    ]);
  });

  test("joins text that comes after its call, or in several messages", () => {
    expect(read(user, call("a"), said("look"), said("there"), result("a"))).toEqual([
      { role: "user", content: "hi" },
      { role: "assistant", content: "look\n\nthere", toolCalls: [toolCall("a")] },
      { role: "tool", content: "ok", toolCallId: "a" },
    ]);
  });

  test("keeps turns with something between them apart, each with its own thoughts", () => {
    expect(
      read(user, thought("1"), call("a"), result("a"), thought("2"), thought("3"), said("done")),
    ).toEqual([
      { role: "user", content: "hi" },
      { role: "assistant", content: "", reasoning: "1", toolCalls: [toolCall("a")] },
      { role: "tool", content: "ok", toolCallId: "a" },
      { role: "assistant", content: "done", reasoning: "2\n\n3" },
    ]);
  });

  test("takes the summary of thoughts where there is nothing else, and drops thoughts that led to nothing", () => {
    const summary = [{ type: "summary_text", text: "short" }];
    expect(read({ type: "reasoning", summary }, said("x"))).toMatchObject([{ reasoning: "short" }]);
    expect(read({ type: "reasoning", summary, content: null }, said("x"))).toMatchObject([
      { reasoning: "short" },
    ]);
    expect(read(thought("hm"), user)).toEqual([{ role: "user", content: "hi" }]);
    expect(read(user, thought("hm"))).toEqual([{ role: "user", content: "hi" }]);
    expect(read({ type: "reasoning", summary: [], encrypted_content: "x" }, said("x"))).toEqual([
      { role: "assistant", content: "x" },
    ]);
  });

  test("takes a result as a string or as parts, and an empty one", () => {
    const parts = [
      { type: "input_text", text: "a" },
      { type: "output_text", text: "b" },
    ];
    expect(read(call("a"), result("a", parts), result("a", []), result("a", "")).slice(1)).toMatchObject([
      { content: "ab" },
      { content: "" },
      { content: "" },
    ]);
  });

  test("takes a reply that was cut before its text", () => {
    expect(read(user, { ...said(""), content: [] }, user)).toHaveLength(3);
  });

  test("does without thoughts that are referred to, and without what was said before a call", () => {
    const reference = (id: string) => ({ type: "item_reference", id });
    expect(read(user, reference("rs_1"), said("x"))).toHaveLength(2);
    expect(read(user, reference("rs_1"), reference("msg_1"), call("a"), result("a"))).toMatchObject([
      { role: "user" },
      { role: "assistant", content: "", toolCalls: [{ id: "a" }] },
      { role: "tool" },
    ]);
  });

  test.each([
    ["at the end", [user, { type: "item_reference", id: "msg_1" }], 1],
    ["before a user", [user, { type: "item_reference", id: "msg_1" }, user], 1],
    ["before another message", [user, { type: "item_reference", id: "msg_1" }, said("x")], 1],
    ["before a result", [call("a"), { type: "item_reference", id: "msg_1" }, result("a")], 1],
    ["of a call", [user, { type: "item_reference", id: "fc_1" }], 1],
  ])("refuses a reference %s, and says why", (_, items, index) => {
    const { code, param, message } = refusal(...items);
    expect({ code, param }).toEqual({ code: "unsupported_value", param: `input[${index}].type` });
    expect(message).toContain("stores nothing");
    expect(message).toContain("store: false");
  });

  test.each([
    ["nothing", [], "empty_array", "input"],
    ["no message", [thought("hm")], "invalid_value", "input"],
    ["no object", ["hi"], "invalid_type", "input[0]"],
    ["an item without type and role", [{ content: "x" }], "missing_required_parameter", "input[0].type"],
    ["an unknown type", [{ type: "web_search_call" }], "unsupported_value", "input[0].type"],
    ["an unknown role", [user, { role: "tool", content: "x" }], "invalid_value", "input[1].role"],
    ["no role", [{ type: "message", content: "x" }], "missing_required_parameter", "input[0].role"],
    ["no content", [{ role: "user" }], "missing_required_parameter", "input[0].content"],
    ["null content", [{ role: "user", content: null }], "invalid_type", "input[0].content"],
    ["no parts", [{ role: "user", content: [] }], "empty_array", "input[0].content"],
    [
      "an image",
      [{ role: "user", content: [{ type: "input_image" }] }],
      "unsupported_value",
      "input[0].content[0].type",
    ],
    [
      "a part without text",
      [{ role: "user", content: [{ type: "input_text" }] }],
      "missing_required_parameter",
      "input[0].content[0].text",
    ],
    [
      "a call without id",
      [{ type: "function_call", name: "f" }],
      "missing_required_parameter",
      "input[0].call_id",
    ],
    ["a call without name", [{ ...call("a"), name: "" }], "invalid_value", "input[0].name"],
    ["a call of no name", [{ ...call("a"), name: "f</s>" }], "invalid_value", "input[0].name"],
    ["arguments that are no text", [{ ...call("a"), arguments: {} }], "invalid_type", "input[0].arguments"],
    ["a result without a call", [user, result("a")], "invalid_value", "input[1].call_id"],
    ["a result before its call", [result("a"), call("a")], "invalid_value", "input[0].call_id"],
    [
      "a result without output",
      [call("a"), { type: "function_call_output", call_id: "a" }],
      "missing_required_parameter",
      "input[1].output",
    ],
    [
      "a result with an image",
      [call("a"), result("a", [{ type: "input_image" }])],
      "unsupported_value",
      "input[1].output[0].type",
    ],
    [
      "thoughts of another kind",
      [{ type: "reasoning", content: [{ type: "text", text: "x" }] }],
      "unsupported_value",
      "input[0].content[0].type",
    ],
    ["a reference to nothing", [{ type: "item_reference" }], "missing_required_parameter", "input[0].id"],
  ])("refuses %s", (_, items, code, param) => {
    expect(refusal(...items)).toMatchObject({ code, param });
  });

  test("is bounded in its turns, not in the items of a turn", () => {
    const turn = [call("a"), call("b"), result("a"), result("b")];
    expect(read(...Array.from({ length: 500 }, () => turn).flat())).toHaveLength(1500);
    expect(refusal(...Array.from({ length: 2049 }, () => user)).code).toBe("array_above_max_length");
  });
});

describe("instructions", () => {
  test("come first, joined with the system messages that the conversation begins with", () => {
    const messages = [
      { role: "system", content: "b" },
      { role: "system", content: "c" },
      { role: "user", content: "hi" },
      { role: "system", content: "later" },
    ] as const;
    expect(withInstructions("a", messages)).toEqual([
      { role: "system", content: "a\n\nb\n\nc" },
      { role: "user", content: "hi" },
      { role: "system", content: "later" },
    ]);
    expect(withInstructions(undefined, messages)[0]).toEqual({ role: "system", content: "b\n\nc" });
  });

  test("need no system message, and a conversation may be nothing else", () => {
    const { chat } = readResponseRequest({ model: "omega", input: "hi", instructions: "a" });
    expect(chat.messages).toEqual([
      { role: "system", content: "a" },
      { role: "user", content: "hi" },
    ]);
    expect(withInstructions(undefined, [{ role: "system", content: "b" }])).toEqual([
      { role: "system", content: "b" },
    ]);
  });
});
