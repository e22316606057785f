/** What docs/openapi.yaml says about the Messages API, held to what its readers take. */
import { describe, expect, it } from "vitest";
import { dialects } from "../../../src/protocol/dialects.js";
import { expectOurs, openApiAt, openApiKeys } from "../../support/clients/openapi.js";

const turn = { role: "user", content: "x" };
const use = { type: "tool_use", id: "a", name: "b", input: {} };
const endpoints = [
  ["/v1/messages", "CreateMessageRequest", dialects.messages],
  ["/v1/messages/count_tokens", "CountMessageTokensRequest", dialects.countTokens],
] as const;

const accepts = (check: () => unknown): boolean => {
  try {
    check();
    return true;
  } catch {
    return false;
  }
};

describe.each(endpoints)("the description of %s", (path, schema, dialect) => {
  it("has examples that are accepted", () => {
    const at = ["paths", path, "post", "requestBody", "content", "application/json", "examples"];
    const names = openApiKeys(...at);
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) {
      const value = openApiAt(...at, name, "value");
      expectOurs(schema, value);
      expect(() => dialect.read(value)).not.toThrow();
    }
  });

  it("agrees with the reader about allowed values", () => {
    const contents = [
      "",
      [],
      [{ type: "text", text: "x" }],
      [{ type: "text" }],
      [{ type: "image" }],
      [{ type: "tool_result" }],
      1,
      null,
    ];
    const fields: object[] = [
      {},
      { model: "" },
      ...contents.map((content) => ({ messages: [{ role: "user", content }] })),
      ...contents.map((content) => ({ messages: [turn, { role: "system", content }] })),
      ...[
        [],
        [use],
        [{ ...use, input: 1 }],
        [{ type: "redacted_thinking" }],
        [{ type: "thinking" }],
        [turn],
      ].map((content) => ({ messages: [turn, { role: "assistant", content }, turn] })),
      ...[[], "x", [{ role: "tool", content: "x" }], [{ role: "user" }]].map((messages) => ({ messages })),
      ...["x", [{ type: "text", text: "x" }], [], [{ type: "image" }], 1, null].map((system) => ({ system })),
      ...[
        { type: "disabled" },
        { type: "enabled" },
        { type: "enabled", budget_tokens: 5 },
        { type: "x" },
        {},
      ].map((thinking) => ({ thinking })),
      ...[{}, { effort: "low" }, { effort: "x" }, { effort: null }, [], null].map((output_config) => ({
        output_config,
      })),
      ...[{ type: "json_schema", schema: {} }, { type: "json_schema" }, { type: "text" }, null].map(
        (format) => ({
          output_config: { format },
        }),
      ),
      ...[
        [],
        [{}],
        [{ name: "a", input_schema: {} }],
        [{ name: "a b", input_schema: {} }],
        [{ type: "custom", name: "a" }],
        [{ type: "web_search_20250305" }],
        [{ name: "a", input_schema: {}, type: null, strict: "yes" }],
        null,
      ].map((tools) => ({ tools })),
      ...[
        { type: "auto" },
        { type: "none", disable_parallel_tool_use: true },
        { type: "x" },
        {},
        "auto",
        null,
      ].map((tool_choice) => ({ tool_choice })),
    ];
    if (path === "/v1/messages") {
      fields.push(
        ...[0, 1, 1.5, 2147483647, 2147483648, "1", null].map((max_tokens) => ({ max_tokens })),
        ...[-0.1, 0, 1, 1.1, "1", null].map((temperature) => ({ temperature })),
        ...[-0.1, 0, 1, 1.1, null].map((top_p) => ({ top_p })),
        ...[-1, 0, 1, 1.5, null].map((top_k) => ({ top_k })),
        ...[[], ["a"], [""], "a", Array(32).fill("a"), Array(33).fill("a"), null].map((stop_sequences) => ({
          stop_sequences,
        })),
        ...[true, false, "true", null].map((stream) => ({ stream })),
        ...[[], [{}], {}, null].map((mcp_servers) => ({ mcp_servers })),
        ...["x", null].map((container) => ({ container })),
        ...[{ type: "create" }, null].map((thread) => ({ thread })),
      );
    }
    for (const field of fields) {
      const body = { model: "omega", max_tokens: 5, messages: [turn], ...field };
      const documented = accepts(() => {
        expectOurs(schema, body);
      });
      expect([field, accepts(() => dialect.read(body))]).toEqual([field, documented]);
    }
  });
});
