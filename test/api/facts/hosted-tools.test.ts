/**
 * Tools that cannot be called here: refused with what to do, or skipped and named for clients that always send them.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask } from "../../support/clients/chat.js";
import { startServer, type TestServer } from "../../support/processes/server.js";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const f = { type: "function", name: "f" };
const g = { name: "g", input_schema: { type: "object" } };
const turn = { role: "user", content: "x" };

const toResponses = (tools: object[], headers: Record<string, string> = {}) =>
  ask(server, { path: "/v1/responses", body: { model: "omega", input: "x", tools }, headers });
const toMessages = (tools: object[], headers: Record<string, string> = {}, path = "/v1/messages") =>
  ask(server, { path, body: { model: "omega", max_tokens: 9, messages: [turn], tools }, headers });

const codex = { "user-agent": "codex_exec/0.166.0 (Debian 12.0.0; x86_64) unknown (codex_exec; 0.166.0)" };
const claudeCode = { "user-agent": "claude-cli/2.1.197 (external, cli)" };

describe("a request for a response", () => {
  it.each([
    ["web_search", "'web_search' tools", "runs no tools of its own"],
    ["web_search_preview_2025_03_11", "'web_search' tools", "leave it out"],
    ["file_search", "'file_search' tools", "runs no tools of its own"],
    ["code_interpreter", "'code_interpreter' tools", "runs no tools of its own"],
    ["image_generation", "'image_generation' tools", "runs no tools of its own"],
    ["mcp", "'mcp' tools", "connect the client to the server"],
    ["custom", "'custom' tools", "a string parameter"],
    ["shell", "'shell' tools", "describe the tool as a tool of type 'function'"],
    ["local_shell", "'local_shell' tools", "describe the tool"],
    ["apply_patch", "'apply_patch' tools", "describe the tool"],
    ["computer_use_preview", "'computer' tools", "describe the tool"],
    ["secret", "tools of this type", "runs no tools of its own"],
  ])("with a tool of type %s is refused by its place, with what to do", async (type, named, advice) => {
    const { status, json, headers } = await toResponses([f, { type, name: "secret" }]);
    expect(status).toBe(400);
    expect(json).toMatchObject({ error: { code: "unsupported_value", param: "tools[1].type" } });
    const { message } = (json as { error: { message: string } }).error;
    expect(message).toContain(named);
    expect(message).toContain(advice);
    expect(message).not.toContain("secret");
    expect(headers.get("sotto-ignored")).toBeNull();
  });

  it("names the place in a namespace", async () => {
    const { json } = await toResponses([{ type: "namespace", name: "n", tools: [f, { type: "custom" }] }]);
    expect(json).toMatchObject({ error: { param: "tools[0].tools[1].type" } });
  });

  it.each([
    ["its user agent", codex],
    ["its originator", { originator: "codex_vscode" }],
  ])("of Codex, by %s, goes on without them and names them", async (_, headers) => {
    const tools = [
      { type: "web_search" },
      f,
      { type: "custom", name: "x" },
      { type: "secret" },
      { type: "web_search" },
    ];
    const answer = await toResponses(tools, headers);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("sotto-ignored")).toBe("web_search, custom, other");
    expect(server.engine.generations.at(-1)?.tooling?.tools.map(({ name }) => name)).toEqual(["f"]);
  });

  it("names them on a stream, too, and nothing where there were none", async () => {
    const body = { model: "omega", input: "x", stream: true, tools: [{ type: "web_search" }] };
    const streamed = await ask(server, { path: "/v1/responses", body, headers: codex });
    expect(streamed.headers.get("sotto-ignored")).toBe("web_search");
    expect((await toResponses([f], codex)).headers.get("sotto-ignored")).toBeNull();
  });
});

describe("a message", () => {
  it.each([
    ["web_search_20250305", "runs no tools of its own"],
    ["bash_20250124", "describe the tool as a tool with 'name' and 'input_schema'"],
    ["text_editor_20250728", "describe the tool"],
    ["mcp_toolset", "connect the client"],
  ])("with a tool of type %s is refused by its place, with what to do", async (type, advice) => {
    for (const path of ["/v1/messages", "/v1/messages/count_tokens"]) {
      const { status, json } = await toMessages([g, { type, name: "x" }], {}, path);
      expect(status).toBe(400);
      const { error } = json as { error: { type: string; message: string } };
      expect(error.type).toBe("invalid_request_error");
      expect(error.message).toContain("'tools[1].type'");
      expect(error.message).toContain(advice);
    }
  });

  it("of Claude Code goes on without them and names them", async () => {
    for (const path of ["/v1/messages", "/v1/messages/count_tokens"]) {
      const tools = [{ type: "web_search_20250305", name: "web_search", max_uses: 8 }, g];
      const { status, headers } = await toMessages(tools, claudeCode, path);
      expect([status, headers.get("sotto-ignored")]).toEqual([200, "web_search"]);
    }
  });
});
