import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { refusalOf } from "../../../test/support/refusal.js";
import type { ChatRequest } from "../../core/chat/request.js";
import { errorTable, ServiceError } from "../../core/errors.js";
import { readCountRequest, readMessagesRequest } from "./request.js";

const hello = { role: "user", content: "Hello" };
const minimal = { model: "omega", max_tokens: 10, messages: [hello] };
const read = (changes: object = {}): ChatRequest => readMessagesRequest({ ...minimal, ...changes }).chat;

/** As `code param`. */
function refusal(body: unknown, reader: (body: unknown) => unknown = readMessagesRequest): string {
  const { code, param } = refusalOf(() => reader(body));
  return `${code} ${param ?? "-"}`;
}
const refused = (changes: object): string => refusal({ ...minimal, ...changes });

describe("a request for a message", () => {
  it("needs a model, messages and max_tokens, and nothing else", () => {
    expect(read()).toEqual({
      model: "omega",
      messages: [{ role: "user", content: "Hello" }],
      sampling: {
        temperature: 1,
        topP: 1,
        topPGiven: false,
        frequencyPenalty: 0,
        presencePenalty: 0,
        seed: undefined,
        logitBias: [],
      },
      stop: [],
      namesStop: true,
      maxTokens: 10,
      choices: 1,
      topLogprobs: undefined,
      format: { type: "text" },
      tooling: undefined,
      reasoningEffort: "none",
      isEffortImplied: true,
      stream: false,
      includeUsage: true,
    });
  });

  it.each([
    ["no object", [], "invalid_json -"],
    ["nothing", {}, "missing_required_parameter model"],
    ["no messages", { model: "omega" }, "missing_required_parameter messages"],
    ["no max_tokens", { model: "omega", messages: [hello] }, "missing_required_parameter max_tokens"],
    ["an empty model", { ...minimal, model: "" }, "string_too_short model"],
    ["messages before max_tokens", { model: "omega", messages: [] }, "empty_array messages"],
  ])("with %s is refused", (_, body, expected) => {
    expect(refusal(body)).toBe(expected);
  });

  it.each([
    ["max_tokens", 0, "integer_below_min_value max_tokens"],
    ["max_tokens", 1.5, "invalid_type max_tokens"],
    ["max_tokens", "10", "invalid_type max_tokens"],
    ["max_tokens", 2 ** 31, "integer_above_max_value max_tokens"],
    ["max_tokens", null, "invalid_type max_tokens"],
    ["temperature", 1.1, "decimal_above_max_value temperature"],
    ["temperature", -0.1, "decimal_below_min_value temperature"],
    ["temperature", "1", "invalid_type temperature"],
    ["top_p", 1.1, "decimal_above_max_value top_p"],
    ["top_k", -1, "integer_below_min_value top_k"],
    ["top_k", 1.5, "invalid_type top_k"],
    ["stream", "true", "invalid_type stream"],
    ["stop_sequences", "x", "invalid_type stop_sequences"],
    ["stop_sequences", [""], "string_too_short stop_sequences[0]"],
    ["stop_sequences", ["a", 1], "invalid_type stop_sequences[1]"],
    ["stop_sequences", Array(33).fill("a"), "array_above_max_length stop_sequences"],
    ["system", 1, "invalid_type system"],
    ["system", [{ type: "image" }], "unsupported_value system[0].type"],
    ["system", [{ type: "text" }], "missing_required_parameter system[0].text"],
    ["thinking", "on", "invalid_type thinking"],
    ["thinking", {}, "missing_required_parameter thinking.type"],
    ["thinking", { type: "always" }, "invalid_value thinking.type"],
    ["thinking", { type: "enabled" }, "missing_required_parameter thinking.budget_tokens"],
    ["thinking", { type: "enabled", budget_tokens: 0 }, "integer_below_min_value thinking.budget_tokens"],
    ["output_config", [], "invalid_type output_config"],
    ["output_config", { effort: "huge" }, "invalid_value output_config.effort"],
    ["output_config", { format: { type: "xml" } }, "invalid_value output_config.format.type"],
    [
      "output_config",
      { format: { type: "json_schema" } },
      "missing_required_parameter output_config.format.schema",
    ],
    ["output_format", { type: "json_schema", schema: [] }, "invalid_type output_format.schema"],
    ["tools", {}, "invalid_type tools"],
    ["tools", [1], "invalid_type tools[0]"],
    ["tools", [{ name: "a" }], "missing_required_parameter tools[0].input_schema"],
    ["tools", [{ input_schema: {} }], "missing_required_parameter tools[0].name"],
    ["tools", [{ name: "a b", input_schema: {} }], "invalid_value tools[0].name"],
    ["tools", [{ name: "x".repeat(129), input_schema: {} }], "invalid_value tools[0].name"],
    ["tools", Array(129).fill({ name: "a", input_schema: {} }), "array_above_max_length tools"],
    ["tools", [{ name: "a", input_schema: { x: "y".repeat(200_000) } }], "invalid_value tools"],
    ["tool_choice", "auto", "invalid_type tool_choice"],
    ["tool_choice", { type: "some" }, "invalid_value tool_choice.type"],
    ["tool_choice", { type: "any" }, "invalid_value tool_choice"],
    ["tool_choice", { type: "tool" }, "missing_required_parameter tool_choice.name"],
    ["tool_choice", { type: "tool", name: "a" }, "invalid_value tool_choice.name"],
    [
      "tool_choice",
      { type: "auto", disable_parallel_tool_use: 1 },
      "invalid_type tool_choice.disable_parallel_tool_use",
    ],
    ["mcp_servers", [{ type: "url", url: "https://example.com" }], "unsupported_parameter mcp_servers"],
    ["thread", { type: "create" }, "unsupported_parameter thread"],
    ["container", "container_1", "unsupported_parameter container"],
  ] as const)("a bad %s is refused by name", (field, value, expected) => {
    expect(refused({ [field]: value })).toBe(expected);
  });

  it("takes every optional field as null", () => {
    const fields = ["temperature", "top_p", "top_k", "stream", "stop_sequences", "system", "thinking"];
    fields.push(
      "output_config",
      "output_format",
      "tools",
      "tool_choice",
      "mcp_servers",
      "container",
      "thread",
    );
    expect(read(Object.fromEntries(fields.map((name) => [name, null])))).toEqual(read());
  });

  it("ignores what concerns that API's own service, and what nobody knows", () => {
    const ignored = {
      metadata: { user_id: "u" },
      service_tier: "auto",
      cache_control: { type: "ephemeral" },
      context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
      inference_geo: "eu",
      speed: "fast",
      betas: ["x"],
      mcp_servers: [],
      top_k: 40,
      nobody: {},
    };
    expect(read(ignored)).toEqual(read());
  });

  it("reads sampling and stop sequences, and a top_k of 1 as greedy", () => {
    expect(
      read({ temperature: 0.3, top_p: 0.9, stop_sequences: Array(32).fill("x"), stream: true }),
    ).toMatchObject({
      sampling: { temperature: 0.3, topP: 0.9, topPGiven: true },
      stop: Array(32).fill("x"),
      stream: true,
    });
    expect(read({ top_k: 1, temperature: 1 }).sampling.temperature).toBe(0);
  });

  it.each([
    [{}, "none"],
    [{ output_config: { effort: "high" } }, "none"],
    [{ thinking: { type: "disabled" } }, "none"],
    [{ thinking: { type: "adaptive" } }, undefined],
    [{ thinking: { type: "between_tools" } }, undefined],
    [{ thinking: { type: "adaptive" }, output_config: { effort: "max" } }, "high"],
    [{ thinking: { type: "enabled", budget_tokens: 1024 } }, "low"],
    [{ thinking: { type: "enabled", budget_tokens: 10_000 } }, "medium"],
    [{ thinking: { type: "enabled", budget_tokens: 32_000 } }, "high"],
    [{ thinking: { type: "enabled", budget_tokens: 32_000 }, output_config: { effort: "low" } }, "low"],
  ])("asks with %j for thoughts of effort %s", (fields, effort) => {
    expect(read(fields).reasoningEffort).toBe(effort);
  });

  it("reads a schema for the reply under both of its names", () => {
    const schema = { type: "object" };
    const format = { type: "json_schema", name: "reply", schema, strict: true };
    const asked = { type: "json_schema", schema };
    expect(read({ output_config: { format: asked } }).format).toEqual(format);
    expect(read({ output_format: asked }).format).toEqual(format);
  });

  it("refuses to continue a reply that the client began, but counts it", () => {
    const messages = [hello, { role: "assistant", content: "The answer is" }];
    expect(refused({ messages })).toBe("unsupported_value messages");
    expect(readCountRequest({ model: "omega", messages }).chat.messages).toHaveLength(2);
  });

  it("is counted without max_tokens, and held to everything else", () => {
    expect(readCountRequest({ model: "omega", messages: [hello] }).chat.maxTokens).toBeUndefined();
    expect(refusal({ messages: [hello] }, readCountRequest)).toBe("missing_required_parameter model");
    expect(refusal({ ...minimal, tools: 1 }, readCountRequest)).toBe("invalid_type tools");
  });
});

describe("tools", () => {
  const weather = { name: "get_weather", description: "Looks.", input_schema: { type: "object" } };
  const time = { type: "custom", name: "get_time", input_schema: { type: "object" }, strict: true };
  const search = { type: "web_search_20250305", name: "web_search", max_uses: 3 };
  const toolingOf = (changes: object) => read({ tools: [weather, search, time], ...changes }).tooling;

  it("are read, without those that run elsewhere", () => {
    expect(toolingOf({})).toEqual({
      tools: [
        { name: "get_weather", description: "Looks.", parameters: { type: "object" }, strict: false },
        { name: "get_time", description: undefined, parameters: { type: "object" }, strict: true },
      ],
      choice: "auto",
      parallel: true,
    });
    expect(read({ tools: [search] }).tooling).toBeUndefined();
    expect(refused({ tools: [search], tool_choice: { type: "any" } })).toBe("invalid_value tool_choice");
  });

  it("are chosen as tool_choice says", () => {
    expect(toolingOf({ tool_choice: { type: "any" } })).toMatchObject({ choice: "required", parallel: true });
    const one = { type: "tool", name: "get_time", disable_parallel_tool_use: true };
    expect(toolingOf({ tool_choice: one })).toMatchObject({
      tools: [{ name: "get_time" }],
      choice: "required",
      parallel: false,
    });
    expect(toolingOf({ tool_choice: { type: "none" } })).toBeUndefined();
    expect(toolingOf({ tool_choice: { type: "auto", disable_parallel_tool_use: true } })).toMatchObject({
      choice: "auto",
      parallel: false,
    });
  });
});

describe("anything at all", () => {
  const leaf = fc.oneof(fc.string(), fc.integer(), fc.double(), fc.boolean(), fc.constant(null));
  const word = fc.constantFrom(
    "text",
    "tool_use",
    "tool_result",
    "thinking",
    "user",
    "assistant",
    "auto",
    "any",
  );
  const names = fc.constantFrom(
    ...["type", "text", "role", "content", "id", "name", "input", "tool_use_id", "is_error", "thinking"],
    ...["messages", "system", "tools", "input_schema", "tool_choice", "format", "schema", "effort"],
    ...["budget_tokens", "__proto__", "constructor"],
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      leaf,
      word,
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(names, tie("value"), { maxKeys: 5 }),
    ),
  }));
  const sometimes = <T>(arbitrary: fc.Arbitrary<T>) =>
    fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
  const block = fc.record(
    {
      type: fc.oneof({ weight: 3, arbitrary: fc.constant("text") }, word),
      text: fc.oneof({ weight: 5, arbitrary: fc.string() }, value),
      id: leaf,
      name: leaf,
      input: value,
      tool_use_id: leaf,
      content: value,
      thinking: leaf,
    },
    { requiredKeys: ["type", "text"] },
  );
  const turn = fc.record({
    role: fc.constantFrom("user", "assistant", "system"),
    content: fc.oneof(fc.string(), fc.array(block, { maxLength: 4 })),
  });
  const body = fc.record(
    {
      model: fc.constant("omega"),
      max_tokens: fc.constant(5),
      messages: fc.oneof(fc.array(turn, { minLength: 1, maxLength: 5 }), value),
      system: sometimes(value),
      tools: sometimes(value),
      tool_choice: sometimes(value),
      thinking: sometimes(value),
      output_config: sometimes(value),
      stop_sequences: sometimes(value),
    },
    { requiredKeys: ["model", "messages", "max_tokens"] },
  );

  it("is read, or refused with an error of the table that does not repeat it", () => {
    const outcomes = { read: 0, refused: 0 };
    fc.assert(
      fc.property(fc.oneof(body, value), (anything) => {
        try {
          const { messages } = readMessagesRequest(anything).chat;
          outcomes.read += 1;
          expect(messages.length).toBeGreaterThan(0);
        } catch (error) {
          if (!(error instanceof ServiceError)) throw error;
          outcomes.refused += 1;
          expect(errorTable).toHaveProperty(error.code);
          expect(error.status).toBe(400);
        }
      }),
      { numRuns: 3000 },
    );
    expect(outcomes.read).toBeGreaterThan(50);
    expect(outcomes.refused).toBeGreaterThan(50);
  });
});
