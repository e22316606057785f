/**
 * Requests with tools as chat clients and coding agents write them to an OpenAI-compatible endpoint, for a first turn
 * and for the one after a call. Written by hand after the sources named here, with the optional fields that each may
 * send; the texts and tools are ours.
 */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { schemaGrammar } from "../../src/engines/structured-output/json-schema/compile.js";
import { ask, isChunk, parseEvents, textOf } from "../support/clients/chat.js";
import { startServer, type TestServer } from "../support/processes/server.js";

interface Called {
  id: string;
  function: { name: string; arguments: string };
}

interface Body {
  messages: { role: string; content?: unknown; tool_calls?: Called[]; tool_call_id?: string }[];
  tools: { function: { name: string; parameters: Readonly<Record<string, unknown>>; strict?: boolean } }[];
  parallel_tool_calls?: boolean;
}

/** Each client, by the name of its fixture, and the files that decide what it sends. */
const clients: Record<string, readonly string[]> = {
  // Calls come back as they were streamed, with their `index`; an empty result is an empty string; users add parameters.
  "open-webui": [
    "open-webui/open-webui: backend/open_webui/utils/middleware.py",
    "open-webui/open-webui: backend/open_webui/utils/payload.py",
  ],
  // A turn without text has no `content` at all; its thoughts are `reasoning_details`.
  cline: [
    "cline/cline: src/core/api/providers/openai.ts",
    "cline/cline: src/core/api/transform/openai-format.ts",
    "cline/cline: src/core/api/transform/tool-call-processor.ts",
  ],
  // Strict schemas, `cache_control` in text parts, and a user's turn right after the results.
  "roo-code": [
    "RooCodeInc/Roo-Code: src/api/providers/openai.ts",
    "RooCodeInc/Roo-Code: src/api/providers/base-provider.ts",
    "RooCodeInc/Roo-Code: src/api/transform/openai-format.ts",
  ],
  // The AI SDK's body: two system messages, zod's schemas, thoughts sent back.
  opencode: [
    "sst/opencode: packages/opencode/src/session/llm.ts",
    "sst/opencode: packages/opencode/src/provider/transform.ts",
    "vercel/ai: packages/openai-compatible/src/chat/openai-compatible-chat-language-model.ts",
  ],
  // A turn without text is one space.
  continue: [
    "continuedev/continue: core/llm/openaiTypeConverters.ts",
    "continuedev/continue: packages/openai-adapters/src/apis/OpenAI.ts",
  ],
  // LangChain's body: `name` in results, text as parts, the user's id.
  librechat: [
    "danny-avila/LibreChat: packages/api/src/endpoints/openai/llm.ts",
    "danny-avila/agents: src/llm/openai/utils/index.ts",
  ],
  // Schemas of schemars, with Rust's own formats; the thread's id as `prompt_cache_key`.
  zed: [
    "zed-industries/zed: crates/open_ai/src/open_ai.rs",
    "zed-industries/zed: crates/open_ai/src/completion.rs",
  ],
};

const turnsOf = (client: string): { first: Body; second: Body } => {
  const file = new URL(`../fixtures/clients/${client}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")) as { first: Body; second: Body };
};

interface CallDelta {
  index: number;
  id?: string;
  function: { name?: string; arguments: string };
}

const hasCalls = (delta: object): delta is { tool_calls: CallDelta[] } => "tool_calls" in delta;

/** The calls of a stream, put together as clients do. */
function callsOf(events: unknown[]): { id: string; name: string; arguments: string }[] {
  const calls: { id: string; name: string; arguments: string }[] = [];
  const deltas = events.filter(isChunk).flatMap(({ choices }) => choices.map(({ delta }): object => delta));
  for (const { index, id, function: part } of deltas.filter(hasCalls).flatMap((delta) => delta.tool_calls)) {
    const call = (calls[index] ??= { id: "", name: "", arguments: "" });
    call.id += id ?? "";
    call.name += part.name ?? "";
    call.arguments += part.arguments;
  }
  return calls;
}

/** The text of a message, whatever form it was sent in. */
const textIn = (content: unknown): string =>
  Array.isArray(content)
    ? content.map(({ text }: { text: string }) => text).join("")
    : typeof content === "string"
      ? content
      : "";

describe.each(Object.keys(clients))("a request of %s", (client) => {
  const { first, second } = turnsOf(client);
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());

  it("is answered with a call in its first turn", async () => {
    const called = first.tools[0]?.function.name ?? "";
    server.engine.script = () => ({
      fragments: [
        { reasoning: "I look." },
        { call: called, id: "call_1" },
        { arguments: '{"a":' },
        { arguments: "1}" },
      ],
      finishReason: "tool_calls",
    });
    const { status, body } = await ask(server, { body: first });
    expect({ status, body }).toMatchObject({ status: 200 });
    const { events, done } = parseEvents(body);
    expect(done).toBe(true);
    expect(callsOf(events)).toEqual([{ id: "call_1", name: called, arguments: '{"a":1}' }]);
    expect(events.filter(isChunk).at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 4 } });
    expect(server.engine.generations.at(-1)?.tooling).toMatchObject({
      choice: "auto",
      parallel: first.parallel_tool_calls ?? true,
      tools: first.tools.map(({ function: { name, parameters, strict = false } }) => ({
        name,
        parameters,
        strict,
      })),
    });
  });

  it("is answered with text after the result, and the engine has both", async () => {
    server.engine.script = () => ({ fragments: ["It", " is", " done."] });
    const { status, body } = await ask(server, { body: second });
    expect({ status, body }).toMatchObject({ status: 200 });
    const { events, done } = parseEvents(body);
    expect(done).toBe(true);
    expect(textOf(events)).toBe("It is done.");
    const messages = server.engine.generations.at(-1)?.messages ?? [];
    expect(messages.map(({ role }) => role)).toEqual(second.messages.map(({ role }) => role));
    expect(messages.map(({ content }) => content)).toEqual(
      second.messages.map(({ content }) => textIn(content)),
    );
    expect(messages.flatMap(({ toolCalls }) => toolCalls ?? [])).toEqual(
      second.messages
        .flatMap(({ tool_calls = [] }) => tool_calls)
        .map(({ id, function: made }) => ({ id, ...made })),
    );
    expect(messages.flatMap(({ toolCallId }) => toolCallId ?? [])).toEqual(
      second.messages.flatMap(({ tool_call_id }) => tool_call_id ?? []),
    );
  });

  it("has schemas that can be followed", () => {
    for (const { function: described } of first.tools) {
      const { parameters, strict = false } = described;
      expect(schemaGrammar(parameters, { strict })).toContain("root ::=");
    }
  });
});
