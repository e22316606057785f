import { describe, expect, test } from "vitest";
import { refusalOf } from "../../../test/support/refusal.js";
import { readFlatTooling } from "./tools.js";

const f = { type: "function", name: "f", description: "d", parameters: { type: "object" }, strict: true };
const g = { type: "function", name: "g" };
const hosted = [
  { type: "web_search", external_web_access: true },
  { type: "local_shell" },
  { type: "custom", name: "apply_patch", format: { type: "grammar" } },
  { type: "mcp", server_label: "x" },
];
const agents = {
  type: "namespace",
  name: "agents",
  description: "a",
  tools: [{ ...g, name: "spawn" }, { type: "custom", name: "c" }, f],
};

const refusal = (body: Record<string, unknown>) => refusalOf(() => readFlatTooling(body));

describe("tools", () => {
  test("are flat, and repeated with what was left out", () => {
    expect(readFlatTooling({ tools: [f, g] })).toEqual({
      tooling: {
        tools: [
          { name: "f", description: "d", parameters: { type: "object" }, strict: true, position: 0 },
          { name: "g", description: undefined, parameters: undefined, strict: false, position: 1 },
        ],
        choice: "auto",
        parallel: true,
      },
      callNames: [],
      hosted: [],
      echo: {
        tools: [f, { type: "function", name: "g", description: null, parameters: null, strict: false }],
        tool_choice: "auto",
        parallel_tool_calls: true,
      },
    });
  });

  test("of other types are told apart, whatever they hold, and not counted", () => {
    const { tooling, echo, hosted: others } = readFlatTooling({ tools: [...hosted, f] });
    expect(others.map(({ type, path }) => [type, path])).toEqual([
      ["web_search", "tools[0]"],
      ["local_shell", "tools[1]"],
      ["custom", "tools[2]"],
      ["mcp", "tools[3]"],
    ]);
    expect(tooling?.tools.map(({ name }) => name)).toEqual(["f"]);
    expect(echo.tools).toEqual([f]);
    // An error about its schema names the place where the client will look.
    expect(tooling?.tools[0]?.position).toBe(hosted.length);
    expect(readFlatTooling({ tools: hosted }).tooling).toBeUndefined();
    const many = Array.from({ length: 200 }, () => ({ type: "custom" }));
    expect(readFlatTooling({ tools: [...many, f] }).tooling?.tools).toHaveLength(1);
  });

  test.each([
    [{ tools: {} }, "invalid_type", "tools"],
    [{ tools: ["f"] }, "invalid_type", "tools[0]"],
    [{ tools: [{ name: "f" }] }, "missing_required_parameter", "tools[0].type"],
    [{ tools: [{ type: "function" }] }, "missing_required_parameter", "tools[0].name"],
    [
      { tools: [{ type: "function", function: { name: "f" } }] },
      "missing_required_parameter",
      "tools[0].name",
    ],
    [{ tools: [{ type: "web_search" }, { ...g, name: "a b" }] }, "invalid_value", "tools[1].name"],
    [{ tools: [{ ...g, parameters: [] }] }, "invalid_type", "tools[0].parameters"],
    [{ tools: [{ type: "namespace", tools: [] }] }, "missing_required_parameter", "tools[0].name"],
    [{ tools: [{ ...agents, tools: [{ ...g, name: "a b" }] }] }, "invalid_value", "tools[0].tools[0].name"],
    [
      { tools: [{ ...agents, tools: Array.from({ length: 128 }, () => g) }, g] },
      "array_above_max_length",
      "tools",
    ],
    [{ tools: [{ ...g, strict: 1 }] }, "invalid_type", "tools[0].strict"],
    [{ tools: [{ ...g, description: 1 }] }, "invalid_type", "tools[0].description"],
    [{ tools: Array.from({ length: 129 }, () => g) }, "array_above_max_length", "tools"],
    [{ tools: [{ ...g, parameters: { description: "x".repeat(200_000) } }] }, "invalid_value", "tools"],
  ])("are refused: %o", (body, code, param) => {
    expect(refusal(body)).toMatchObject({ code, param });
  });
});

describe("tools in a namespace", () => {
  test("are offered under one name each, and repeated as they came", () => {
    const { tooling, echo, callNames, hosted: others } = readFlatTooling({ tools: [g, agents] });
    expect(tooling?.tools.map(({ name }) => name)).toEqual(["g", "agents__spawn", "agents__f"]);
    expect(callNames).toEqual([
      { namespace: "agents", name: "spawn", as: "agents__spawn" },
      { namespace: "agents", name: "f", as: "agents__f" },
    ]);
    expect(others.map(({ type, path }) => [type, path])).toEqual([["custom", "tools[1].tools[1]"]]);
    expect(echo.tools).toMatchObject([
      { type: "function", name: "g" },
      {
        type: "namespace",
        name: "agents",
        description: "a",
        tools: [{ type: "function", name: "spawn" }, f],
      },
    ]);
  });

  test("have names that no other tool has, short and of the allowed letters", () => {
    const inside = (name: string, ...names: string[]) => ({
      type: "namespace",
      name,
      tools: names.map((one) => ({ type: "function", name: one })),
    });
    const { tooling } = readFlatTooling({
      tools: [
        inside("a", "b__c", "d"),
        inside("a__b", "c"),
        { ...g, name: "a__d" },
        inside("ü.x", "f"),
        inside("n".repeat(80), "f", "x".repeat(64)),
        inside("m".repeat(80), "x".repeat(64)),
      ],
    });
    const names = tooling?.tools.map(({ name }) => name) ?? [];
    expect(names).toEqual([
      "a__b__c",
      "a__d_2",
      "a__b__c_2",
      "a__d",
      "__x__f",
      `${"n".repeat(61)}__f`,
      "x".repeat(64),
      `${"x".repeat(62)}_2`,
    ]);
  });

  test("can be chosen by both names", () => {
    const tool_choice = { type: "function", name: "f", namespace: "agents" };
    const { tooling, echo } = readFlatTooling({ tools: [f, agents], tool_choice });
    expect(tooling?.tools.map(({ name }) => name)).toEqual(["agents__f"]);
    expect(echo.tool_choice).toEqual(tool_choice);
  });
});

describe("tool_choice", () => {
  const tools = [f, g, ...hosted];
  const choose = (tool_choice: unknown) =>
    readFlatTooling({ tools, tool_choice, parallel_tool_calls: false });

  test("may be a word", () => {
    expect(choose("none").tooling).toBeUndefined();
    expect(choose("auto").tooling).toMatchObject({ choice: "auto", parallel: false });
    expect(choose("required").tooling).toMatchObject({
      choice: "required",
      tools: [{ name: "f" }, { name: "g" }],
    });
    expect(choose("none").echo).toMatchObject({ tool_choice: "none", parallel_tool_calls: false });
  });

  test("may name a function", () => {
    const { tooling, echo } = choose({ type: "function", name: "g" });
    expect(tooling).toMatchObject({ choice: "required", tools: [{ name: "g" }] });
    expect(echo.tool_choice).toEqual({ type: "function", name: "g" });
  });

  test("may allow some, of which those of other types are skipped", () => {
    const allowed = {
      type: "allowed_tools",
      mode: "auto",
      tools: [{ type: "mcp" }, { type: "function", name: "f" }],
    };
    const { tooling, echo } = choose(allowed);
    expect(tooling).toMatchObject({ choice: "auto", tools: [{ name: "f" }] });
    expect(echo.tool_choice).toEqual({ ...allowed, tools: [{ type: "function", name: "f" }] });
    expect(choose({ ...allowed, tools: [{ type: "mcp" }] }).tooling).toBeUndefined();
  });

  test.each([
    ["sometimes", "invalid_value", "tool_choice"],
    [1, "invalid_type", "tool_choice"],
    [{}, "missing_required_parameter", "tool_choice.type"],
    [{ type: "function" }, "missing_required_parameter", "tool_choice.name"],
    [{ type: "function", name: "h" }, "invalid_value", "tool_choice.name"],
    [{ type: "web_search_preview" }, "unsupported_value", "tool_choice.type"],
    [{ type: "custom", name: "apply_patch" }, "unsupported_value", "tool_choice.type"],
    [{ type: "allowed_tools", mode: "auto" }, "missing_required_parameter", "tool_choice.tools"],
    [
      { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "h" }] },
      "invalid_value",
      "tool_choice.tools[0].name",
    ],
    [{ type: "allowed_tools", mode: "required", tools: [{ type: "mcp" }] }, "invalid_value", "tool_choice"],
  ])("is refused: %o", (tool_choice, code, param) => {
    expect(refusal({ tools, tool_choice })).toMatchObject({ code, param });
  });

  test("asks for a call where there is nothing to call: refused", () => {
    expect(refusal({ tools: hosted, tool_choice: "required" })).toMatchObject({
      code: "invalid_value",
      param: "tool_choice",
    });
    expect(readFlatTooling({ tools: hosted, tool_choice: "auto" }).tooling).toBeUndefined();
  });
});
