/** Tools on a real llama-server: its own rendering, grammar and parser, with a template that knows them. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { UpstreamEngine } from "../../src/engines/upstream/upstream-engine.js";
import type { ChatMessage, Tooling } from "../../src/core/chat/request.js";
import { generationOf, never } from "../contract/engines/engine-contract.js";
import {
  describeToolContract,
  eventsOf,
  saidIn,
  usageIn,
} from "../contract/engines/engine-tools-contract.js";
import type { TinyModel } from "../support/engines/tiny-gguf.js";
import { connectUpstream } from "../support/engines/upstream-engine.js";
import { startLlamaServer, type LlamaServer } from "./llama-server.js";

const profile = "llama-server";

/** Calls are JSON, with nothing around them. */
const chatTemplate =
  "{% if tools %}[INST]You may call functions:{% for tool in tools %} {{ tool | tojson }}{% endfor %}[/INST]{% endif %}" +
  "{% for message in messages %}" +
  "{% if message.role == 'assistant' %}{{ message.content or '' }}" +
  "{% for call in message.tool_calls or [] %}" +
  '{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}' +
  "{% endfor %}</s>" +
  "{% else %}[INST]{{ message.content }}[/INST]{% endif %}{% endfor %}";

const start = async (model: TinyModel) => {
  const server = await startLlamaServer({ model, arguments: ["--jinja"] });
  const engine = await connectUpstream({ url: server.url, profile });
  const dispose = async () => {
    await engine.close();
    await server.close();
  };
  return { server, engine, dispose };
};

// Before a call that must come, llama-server lets the model say whatever it likes: this one begins with the call.
describeToolContract("A llama-server", () => start({ chatTemplate, insistsOn: "{" }));

const weather = {
  name: "get_weather",
  description: "What the sky does",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  strict: false,
};
const tooling: Tooling = { tools: [weather], choice: "auto", parallel: true };

describe("a llama-server that is given tools", () => {
  let server: LlamaServer;
  let engine: UpstreamEngine;
  let dispose: () => Promise<void>;
  beforeAll(async () => ({ server, engine, dispose } = await start({ chatTemplate })));
  afterAll(() => dispose());

  const history: ChatMessage[] = [
    { role: "user", content: "Weather?" },
    {
      role: "assistant",
      content: "",
      toolCalls: [{ id: "call_1", name: "get_weather", arguments: '{"city":"Rome"}' }],
    },
    { role: "tool", content: "Sunny", toolCallId: "call_1" },
  ];

  it.each([
    ["with tools", [{ role: "user", content: "Hi" } as const]],
    ["with calls and results", history],
  ])("counts a prompt %s as it charges for it", async (_, messages) => {
    for (const reasoningEffort of [undefined, "none", "low"] as const) {
      const generation = generationOf("", { messages, tooling, reasoningEffort, maxTokens: 4 });
      const { promptTokens } = await engine.prepare(generation, never());
      const events = await eventsOf(engine, generation);
      expect(usageIn(events).promptTokens).toBe(promptTokens);
      expect(saidIn(events)).toMatchObject({ calls: [], finishReason: "length" });
    }
  });

  it("writes nothing of tools, calls or results to its log", async () => {
    const marked = { ...weather, name: "canary_tool", description: "canary-in-tool" };
    const messages: ChatMessage[] = [
      { role: "user", content: "Hi" },
      {
        role: "assistant",
        content: "",
        reasoning: "canary-in-thought",
        toolCalls: [{ id: "call_1", name: "canary_tool", arguments: '{"city":"canary-in-call"}' }],
      },
      { role: "tool", content: "canary-in-result", toolCallId: "call_1" },
    ];
    const given = { ...tooling, tools: [marked] };
    await eventsOf(engine, generationOf("", { messages, tooling: given, maxTokens: 2 }));
    expect(server.log()).toContain("launch_slot_");
    expect(server.log()).not.toContain("canary");
  });

  it("says that tools are off when it was started without them", async () => {
    const plain = await startLlamaServer({ arguments: ["--no-jinja", "--chat-template", "chatml"] });
    const own = await connectUpstream({ url: plain.url, profile });
    await expect(eventsOf(own, generationOf("Hi", { tooling }))).rejects.toMatchObject({
      code: "unsupported_parameter",
      param: "tools",
    });
    await own.close();
    await plain.close();
  });
});
