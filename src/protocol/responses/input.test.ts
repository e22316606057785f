import { describe, expect, test } from "vitest";
import { refusalOf } from "../../../test/support/refusal.js";
import { messagesOf, readInput, withInstructions } from "./input.js";
import { readResponseRequest, resolveItems } from "./request.js";

const nameOf = (namespace: string, name: string) => `${namespace}/${name}`;
const readAll = (input: unknown) => messagesOf(readInput(input, "input"), { nameOf });
const read = (...items: unknown[]) => readAll(items);

const refusal = (...items: unknown[]) => refusalOf(() => read(...items));

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
    expect(readAll("hi")).toEqual([{ role: "user", content: "hi" }]);
    expect(readAll("")).toEqual([{ role: "user", content: "" }]);
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
    expect({ code, param }).toEqual({ code: "invalid_value", param: `input[${index}].id` });
    expect(message).toContain("'store: false'");
    expect(message).toContain("'.chat()'");
  });

  test.each([
    ["nothing", [], "empty_array", "input"],
    ["no message", [thought("hm")], "invalid_value", "input"],
    ["no object", ["hi"], "invalid_type", "input[0]"],
    ["an item without type and role", [{ content: "x" }], "missing_required_parameter", "input[0].type"],
    ["an unknown type", [{ type: "something" }], "unsupported_value", "input[0].type"],
    ["an unknown role", [user, { role: "tool", content: "x" }], "invalid_value", "input[1].role"],
    ["no role", [{ type: "message", content: "x" }], "missing_required_parameter", "input[0].role"],
    ["no content", [{ role: "user" }], "missing_required_parameter", "input[0].content"],
    ["null content", [{ role: "user", content: null }], "invalid_type", "input[0].content"],
    ["no parts", [{ role: "user", content: [] }], "empty_array", "input[0].content"],
    [
      "an unknown part",
      [{ role: "user", content: [{ type: "input_audio" }] }],
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
      "a result with an unknown part",
      [call("a"), result("a", [{ type: "input_audio" }])],
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

describe("a reference to an item", () => {
  const reference = (id: string) => ({ type: "item_reference", id });
  const kept: Record<string, unknown> = {
    msg_1: said("look"),
    rs_1: thought("hm"),
    fc_1: { ...call("a"), name: "read", namespace: "files" },
  };
  const resolve = (input: unknown[], more: object = {}) =>
    resolveItems(readResponseRequest({ model: "omega", input, ...more }), {
      recall: (id) => kept[id],
      open: () => null,
    }).chat.messages;

  test("stands for the item, in its place", () => {
    const input = [user, reference("rs_1"), reference("msg_1"), reference("fc_1"), result("a"), user];
    expect(resolve(input, { instructions: "s" })).toEqual([
      { role: "system", content: "s" },
      { role: "user", content: "hi" },
      {
        role: "assistant",
        content: "look",
        reasoning: "hm",
        toolCalls: [{ id: "a", name: "files__read", arguments: "{}" }],
      },
      { role: "tool", content: "ok", toolCallId: "a" },
      { role: "user", content: "hi" },
    ]);
  });

  test("may be made once, so that a short request is not a long prompt", () => {
    expect(() => resolve([reference("msg_1"), user, reference("msg_1")])).toThrow("'input[2].id'");
  });

  test("to what is gone is refused when it is looked for, after the request was read", () => {
    const asked = readResponseRequest({ model: "omega", input: [user, reference("msg_2"), user] });
    expect(() => resolveItems(asked, { recall: () => undefined, open: () => null })).toThrow(
      "'store: false'",
    );
  });
});

describe("history from elsewhere", () => {
  const output = (type: string, fields: object) => ({ type, call_id: "a", output: "ok", ...fields });

  test.each([
    [
      "a custom tool",
      { type: "custom_tool_call", call_id: "a", name: "apply_patch", input: "*** Begin" },
      output("custom_tool_call_output", {}),
      { name: "apply_patch", arguments: '{"input":"*** Begin"}' },
    ],
    [
      "a custom tool of a namespace",
      { type: "custom_tool_call", call_id: "a", name: "f.g", namespace: "n", input: "x" },
      output("custom_tool_call_output", { output: [{ type: "input_text", text: "ok" }] }),
      { name: "n/f_g", arguments: '{"input":"x"}' },
    ],
    [
      "a local shell",
      { type: "local_shell_call", id: "lsh_1", call_id: "a", action: { type: "exec", command: ["ls"] } },
      { type: "local_shell_call_output", id: "a", output: "ok" },
      { name: "local_shell", arguments: '{"type":"exec","command":["ls"]}' },
    ],
    [
      "a local shell whose result came as a function's",
      { type: "local_shell_call", call_id: "a", action: { command: ["ls"] } },
      result("a"),
      { name: "local_shell", arguments: '{"command":["ls"]}' },
    ],
    [
      "a shell",
      { type: "shell_call", call_id: "a", action: { commands: ["ls"] } },
      output("shell_call_output", { output: [{ stdout: "ok", stderr: "", outcome: { type: "exit" } }] }),
      { name: "shell", arguments: '{"commands":["ls"]}' },
    ],
    [
      "a patch",
      { type: "apply_patch_call", call_id: "a", operation: { type: "delete_file", path: "x" } },
      output("apply_patch_call_output", { status: "completed" }),
      { name: "apply_patch", arguments: '{"type":"delete_file","path":"x"}' },
    ],
  ])("has calls of %s", (_, foreignCall, foreignResult, expected) => {
    expect(read(user, foreignCall, foreignResult)).toEqual([
      { role: "user", content: "hi" },
      { role: "assistant", content: "", toolCalls: [{ id: "a", ...expected }] },
      { role: "tool", content: "ok", toolCallId: "a" },
    ]);
  });

  test("has calls of an MCP server with their results", () => {
    const mcp = { type: "mcp_call", id: "mcp_1", name: "ask", arguments: "{}", output: "ok" };
    expect(read(user, mcp, said("x")).slice(1)).toEqual([
      { role: "assistant", content: "", toolCalls: [{ id: "mcp_1", name: "ask", arguments: "{}" }] },
      { role: "tool", content: "ok", toolCallId: "mcp_1" },
      { role: "assistant", content: "x" },
    ]);
  });

  test.each(["web_search_call", "compaction", "image_generation_call", "file_search_call", "mcp_list_tools"])(
    "is read without its %s",
    (type) => {
      const item = { type, id: "x_1", status: "completed", encrypted_content: "gAAA" };
      expect(read(user, item, said("x"))).toEqual([
        { role: "user", content: "hi" },
        { role: "assistant", content: "x" },
      ]);
    },
  );

  test.each([
    ["a result without its call", [output("custom_tool_call_output", {})], "input[0].call_id"],
    ["a call without its text", [{ type: "custom_tool_call", call_id: "a", name: "f" }], "input[0].input"],
  ])("refuses %s", (_, items, param) => {
    expect(refusal(...items)).toMatchObject({ param });
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
