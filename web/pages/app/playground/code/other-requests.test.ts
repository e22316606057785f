/** The playground's request in the words of the other two APIs. */
import { expect, it } from "vitest";
import { codeApis, samplesOf } from "./code-apis.ts";
import { asMessages, asResponses } from "./other-requests.ts";
import { defaultSettings, requestOf } from "../settings.ts";
import { exampleTools } from "../tools.ts";

const tools = JSON.stringify([
  {
    type: "function",
    function: { name: "f", description: "Does it", strict: true, parameters: { type: "object" } },
  },
  { type: "function", function: { name: "g" } },
]);
const settings = {
  ...defaultSettings("prism"),
  system: "Be brief.",
  temperature: 1.5,
  topP: 0.9,
  maxTokens: "64",
  stop: "END",
  frequencyPenalty: 0.5,
  tools,
  toolChoice: "function:f",
  effort: "low",
};
const body = {
  ...requestOf(settings, []),
  messages: [
    { role: "system" as const, content: "Be brief." },
    { role: "user" as const, content: "How is it?" },
    {
      role: "assistant" as const,
      content: "Looking.",
      reasoning_content: "Hm.",
      tool_calls: [
        { id: "call_a", type: "function" as const, function: { name: "f", arguments: '{"a":1}' } },
        { id: "call_b", type: "function" as const, function: { name: "g", arguments: '{"cut' } },
      ],
    },
    { role: "tool" as const, tool_call_id: "call_a", content: "fine" },
    { role: "tool" as const, tool_call_id: "call_b", content: "" },
    { role: "assistant" as const, content: "It is fine." },
    { role: "user" as const, content: "Good." },
  ],
};

it("is put into items for the Responses API", () => {
  expect(asResponses(body)).toEqual({
    fields: {
      model: "prism",
      instructions: "Be brief.",
      input: [
        { role: "user", content: "How is it?" },
        { type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: "Hm." }] },
        { role: "assistant", content: "Looking." },
        { type: "function_call", call_id: "call_a", name: "f", arguments: '{"a":1}' },
        { type: "function_call", call_id: "call_b", name: "g", arguments: '{"cut' },
        { type: "function_call_output", call_id: "call_a", output: "fine" },
        { type: "function_call_output", call_id: "call_b", output: "" },
        { role: "assistant", content: "It is fine." },
        { role: "user", content: "Good." },
      ],
      temperature: 1.5,
      top_p: 0.9,
      max_output_tokens: 64,
      tools: [
        { type: "function", name: "f", description: "Does it", strict: true, parameters: { type: "object" } },
        { type: "function", name: "g" },
      ],
      tool_choice: { type: "function", name: "f" },
      reasoning: { effort: "low" },
    },
    missing: ["stop", "frequency_penalty"],
  });
});

it("is put into blocks for the Messages API", () => {
  expect(asMessages(body)).toEqual({
    fields: {
      model: "prism",
      max_tokens: 64,
      system: "Be brief.",
      messages: [
        { role: "user", content: "How is it?" },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm.", signature: "" },
            { type: "text", text: "Looking." },
            { type: "tool_use", id: "call_a", name: "f", input: { a: 1 } },
            { type: "tool_use", id: "call_b", name: "g", input: {} },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "call_a", content: "fine" },
            { type: "tool_result", tool_use_id: "call_b", content: "" },
          ],
        },
        { role: "assistant", content: "It is fine." },
        { role: "user", content: "Good." },
      ],
      temperature: 1,
      top_p: 0.9,
      stop_sequences: ["END"],
      tools: [
        { name: "f", description: "Does it", strict: true, input_schema: { type: "object" } },
        { name: "g", input_schema: { type: "object" } },
      ],
      tool_choice: { type: "tool", name: "f" },
      thinking: { type: "adaptive" },
      output_config: { effort: "low" },
    },
    missing: ["frequency_penalty"],
  });
});

it("says nothing of what was left at its default, but the length that the Messages API requires", () => {
  const plain = requestOf(defaultSettings("omega"), [{ id: 1, role: "user", text: "Hi" }]);
  expect(asResponses(plain)).toEqual({
    fields: { model: "omega", input: [{ role: "user", content: "Hi" }] },
    missing: [],
  });
  expect(asMessages(plain)).toEqual({
    fields: { model: "omega", max_tokens: 1024, messages: [{ role: "user", content: "Hi" }] },
    missing: [],
  });
});

it.each([
  ["none", "none", { type: "none" }],
  ["required", "required", { type: "any" }],
])("has the tool choice %s in each", (toolChoice, flat, typed) => {
  const request = requestOf({ ...settings, toolChoice }, []);
  expect(request.tool_choice).toBe(flat);
  expect(asResponses(request).fields.tool_choice).toBe(flat);
  expect(asMessages(request).fields.tool_choice).toEqual(typed);
});

it("leaves out the choice of a function that is gone, and effort and choice where none are set", () => {
  expect(requestOf({ ...settings, tools: exampleTools }, [])).not.toHaveProperty("tool_choice");
  const plain = requestOf({ ...defaultSettings("omega"), toolChoice: "required" }, []);
  expect(plain).not.toHaveProperty("tool_choice");
  expect(plain).not.toHaveProperty("reasoning_effort");
});

it("never holds a key, whatever the API and the language", () => {
  for (const api of codeApis) {
    for (const { code } of samplesOf(api, "https://chat.example.org/v1", body)) {
      expect(code).toContain("SOTTO_API_KEY");
      expect(code).toContain("https://chat.example.org");
    }
  }
});
