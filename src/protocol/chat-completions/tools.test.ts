import { describe, expect, test } from "vitest";
import { refusalOf } from "../../../test/support/refusal.js";
import { parseChatRequest } from "./request.js";

const weather = {
  type: "function",
  function: {
    name: "get_weather",
    description: "The weather at a place.",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    strict: true,
  },
};
const clock = { type: "function", function: { name: "get_time" } };
const messages = [{ role: "user", content: "Hi" }];

const parse = (fields: object) => parseChatRequest({ model: "omega", messages, ...fields });

const refusal = (fields: object) => refusalOf(() => parse(fields));

describe("tools", () => {
  test("are read with what they say of themselves", () => {
    expect(parse({ tools: [weather, clock] }).tooling).toEqual({
      choice: "auto",
      parallel: true,
      tools: [
        { ...weather.function, name: "get_weather" },
        { name: "get_time", description: undefined, parameters: undefined, strict: false },
      ],
    });
  });

  test.each([
    ["an empty list", { tools: [] }],
    ["no list", { tools: null }],
    ["an empty list with a choice", { tools: [], tool_choice: "auto" }],
    ["a choice of none", { tools: [weather], tool_choice: "none" }],
    ["a choice of none without any", { tool_choice: "none" }],
    ["parallel calls of nothing", { parallel_tool_calls: false }],
    [
      "none of them allowed",
      {
        tools: [weather],
        tool_choice: { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [] } },
      },
    ],
  ])("cannot be called with %s", (_, fields) => {
    expect(parse(fields).tooling).toBeUndefined();
  });

  test.each([
    ["auto", "auto", ["get_weather", "get_time"]],
    ["required", "required", ["get_weather", "get_time"]],
    [{ type: "function", function: { name: "get_time" } }, "required", ["get_time"]],
    [
      {
        type: "allowed_tools",
        allowed_tools: { mode: "auto", tools: [{ type: "function", function: { name: "get_time" } }] },
      },
      "auto",
      ["get_time"],
    ],
  ])("are chosen by %j", (tool_choice, choice, names) => {
    const { tooling } = parse({ tools: [weather, clock], tool_choice });
    expect(tooling?.choice).toBe(choice);
    expect(tooling?.tools.map(({ name }) => name)).toEqual(names);
  });

  test("keep their place in the request when some are left out", () => {
    const tool_choice = { type: "function", function: { name: "get_time" } };
    expect(parse({ tools: [weather, clock], tool_choice }).tooling?.tools).toMatchObject([{ position: 1 }]);
  });

  test("are called one at a time where the client says so", () => {
    expect(parse({ tools: [weather], parallel_tool_calls: false }).tooling?.parallel).toBe(false);
  });

  const named = (name: unknown) => ({ type: "function", function: { name } });
  const cases: [string, object, string, string][] = [
    ["another type", { tools: [{ type: "web_search" }] }, "invalid_value", "tools[0].type"],
    ["a name with a space", { tools: [named("a b")] }, "invalid_value", "tools[0].function.name"],
    ["a long name", { tools: [named("a".repeat(65))] }, "invalid_value", "tools[0].function.name"],
    [
      "parameters that are no object",
      { tools: [{ type: "function", function: { name: "f", parameters: [] } }] },
      "invalid_type",
      "tools[0].function.parameters",
    ],
    ["too many", { tools: new Array(129).fill(clock) }, "array_above_max_length", "tools"],
    [
      "schemas that are too large together",
      {
        tools: new Array(100).fill({
          type: "function",
          function: { name: "f", parameters: { description: "x".repeat(2000) } },
        }),
      },
      "invalid_value",
      "tools",
    ],
    ["a choice of nothing", { tool_choice: "required" }, "invalid_value", "tool_choice"],
    [
      "a call that is required of none",
      {
        tools: [clock],
        tool_choice: { type: "allowed_tools", allowed_tools: { mode: "required", tools: [] } },
      },
      "invalid_value",
      "tool_choice",
    ],
    ["a choice that is none", { tools: [clock], tool_choice: "maybe" }, "invalid_value", "tool_choice"],
    [
      "a choice of a stranger",
      { tools: [clock], tool_choice: named("get_weather") },
      "invalid_value",
      "tool_choice.function.name",
    ],
    [
      "a stranger among the allowed",
      {
        tools: [clock],
        tool_choice: {
          type: "allowed_tools",
          allowed_tools: { mode: "auto", tools: [named("get_time"), named("x")] },
        },
      },
      "invalid_value",
      "tool_choice.allowed_tools.tools[1].function.name",
    ],
    ["functions of old", { functions: [{ name: "f" }] }, "unsupported_parameter", "functions"],
    ["an effort that is none", { reasoning_effort: "huge" }, "invalid_value", "reasoning_effort"],
  ];
  test.each(cases)("are refused for %s", (_, fields, code, param) => {
    expect(refusal(fields)).toMatchObject({ code, param });
  });

  test.each([
    ["none", "none"],
    ["minimal", "none"],
    ["low", "low"],
    ["high", "high"],
    ["xhigh", "high"],
    ["max", "high"],
  ])("come with an effort of %s", (reasoning_effort, read) => {
    expect(parse({ reasoning_effort }).reasoningEffort).toBe(read);
  });
});

describe("calls and results in the conversation", () => {
  const call = { id: "call_1", type: "function", function: { name: "get_time", arguments: "{}" } };
  const read = (...said: object[]) => parse({ messages: [...messages, ...said] }).messages.slice(1);

  test("are read", () => {
    const turns = read(
      { role: "assistant", content: null, tool_calls: [call], reasoning_content: "Hm." },
      { role: "tool", tool_call_id: "call_1", content: [{ type: "text", text: "noon" }] },
    );
    expect(turns).toEqual([
      {
        role: "assistant",
        content: "",
        reasoning: "Hm.",
        toolCalls: [{ id: "call_1", name: "get_time", arguments: "{}" }],
      },
      { role: "tool", content: "noon", toolCallId: "call_1" },
    ]);
  });

  test("may have a result without any part", () => {
    const turns = read(
      { role: "assistant", tool_calls: [call] },
      { role: "tool", tool_call_id: "call_1", content: [] },
    );
    expect(turns[1]).toMatchObject({ content: "" });
  });

  test("may leave out the text, and the type", () => {
    const { type: _type, ...untyped } = call;
    expect(read({ role: "assistant", tool_calls: [untyped] })[0]).toMatchObject({ content: "" });
    expect(read({ role: "assistant", content: "Bye.", tool_calls: [] })[0]).toEqual({
      role: "assistant",
      content: "Bye.",
    });
  });

  test.each([
    [
      "a result without a call",
      [{ role: "tool", tool_call_id: "call_1", content: "x" }],
      "messages[1].tool_call_id",
    ],
    [
      "a result of another call",
      [
        { role: "assistant", tool_calls: [call] },
        { role: "tool", tool_call_id: "call_2", content: "x" },
      ],
      "messages[2].tool_call_id",
    ],
    [
      "a result without an id",
      [
        { role: "assistant", tool_calls: [call] },
        { role: "tool", content: "x" },
      ],
      "messages[2].tool_call_id",
    ],
    [
      "a call without an id",
      [{ role: "assistant", tool_calls: [{ ...call, id: undefined }] }],
      "messages[1].tool_calls[0].id",
    ],
    [
      "a call without a function",
      [{ role: "assistant", tool_calls: [{ id: "a", type: "function" }] }],
      "messages[1].tool_calls[0].function",
    ],
    [
      "arguments that are no text",
      [{ role: "assistant", tool_calls: [{ ...call, function: { name: "f", arguments: {} } }] }],
      "messages[1].tool_calls[0].function.arguments",
    ],
    ["a turn without text or calls", [{ role: "assistant" }], "messages[1].content"],
  ])("are refused for %s", (_, said, param) => {
    expect(refusal({ messages: [...messages, ...said] })).toMatchObject({ param });
  });

  test("are refused without repeating them", () => {
    const canary = "canary-91c2";
    const bodies = [
      { tools: [named(`${canary} `)] },
      { tools: [clock], tool_choice: named(canary) },
      { messages: [...messages, { role: "tool", tool_call_id: canary, content: canary }] },
      { tools: [{ type: canary }] },
      { tool_choice: canary },
    ];
    for (const body of bodies) {
      expect(`${refusal(body).message} ${String(refusal(body).param)}`).not.toContain(canary);
    }
    function named(name: string) {
      return { type: "function", function: { name } };
    }
  });
});
