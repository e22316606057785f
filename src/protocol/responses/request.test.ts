import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { refusalOf } from "../../../test/support/refusal.js";
import { ServiceError } from "../../core/errors.js";
import { readResponseRequest, resolveItems } from "./request.js";

const minimal = { model: "omega", input: "hi" };
const nothingKept = { recall: () => undefined, open: () => null };
const chatOf = (fields: object = {}) => readResponseRequest({ ...minimal, ...fields }).chat;

const refusal = (body: unknown) => refusalOf(() => resolveItems(readResponseRequest(body), nothingKept));

const refusalWith = (fields: object) => refusal({ ...minimal, ...fields });

describe("a request for a response", () => {
  test("gets the defaults", () => {
    expect(readResponseRequest(minimal)).toEqual({
      chat: {
        model: "omega",
        messages: [{ role: "user", content: "hi" }],
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
        maxTokens: undefined,
        choices: 1,
        topLogprobs: undefined,
        format: { type: "text" },
        tooling: undefined,
        reasoningEffort: undefined,
        stream: false,
        includeUsage: true,
      },
      echo: {
        instructions: null,
        max_output_tokens: null,
        tools: [],
        tool_choice: "auto",
        parallel_tool_calls: true,
        reasoning: { effort: null, summary: null },
        temperature: 1,
        text: { format: { type: "text" } },
        top_p: 1,
        top_logprobs: 0,
        metadata: {},
      },
      hosted: [],
      callNames: [],
      showsSummary: false,
      keepsItems: true,
    });
  });

  test("may ask that nothing is kept, and for a summary of the thoughts", () => {
    const { keepsItems, showsSummary, echo } = readResponseRequest({
      ...minimal,
      store: false,
      reasoning: { summary: "auto" },
    });
    expect({ keepsItems, showsSummary, reasoning: echo?.reasoning }).toEqual({
      keepsItems: false,
      showsSummary: true,
      reasoning: { effort: null, summary: "auto" },
    });
  });

  test("keeps what it asks for", () => {
    expect(
      chatOf({
        temperature: 0.5,
        top_p: 0.9,
        max_output_tokens: 7,
        stream: true,
        reasoning: { effort: "low" },
      }),
    ).toMatchObject({
      sampling: { temperature: 0.5, topP: 0.9, topPGiven: true },
      maxTokens: 7,
      stream: true,
      reasoningEffort: "low",
    });
  });

  test("has null for omitted fields", () => {
    const names = ["instructions", "max_output_tokens", "temperature", "top_p", "stream", "stream_options"];
    names.push("include", "top_logprobs", "text", "tools", "tool_choice", "parallel_tool_calls", "reasoning");
    names.push("metadata", "user", "background", "previous_response_id", "conversation", "prompt");
    const nulls = Object.fromEntries(names.map((name) => [name, null]));
    expect(readResponseRequest({ ...minimal, ...nulls })).toEqual(readResponseRequest(minimal));
    const inside = { text: { format: null }, reasoning: { effort: null } };
    expect(readResponseRequest({ ...minimal, ...inside })).toEqual(readResponseRequest(minimal));
  });

  test("ignores what has no effect, and what it does not know", () => {
    const without = {
      ...{ store: true, truncation: "auto", prompt_cache_key: "k", max_tool_calls: 3 },
      ...{
        safety_identifier: "s",
        client_metadata: { a: "b" },
        stream_options: { include_obfuscation: false },
      },
      ...{ include: ["reasoning.encrypted_content"], text: { verbosity: "low" }, background: false },
      ...{ stop: ["x"], n: 3, unknown: {} },
    };
    expect(readResponseRequest({ ...minimal, ...without })).toEqual(readResponseRequest(minimal));
  });

  test.each([
    ["flex", "flex"],
    ["auto", "default"],
    ["priority", "default"],
    [null, undefined],
  ])("with the service tier %s is served as %s", (tier, served) => {
    expect(chatOf({ service_tier: tier }).serviceTier).toBe(served);
  });

  test.each([
    [{ include: ["message.output_text.logprobs"] }, 0],
    [{ include: ["message.output_text.logprobs"], top_logprobs: 5 }, 5],
    [{ top_logprobs: 5 }, 5],
    [{ top_logprobs: 0 }, undefined],
  ])("with %o asks for %s alternatives", (fields, expected) => {
    expect(chatOf(fields).topLogprobs).toBe(expected);
  });

  test("describes the format of the reply flat", () => {
    const schema = { type: "object" };
    const format = { type: "json_schema", name: "n", schema, strict: true, description: "d" };
    expect(chatOf({ text: { format } }).format).toEqual({
      type: "json_schema",
      name: "n",
      schema,
      strict: true,
    });
    expect(chatOf({ text: { format: { type: "json_object" } } }).format).toEqual({ type: "json_object" });
    expect(refusalWith({ text: { format: { type: "json_schema", schema } } })).toMatchObject({
      code: "missing_required_parameter",
      param: "text.format.name",
    });
  });

  test("crosses threads as it is", () => {
    const read = readResponseRequest({
      ...minimal,
      tools: [{ type: "function", name: "f" }],
      metadata: { a: 1 },
    });
    expect(structuredClone(read)).toEqual(read);
  });
});

describe("a request for a response is refused", () => {
  test.each([
    ["a body that is no object", [], "invalid_json", null],
    ["no model", { input: "x" }, "missing_required_parameter", "model"],
    ["no model and no input", {}, "missing_required_parameter", "model"],
    ["an empty model", { model: "", input: "x" }, "string_too_short", "model"],
    ["no input", { model: "omega" }, "missing_required_parameter", "input"],
    ["no input and a bad field", { model: "omega", temperature: 3 }, "missing_required_parameter", "input"],
    ["bad input and a bad field", { model: "omega", input: 1, temperature: 3 }, "invalid_type", "input"],
  ])("with %s", (_, body, code, param) => {
    expect(refusal(body)).toMatchObject({ code, param });
  });

  test.each([
    [{ instructions: 1 }, "invalid_type", "instructions"],
    [{ temperature: 2.1 }, "decimal_above_max_value", "temperature"],
    [{ temperature: "1" }, "invalid_type", "temperature"],
    [{ top_p: -1 }, "decimal_below_min_value", "top_p"],
    [{ max_output_tokens: 0 }, "integer_below_min_value", "max_output_tokens"],
    [{ max_output_tokens: 1.5 }, "invalid_type", "max_output_tokens"],
    [{ stream: "yes" }, "invalid_type", "stream"],
    [{ stream_options: 1 }, "invalid_type", "stream_options"],
    [{ include: "all" }, "invalid_type", "include"],
    [{ top_logprobs: 21 }, "integer_above_max_value", "top_logprobs"],
    [{ text: "json" }, "invalid_type", "text"],
    [{ text: { format: { type: "xml" } } }, "invalid_value", "text.format.type"],
    [
      { text: { format: { type: "json_schema", name: "a b", schema: {} } } },
      "invalid_value",
      "text.format.name",
    ],
    [{ reasoning: { effort: "much" } }, "invalid_value", "reasoning.effort"],
    [{ reasoning: { summary: "long" } }, "invalid_value", "reasoning.summary"],
    [{ reasoning: 1 }, "invalid_type", "reasoning"],
    [{ store: "yes" }, "invalid_type", "store"],
    [{ metadata: 1 }, "invalid_type", "metadata"],
    [{ user: 1 }, "invalid_type", "user"],
    [{ parallel_tool_calls: 1 }, "invalid_type", "parallel_tool_calls"],
    [{ background: "yes" }, "invalid_type", "background"],
  ])("with %o", (fields, code, param) => {
    expect(refusalWith(fields)).toMatchObject({ code, param });
  });

  test.each([
    [{ previous_response_id: "resp_1" }, "previous_response_id", "stores no responses"],
    [{ conversation: { id: "conv_1" } }, "conversation", "stores no conversations"],
    [{ prompt: { id: "pmpt_1" } }, "prompt", "stores no prompts"],
    [{ background: true }, "background", "wait for the reply, or stream it"],
  ])("with %o, since nothing is stored", (fields, param, reason) => {
    const { code, param: named, message } = refusalWith(fields);
    expect({ code, named }).toEqual({ code: "unsupported_parameter", named: param });
    expect(message).toContain(reason);
  });

  test("for what it refers to rather than for what is missing without it", () => {
    const input = [{ type: "function_call_output", call_id: "call_1", output: "x" }];
    expect(refusalWith({ input, previous_response_id: "resp_1" }).param).toBe("previous_response_id");
  });

  test("anything at all with a known error, or reads it", () => {
    const rarely = <T>(odd: fc.Arbitrary<T>) => ({ weight: 1, arbitrary: odd });
    const mostly = <T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<unknown> = fc.jsonValue()) =>
      fc.oneof({ weight: 30, arbitrary: usual }, rarely(odd));
    const text = mostly(fc.string());
    const part = fc.oneof(
      fc.record({ type: mostly(fc.constantFrom("input_text", "output_text")), text }),
      fc.record({ type: fc.constant("refusal"), refusal: text }),
    );
    const content = mostly(fc.oneof(fc.string(), fc.array(part, { minLength: 1, maxLength: 3 })));
    const callId = mostly(fc.constant("a"));
    const item = fc.oneof(
      fc.record({ role: mostly(fc.constantFrom("user", "assistant", "developer")), content }),
      fc.record({ type: fc.constant("function_call"), call_id: callId, name: text, arguments: text }),
      fc.record({ type: fc.constant("function_call_output"), call_id: callId, output: content }),
      fc.record({
        type: fc.constant("reasoning"),
        summary: mostly(fc.constant([])),
        content: mostly(fc.constant(null)),
      }),
      rarely(fc.record({ type: text, id: fc.constantFrom("rs_1", "msg_1", 1) })),
      rarely(
        fc.record({ type: fc.constant("item_reference"), id: fc.constantFrom("rs_1", "msg_1", "fc_1", 1) }),
      ),
    );
    const named = mostly(fc.constantFrom("f", "g"));
    const tool = fc.oneof(
      fc.record({
        type: fc.constant("function"),
        name: named,
        parameters: mostly(fc.object({ maxDepth: 2 })),
      }),
      fc.record({ type: text, anything: fc.jsonValue() }),
    );
    const tools = fc.array(tool, { maxLength: 4 });
    const choice = fc.oneof(
      fc.constantFrom("auto", "none", "required"),
      fc.record({ type: fc.constantFrom("function", "mcp"), name: named }),
      fc.record({ type: fc.constant("allowed_tools"), mode: mostly(fc.constant("auto")), tools }),
    );
    const other = fc.constantFrom(
      "instructions",
      "text",
      "include",
      "reasoning",
      "metadata",
      "prompt",
      "__proto__",
    );
    const body = fc
      .tuple(
        fc.record(
          {
            model: mostly(fc.constant("omega")),
            input: mostly(fc.array(item)),
            tools: mostly(tools),
            tool_choice: choice,
          },
          { requiredKeys: ["model", "input"] },
        ),
        fc.oneof({ weight: 15, arbitrary: fc.constant({}) }, rarely(fc.dictionary(other, fc.jsonValue()))),
      )
      .map(([fields, more]) => ({ ...fields, ...more }));
    let read = 0;
    fc.assert(
      fc.property(mostly(body), (value) => {
        try {
          const asked = resolveItems(readResponseRequest(value), nothingKept);
          expect(asked.chat.messages.length).toBeGreaterThan(0);
          read += 1;
        } catch (error) {
          expect(error).toBeInstanceOf(ServiceError);
        }
      }),
      { numRuns: 2000 },
    );
    // Both happen: a test of refusals alone would prove little.
    expect(read).toBeGreaterThan(20);
    expect(read).toBeLessThan(1980);
  });

  test("without a word of what was sent", () => {
    const canary = "canary-7319";
    const bodies: unknown[] = [
      { model: "omega", input: [{ role: canary, content: canary }] },
      { model: "omega", input: [{ type: canary }] },
      { model: "omega", input: [{ role: "user", content: [{ type: canary, text: canary }] }] },
      { model: "omega", input: [{ type: "function_call_output", call_id: canary, output: canary }] },
      { model: "omega", input: [{ type: "item_reference", id: canary }] },
      { model: "omega", input: [{ type: "item_reference", id: `msg_${canary}` }] },
      ...[
        { tools: [{ type: "function", name: `${canary} ` }] },
        { tool_choice: { type: canary } },
        { tools: [{ type: "function", name: "f" }], tool_choice: { type: "function", name: canary } },
        { text: { format: { type: canary } } },
        { reasoning: { effort: canary } },
        { previous_response_id: canary },
        { temperature: canary },
      ].map((fields) => ({ ...minimal, ...fields })),
    ];
    for (const body of bodies) expect(refusal(body).message).not.toContain(canary);
  });
});
