import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { refusalOf } from "../../../test/support/refusal.js";
import { parseChatRequest } from "./request.js";
import { ServiceError } from "../../core/errors.js";

const minimal = { model: "omega", messages: [{ role: "user", content: "hi" }] };
const withFields = (fields: object) => ({ ...minimal, ...fields });
const withMessage = (message: unknown) => ({ model: "omega", messages: [message] });

const refusal = (body: unknown) => refusalOf(() => parseChatRequest(body));

describe("a chat request", () => {
  test("gets the specification's defaults", () => {
    expect(parseChatRequest(minimal)).toEqual({
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
      stream: false,
      includeUsage: false,
    });
  });

  test("reads every field", () => {
    const parsed = parseChatRequest(
      withFields({
        temperature: 0,
        top_p: 0.5,
        frequency_penalty: -2,
        presence_penalty: 2,
        seed: -7,
        logit_bias: { "50256": -100, "3": 0.5 },
        n: 8,
        logprobs: true,
        top_logprobs: 20,
        response_format: {
          type: "json_schema",
          json_schema: { name: "city", strict: true, schema: { type: "object" } },
        },
        max_tokens: 2 ** 31 - 1,
        stop: ["a", "b", "c", "d"],
        stream: true,
        stream_options: { include_usage: true, include_obfuscation: true },
      }),
    );
    expect(parsed).toMatchObject({
      sampling: {
        temperature: 0,
        topP: 0.5,
        topPGiven: true,
        frequencyPenalty: -2,
        presencePenalty: 2,
        seed: -7,
        logitBias: [
          [3, 0.5],
          [50256, -100],
        ],
      },
      choices: 8,
      topLogprobs: 20,
      format: { type: "json_schema", name: "city", schema: { type: "object" }, strict: true },
      maxTokens: 2147483647,
      stop: ["a", "b", "c", "d"],
      stream: true,
      includeUsage: true,
    });
  });

  test("takes null for any optional field as omitted", () => {
    const names =
      "temperature top_p frequency_penalty presence_penalty seed max_tokens max_completion_tokens stop stream " +
      "stream_options n tools functions response_format logprobs logit_bias audio user store metadata function_call modalities web_search_options";
    const nulls = Object.fromEntries(names.split(" ").map((name) => [name, null]));
    expect(parseChatRequest(withFields(nulls))).toEqual(parseChatRequest(minimal));
  });

  test("prefers max_completion_tokens to max_tokens", () => {
    expect(parseChatRequest(withFields({ max_tokens: 5, max_completion_tokens: 7 })).maxTokens).toBe(7);
    expect(parseChatRequest(withFields({ max_completion_tokens: 7 })).maxTokens).toBe(7);
  });

  test("takes a single stop sequence", () => {
    expect(parseChatRequest(withFields({ stop: "END" })).stop).toEqual(["END"]);
    expect(parseChatRequest(withFields({ stop: [] })).stop).toEqual([]);
    expect(parseChatRequest(withFields({ stop: Array(16).fill("a") })).stop).toHaveLength(16);
  });

  test("reads developer as system", () => {
    expect(parseChatRequest(withMessage({ role: "developer", content: "x" })).messages[0]?.role).toBe(
      "system",
    );
  });

  test("joins text parts", () => {
    const content = [
      { type: "text", text: "one " },
      { type: "text", text: "two" },
    ];
    expect(parseChatRequest(withMessage({ role: "user", content })).messages[0]?.content).toBe("one two");
  });

  test("takes null content of the assistant as empty", () => {
    expect(parseChatRequest(withMessage({ role: "assistant", content: null })).messages[0]?.content).toBe("");
  });

  test("replaces lone surrogates, which are no text, and keeps pairs", () => {
    const parsed = parseChatRequest({
      ...withMessage({ role: "user", content: "a\ud800b\udc00 \ud83d\ude00" }),
      stop: "\udfff",
    });
    expect(parsed.messages[0]?.content).toBe("a\ufffdb\ufffd \ud83d\ude00");
    expect(parsed.stop).toEqual(["\ufffd"]);
  });

  test("leaves the control text of a chat template as it is", () => {
    const content = "<|im_start|>system</s><s>[INST]";
    expect(parseChatRequest(withMessage({ role: "user", content })).messages[0]?.content).toBe(content);
  });

  test.each([
    ["flex", "flex"],
    ["auto", "default"],
    ["default", "default"],
    ["priority", "default"],
    [null, undefined],
  ])("with the service tier %s is served as %s", (tier, served) => {
    const { serviceTier } = parseChatRequest(withFields({ service_tier: tier }));
    expect(serviceTier).toBe(served);
  });

  test("accepts without effect what changes no meaning", () => {
    const fields = {
      user: "u",
      store: true,
      metadata: { a: "b" },
      prompt_cache_key: "k",
      safety_identifier: "s",
      parallel_tool_calls: true,
      logit_bias: {},
      verbosity: "low",
      n: 1,
      response_format: { type: "text" },
      tools: [],
      functions: [],
      function_call: "none",
      modalities: ["text"],
      logprobs: false,
      unknown_field: { deep: [1] },
    };
    expect(parseChatRequest(withFields(fields))).toEqual(parseChatRequest(minimal));
  });

  test("ignores extra fields of a message", () => {
    const message = { role: "user", content: "x", name: "n", tool_calls: [] };
    expect(parseChatRequest(withMessage(message)).messages).toEqual([{ role: "user", content: "x" }]);
  });

  test("is not led astray by __proto__", () => {
    const body: unknown = JSON.parse(
      '{"model":"omega","messages":[{"role":"user","content":"x","__proto__":{"role":"system"}}],"__proto__":{"stream":true,"temperature":9}}',
    );
    expect(parseChatRequest(body)).toMatchObject({ stream: false, sampling: { temperature: 1 } });
    expect(refusal(JSON.parse('{"__proto__":{"model":"omega","messages":[]}}')).code).toBe(
      "missing_required_parameter",
    );
    expect({}).not.toHaveProperty("stream");
  });
});

/** JSON has no infinity, but `1e999` is read as one. */
const tooLargeForJson: unknown = JSON.parse("1e999");

describe("refuses", () => {
  const user = (content: unknown) => withMessage({ role: "user", content });
  const cases: [what: string, body: unknown, code: string, param: string | null][] = [
    ["a body that is an array", [], "invalid_json", null],
    ["a body that is null", null, "invalid_json", null],
    ["a body that is a string", "x", "invalid_json", null],
    ["no model", { messages: minimal.messages }, "missing_required_parameter", "model"],
    ["a null model", withFields({ model: null }), "invalid_type", "model"],
    ["an empty model", withFields({ model: "" }), "string_too_short", "model"],
    ["a model that is a number", withFields({ model: 5 }), "invalid_type", "model"],
    ["no messages", { model: "omega" }, "missing_required_parameter", "messages"],
    ["null messages", withFields({ messages: null }), "invalid_type", "messages"],
    ["messages that are a string", withFields({ messages: "hi" }), "invalid_type", "messages"],
    ["empty messages", withFields({ messages: [] }), "empty_array", "messages"],
    ["a message that is a string", withMessage("hi"), "invalid_type", "messages[0]"],
    ["a message that is null", withMessage(null), "invalid_type", "messages[0]"],
    [
      "a message without role",
      withMessage({ content: "x" }),
      "missing_required_parameter",
      "messages[0].role",
    ],
    ["a role of another type", withMessage({ role: 1, content: "x" }), "invalid_type", "messages[0].role"],
    ["an unknown role", withMessage({ role: "narrator", content: "x" }), "invalid_value", "messages[0].role"],
    [
      "a message without content",
      withMessage({ role: "user" }),
      "missing_required_parameter",
      "messages[0].content",
    ],
    ["null content of a user", user(null), "invalid_type", "messages[0].content"],
    ["content that is a number", user(3), "invalid_type", "messages[0].content"],
    ["content that is an object", user({}), "invalid_type", "messages[0].content"],
    ["no parts", user([]), "empty_array", "messages[0].content"],
    ["a part that is a string", user(["x"]), "invalid_type", "messages[0].content[0]"],
    [
      "a part without type",
      user([{ text: "x" }]),
      "missing_required_parameter",
      "messages[0].content[0].type",
    ],
    [
      "a part without text",
      user([{ type: "text" }]),
      "missing_required_parameter",
      "messages[0].content[0].text",
    ],
    [
      "a part with other text",
      user([{ type: "text", text: 1 }]),
      "invalid_type",
      "messages[0].content[0].text",
    ],
    [
      "an unknown part",
      user([
        { type: "text", text: "x" },
        { type: "input_audio", input_audio: {} },
      ]),
      "unsupported_value",
      "messages[0].content[1].type",
    ],
    ["a temperature above 2", withFields({ temperature: 2.01 }), "decimal_above_max_value", "temperature"],
    ["a temperature below 0", withFields({ temperature: -0.1 }), "decimal_below_min_value", "temperature"],
    ["a temperature that is text", withFields({ temperature: "1" }), "invalid_type", "temperature"],
    [
      "an infinite temperature",
      withFields({ temperature: tooLargeForJson }),
      "decimal_above_max_value",
      "temperature",
    ],
    ["a top_p above 1", withFields({ top_p: 1.5 }), "decimal_above_max_value", "top_p"],
    ["a top_p below 0", withFields({ top_p: -1 }), "decimal_below_min_value", "top_p"],
    ["a top_p that is true", withFields({ top_p: true }), "invalid_type", "top_p"],
    [
      "a penalty above 2",
      withFields({ frequency_penalty: 2.5 }),
      "decimal_above_max_value",
      "frequency_penalty",
    ],
    [
      "a penalty below -2",
      withFields({ presence_penalty: -2.5 }),
      "decimal_below_min_value",
      "presence_penalty",
    ],
    ["a penalty that is text", withFields({ presence_penalty: "0" }), "invalid_type", "presence_penalty"],
    ["max_tokens 0", withFields({ max_tokens: 0 }), "integer_below_min_value", "max_tokens"],
    ["negative max_tokens", withFields({ max_tokens: -5 }), "integer_below_min_value", "max_tokens"],
    ["a decimal max_tokens", withFields({ max_tokens: 1.5 }), "invalid_type", "max_tokens"],
    ["max_tokens that are text", withFields({ max_tokens: "5" }), "invalid_type", "max_tokens"],
    ["max_tokens past 31 bits", withFields({ max_tokens: 2 ** 31 }), "integer_above_max_value", "max_tokens"],
    [
      "infinite max_tokens",
      withFields({ max_tokens: tooLargeForJson }),
      "integer_above_max_value",
      "max_tokens",
    ],
    [
      "a bad alias",
      withFields({ max_completion_tokens: 0 }),
      "integer_below_min_value",
      "max_completion_tokens",
    ],
    ["a 17th stop", withFields({ stop: Array(17).fill("a") }), "array_above_max_length", "stop"],
    [
      "more messages than a template is run over",
      withFields({ messages: Array.from({ length: 2049 }, () => ({ role: "user", content: "" })) }),
      "array_above_max_length",
      "messages",
    ],
    ["an empty stop", withFields({ stop: "" }), "string_too_short", "stop"],
    ["an empty stop in a list", withFields({ stop: ["a", ""] }), "string_too_short", "stop[1]"],
    ["a stop that is a number", withFields({ stop: 3 }), "invalid_type", "stop"],
    ["a number in a list of stops", withFields({ stop: ["a", 3] }), "invalid_type", "stop[1]"],
    ["a stream that is text", withFields({ stream: "true" }), "invalid_type", "stream"],
    ["a stream that is 1", withFields({ stream: 1 }), "invalid_type", "stream"],
    [
      "stream options without a stream",
      withFields({ stream_options: {} }),
      "invalid_value",
      "stream_options",
    ],
    [
      "stream options that are a list",
      withFields({ stream: true, stream_options: [] }),
      "invalid_type",
      "stream_options",
    ],
    [
      "an include_usage of another type",
      withFields({ stream: true, stream_options: { include_usage: 1 } }),
      "invalid_type",
      "stream_options.include_usage",
    ],
    ["a decimal seed", withFields({ seed: 0.5 }), "invalid_type", "seed"],
    ["a seed that is text", withFields({ seed: "7" }), "invalid_type", "seed"],
    ["an infinite seed", withFields({ seed: tooLargeForJson }), "integer_above_max_value", "seed"],
    ["too many choices", withFields({ n: 9 }), "integer_above_max_value", "n"],
    ["no choices", withFields({ n: 0 }), "integer_below_min_value", "n"],
    ["choices that are text", withFields({ n: "1" }), "invalid_type", "n"],
    [
      "a tool without a function",
      withFields({ tools: [{ type: "function" }] }),
      "missing_required_parameter",
      "tools[0].function",
    ],
    ["tools of another type", withFields({ tools: {} }), "invalid_type", "tools"],
    ["functions", withFields({ functions: [{}] }), "unsupported_parameter", "functions"],
    [
      "an unknown format",
      withFields({ response_format: { type: "xml" } }),
      "invalid_value",
      "response_format.type",
    ],
    [
      "a schema format without its schema",
      withFields({ response_format: { type: "json_schema", json_schema: { name: "x" } } }),
      "missing_required_parameter",
      "response_format.json_schema.schema",
    ],
    [
      "a schema name with spaces",
      withFields({ response_format: { type: "json_schema", json_schema: { name: "a b", schema: {} } } }),
      "invalid_value",
      "response_format.json_schema.name",
    ],
    ["a format of another type", withFields({ response_format: "text" }), "invalid_type", "response_format"],
    ["alternatives alone", withFields({ top_logprobs: 2 }), "invalid_value", "top_logprobs"],
    [
      "too many alternatives",
      withFields({ logprobs: true, top_logprobs: 21 }),
      "integer_above_max_value",
      "top_logprobs",
    ],
    ["a bias on no token", withFields({ logit_bias: { hello: 1 } }), "invalid_value", "logit_bias"],
    [
      "a bias too large",
      withFields({ logit_bias: { "5": 101 } }),
      "decimal_above_max_value",
      "logit_bias[0]",
    ],
    ["audio", withFields({ audio: { voice: "alloy" } }), "unsupported_parameter", "audio"],
    ["a function call", withFields({ function_call: "auto" }), "unsupported_parameter", "function_call"],
    [
      "another modality",
      withFields({ modalities: ["text", "audio"] }),
      "unsupported_parameter",
      "modalities",
    ],
    ["a web search", withFields({ web_search_options: {} }), "unsupported_parameter", "web_search_options"],
  ];
  test.each(cases)("%s", (_what, body, code, param) => {
    expect(refusal(body)).toMatchObject({ code, param });
  });

  test("the second of two errors only after the first", () => {
    expect(refusal({ messages: [], temperature: 9 }).param).toBe("model");
    expect(refusal({ model: "omega", temperature: 9 }).param).toBe("messages");
    expect(refusal({ model: "omega", messages: [{ role: "x" }], temperature: 9 }).param).toBe(
      "messages[0].role",
    );
    expect(refusal({ model: "no-such-model", messages: minimal.messages, temperature: 9 }).param).toBe(
      "temperature",
    );
  });

  test("by naming the invalid message", () => {
    const messages = [...minimal.messages, ...minimal.messages, { role: "narrator", content: "x" }];
    const { message, param } = refusal({ model: "omega", messages });
    expect(param).toBe("messages[2].role");
    expect(message).toContain("messages[2].role");
    expect(message).toContain("'system', 'developer', 'user', 'assistant' and 'tool'");
  });

  test("without ever repeating what was sent", () => {
    const canary = "canary-7f3a";
    const fields = ["temperature", "max_tokens", "stop", "stream", "n", "tools", "response_format", "seed"];
    const values = [canary, [canary], { type: canary }, [[canary], canary, canary, canary, canary]];
    const bodies = [
      ...fields.flatMap((field) => values.map((value) => withFields({ [field]: value }))),
      withMessage({ role: canary, content: canary }),
      withMessage({ role: "user", content: [{ type: canary, text: canary }] }),
      withMessage({ role: "user", content: { [canary]: canary } }),
    ];
    for (const body of bodies) {
      try {
        parseChatRequest(body);
      } catch (error) {
        expect(String(error)).not.toContain(canary);
      }
    }
  });

  test("anything at all with a known error, or reads it", () => {
    const field = fc.constantFrom(
      ...["model", "messages", "temperature", "top_p", "max_tokens", "stop", "stream", "stream_options", "n"],
      ...["tools", "response_format", "logit_bias", "seed", "__proto__", "constructor"],
    );
    const body = fc.dictionary(field, fc.jsonValue());
    fc.assert(
      fc.property(fc.oneof(body, fc.jsonValue()), (value) => {
        try {
          parseChatRequest(value);
        } catch (error) {
          expect(error).toBeInstanceOf(ServiceError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
