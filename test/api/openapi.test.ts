import { describe, expect, it } from "vitest";
import { errorTable, type ErrorCode } from "../../src/core/errors.js";
import { parseChatRequest } from "../../src/protocol/chat-completions/request.js";
import { readEmbeddingsRequest } from "../../src/protocol/embeddings.js";
import { readRerankRequest } from "../../src/protocol/rerank.js";
import {
  readChatRequest,
  readEmbeddingsRequest as readOllamaEmbeddingsRequest,
  readEmbedRequest,
  readGenerateRequest,
} from "../../src/protocol/ollama/request.js";
import { readCompactRequest, readResponseRequest } from "../../src/protocol/responses/request.js";
import { apiRoutes, ollamaRoutes, openRoutes } from "../../src/http/routes.js";
import { ask } from "../support/clients/chat.js";
import { expectOurs, openApiAt, openApiKeys } from "../support/clients/openapi.js";
import { responseShape } from "../support/clients/response-shapes.js";
import { startServer } from "../support/processes/server.js";

/** Those that a body of ours names; the other one is in the form of the protocol for encrypted bodies. */
const codes = (Object.keys(errorTable) as ErrorCode[]).filter((code) => code !== "encryption_key_mismatch");
const methods = ["get", "post", "put", "patch", "delete"];

describe("docs/openapi.yaml", () => {
  it("describes every route, and no other", async () => {
    const server = await startServer();
    const table = [
      ...apiRoutes(server.parts).map(({ method, url }) => `${method} /v1${url}`),
      ...ollamaRoutes(server.parts).map(({ method, url }) => `${method} /api${url}`),
      ...openRoutes(server.parts).map(({ method, url }) => `${method} ${url}`),
    ];
    await server.close();
    const documented = openApiKeys("paths").flatMap((path) =>
      openApiKeys("paths", path)
        .filter((key) => methods.includes(key))
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(documented.sort()).toEqual(table.map((route) => route.replace(/:(\w+)/, "{$1}")).sort());
  });

  const responses = openApiKeys("components", "responses");

  it("has an example of every error, as the table has it", () => {
    const shown = new Map<string, { status: number; type: string }>();
    for (const name of responses) {
      const at = ["components", "responses", name, "content", "application/json", "examples"];
      for (const code of openApiKeys(...at)) {
        const value = openApiAt(...at, code, "value");
        expectOurs("Error", value);
        expect(value).toMatchObject({ error: { code } });
        shown.set(code, {
          status: statusOf(name),
          type: String(openApiAt(...at, code, "value", "error", "type")),
        });
      }
    }
    const table = codes.map((code) => [
      code,
      { status: errorTable[code].status, type: errorTable[code].type },
    ]);
    expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(table));
  });

  it("lists every code", () => {
    const enumerated = openApiAt(
      "components",
      "schemas",
      "Error",
      "properties",
      "error",
      "properties",
      "code",
      "enum",
    );
    expect(enumerated).toEqual(expect.arrayContaining(codes));
    expect(enumerated).toHaveLength(codes.length);
  });

  it("uses the table's own words where they are general", () => {
    const general: ErrorCode[] = ["invalid_json", "unsupported_content_type", "invalid_api_key"];
    general.push("model_not_found", "internal_error", "maintenance", "engine_unavailable");
    const text = JSON.stringify(openApiAt("components", "responses"));
    for (const code of general) expect(text).toContain(JSON.stringify(errorTable[code].message));
  });

  it("shows the message of an unknown path as the service words it", async () => {
    const server = await startServer();
    const { json } = await ask(server, { path: "/v1/chat" });
    await server.close();
    const content = openApiAt("components", "responses", "NotFound", "content", "application/json");
    expect(content).toMatchObject({ examples: { unknown_url: { value: json } } });
  });

  it.each([
    ["/v1/chat/completions", "CreateChatCompletionRequest", parseChatRequest],
    ["/v1/responses", "CreateResponseRequest", readResponseRequest],
    ["/v1/embeddings", "CreateEmbeddingsRequest", readEmbeddingsRequest],
    ["/v1/rerank", "RerankRequest", readRerankRequest],
    ["/v1/responses/compact", "CreateResponseRequest", readCompactRequest],
    ["/api/chat", "OllamaChatRequest", readChatRequest],
    ["/api/generate", "OllamaGenerateRequest", readGenerateRequest],
    ["/api/embed", "OllamaEmbedRequest", readEmbedRequest],
    ["/api/embeddings", "OllamaEmbeddingsRequest", readOllamaEmbeddingsRequest],
  ] as const)("has examples of requests to %s that are accepted", (path, schema, read) => {
    const at = ["paths", path, "post", "requestBody", "content", "application/json", "examples"];
    const names = openApiKeys(...at);
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) {
      const value = openApiAt(...at, name, "value");
      expectOurs(schema, value);
      expect(() => read(value)).not.toThrow();
    }
  });

  it.each([
    ["post", "/v1/responses/compact", "CompactedResponse"],
    ["post", "/api/chat", "OllamaChatReply"],
    ["post", "/api/generate", "OllamaGenerateReply"],
    ["post", "/api/embed", "OllamaEmbedReply"],
    ["post", "/api/embeddings", "OllamaEmbeddingsReply"],
    ["get", "/api/tags", "OllamaTags"],
    ["post", "/api/show", "OllamaShown"],
    ["get", "/api/ps", "OllamaRunning"],
    ["get", "/api/version", "OllamaVersion"],
  ])("has an example of the reply of %s %s", (method, path, schema) => {
    const at = ["paths", path, method, "responses", "200", "content", "application/json"];
    expectOurs(schema, openApiAt(...at, "example"));
  });

  it("has an example of a response that fits its own schema", () => {
    const at = ["paths", "/v1/responses", "post", "responses", "200", "content", "application/json"];
    const example = openApiAt(...at, "example");
    expectOurs("Response", example);
    expect(() => responseShape.parse(example)).not.toThrow();
  });

  it("agrees with the reader of responses about allowed values", () => {
    const call = { type: "function_call", call_id: "c", name: "f" };
    const values: Record<string, unknown[]> = {
      input: ["", [], 1, null, [{ role: "user", content: "x" }], [{ role: "tool", content: "x" }], [{}]],
      instructions: ["x", null, 1],
      max_output_tokens: [0, 1, 1.5, "1", null],
      temperature: [-0.1, 0, 2, 2.1, "1", null],
      top_p: [-0.1, 1, 1.1, null],
      stream: [true, "true", null],
      text: [
        null,
        1,
        {},
        { format: null },
        { format: { type: "xml" } },
        { format: { type: "json_object" }, verbosity: 1 },
      ],
      tools: [
        null,
        {},
        [],
        [{}],
        [{ type: "web_search" }],
        [{ type: "function" }],
        [{ type: "function", name: "f" }],
        [{ type: "namespace", name: "n", tools: [{ type: "function", name: "f" }] }],
        [{ type: "namespace", name: "n" }],
      ],
      tool_choice: ["none", "auto", "maybe", null, { type: "function" }, { type: "web_search" }],
      parallel_tool_calls: [true, 1, null],
      reasoning: [
        null,
        {},
        1,
        { effort: "low" },
        { effort: "much" },
        { effort: null, summary: 1 },
        { summary: "auto" },
      ],
      include: [null, [], ["x"], "x"],
      top_logprobs: [0, 20, 21, null],
      metadata: [null, {}, 1],
      background: [null, false, true, 1],
      previous_response_id: [null, "resp_1"],
      conversation: [null, "conv_1", {}],
      prompt: [null, {}],
      store: [true, null, 1],
    };
    const items: unknown[][] = [
      [{ type: "message", role: "developer", content: [{ type: "input_text", text: "x" }] }],
      [{ role: "user", content: [{ type: "input_image" }] }],
      [{ type: "message", content: "x" }],
      [call, { type: "function_call_output", call_id: "c", output: "x" }],
      [call, { type: "function_call_output", call_id: "c", output: [{ type: "input_text", text: "x" }] }],
      [{ ...call, name: "" }],
      [{ ...call, call_id: undefined }],
      [call, { type: "function_call_output", call_id: "c" }],
      [{ type: "reasoning", summary: [{ type: "summary_text", text: "x" }] }, call],
      [{ type: "reasoning", content: [{ type: "text", text: "x" }] }, call],
      [{ type: "web_search_call" }, call],
      [{ type: "something" }, call],
      [{ type: "item_reference", id: "msg_1" }],
      [{ type: "item_reference" }],
    ];
    const fields = [
      ...Object.entries(values).flatMap(([name, list]) => list.map((value) => ({ [name]: value }))),
      ...items.map((input) => ({ input })),
    ];
    for (const field of fields) {
      const body = { model: "omega", input: "x", ...field };
      const documented = accepts(() => {
        expectOurs("CreateResponseRequest", JSON.parse(JSON.stringify(body)));
      });
      expect([field, accepts(() => readResponseRequest(body))]).toEqual([field, documented]);
    }
  });

  it("agrees with the parser about allowed values", () => {
    const minimal = { model: "omega", messages: [{ role: "user", content: "x" }] };
    const fields: object[] = [
      ...[-0.1, 0, 2, 2.1, "1", null].map((temperature) => ({ temperature })),
      ...[-0.1, 0, 1, 1.1, null].map((top_p) => ({ top_p })),
      ...[-2.1, -2, 2, 2.1, null].map((presence_penalty) => ({ presence_penalty })),
      ...[0, 1, 1.5, 2147483647, 2147483648, "1", null].map((max_tokens) => ({ max_tokens })),
      ...["", "a", [], ["a"], [""], Array(16).fill("a"), Array(17).fill("a"), 1, null].map((stop) => ({
        stop,
      })),
      ...[true, false, "true", null].map((stream) => ({ stream })),
      ...[1, 2, 0, 8, 9, "1", null].map((n) => ({ n })),
      ...[[], [{}], {}, null].map((tools) => ({ tools })),
      ...[{ type: "text" }, { type: "json_object" }, { type: "xml" }, {}, "text", null].map(
        (response_format) => ({ response_format }),
      ),
      ...[undefined, {}, { name: "a b" }, { name: "a" }, { name: "a", schema: {} }].map((json_schema) => ({
        response_format: { type: "json_schema", json_schema },
      })),
      ...[{}, { "1": 1 }, { "1": 101 }, { x: 1 }, [], null].map((logit_bias) => ({ logit_bias })),
      ...[true, false, 1].map((logprobs) => ({ logprobs })),
      ...[0, 20, 21].map((top_logprobs) => ({ logprobs: true, top_logprobs })),
      ...[[], "x", [{ role: "tool", content: "x" }], [{ role: "user" }], [{ content: "x" }]].map(
        (messages) => ({ messages }),
      ),
      ...[[{ role: "developer", content: [{ type: "text", text: "x" }] }]].map((messages) => ({ messages })),
      ...[[{ role: "user", content: [{ type: "image_url" }] }], [{ role: "user", content: [] }]].map(
        (messages) => ({ messages }),
      ),
      { audio: {} },
      { audio: null },
      ...["none", "auto", null].map((function_call) => ({ function_call })),
      ...[[], ["text"], ["audio"], null].map((modalities) => ({ modalities })),
      ...[{}, null].map((web_search_options) => ({ web_search_options })),
    ];
    for (const field of fields) {
      const body = { ...minimal, ...field };
      const documented = accepts(() => {
        expectOurs("CreateChatCompletionRequest", body);
      });
      expect([field, accepts(() => parseChatRequest(body))]).toEqual([field, documented]);
    }
  });
});

function accepts(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}

/** The status under which the operations name this response. */
function statusOf(name: string): number {
  for (const path of openApiKeys("paths")) {
    for (const method of openApiKeys("paths", path)) {
      for (const status of openApiKeys("paths", path, method, "responses")) {
        const ref = openApiAt("paths", path, method, "responses", status, "$ref");
        if (ref === `#/components/responses/${name}`) return Number(status);
      }
    }
  }
  throw new Error(`No operation has the response ${name}.`);
}
