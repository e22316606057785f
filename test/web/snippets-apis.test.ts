/** The code that the pages show for the Responses and Messages APIs, run as it stands. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import * as messagesCode from "../../web/pages/app/playground/code/messages-code.js";
import * as responsesCode from "../../web/pages/app/playground/code/responses-code.js";
import {
  countTokensNode,
  messagesCurl,
  messagesNode,
  messagesStreamCurl,
  messagesStreamNode,
} from "../../web/pages/docs/apis/messages-samples.js";
import { ollamaCurl, ollamaNode } from "../../web/pages/docs/apis/ollama-samples.js";
import {
  responsesConversation,
  responsesCurl,
  responsesNode,
  responsesStreamCurl,
  responsesStreamNode,
} from "../../web/pages/docs/apis/responses-samples.js";
import { runCurl, runNode } from "../support/clients/run-snippet.js";
import { startServer, type TestServer } from "../support/processes/server.js";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.engine.generations.length = 0;
  server.engine.script = () => ({ fragments: ["One", ", two."] });
});

const system = { role: "system", content: "Answer in one sentence." };
const sky = { role: "user", content: "Why is the sky blue?" };
const count = { role: "user", content: "Count to five." };
const schema = { type: "object", properties: { city: { type: "string" } } };
const callsWeather = () => ({
  fragments: ["Looking.", { call: "get_weather", id: "call_a" }, { arguments: '{"city":"Paris"}' }],
  finishReason: "tool_calls" as const,
});
/** What a conversation with a call becomes, by whichever API. */
const withCall = {
  model: "prism",
  maxTokens: 64,
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: 'It\'s "quoted", a $HOME and a `tick`' },
    { role: "assistant", toolCalls: [{ id: "call_0", name: "get_weather" }] },
    { role: "tool", toolCallId: "call_0", content: "" },
  ],
  tooling: { tools: [{ name: "get_weather" }], choice: "required" },
  reasoningEffort: "low",
};

describe("the Responses API", () => {
  it.each([
    ["Node", async () => runNode(server, responsesNode(server.baseURL))],
    [
      "curl",
      async () => {
        const response = await runCurl(server, responsesCurl(server.baseURL));
        const { output } = (await response.json()) as { output: { content: { text: string }[] }[] };
        return `${output[0]?.content[0]?.text ?? ""}\n`;
      },
    ],
  ])("answers the first example in %s", async (_, run) => {
    expect(await run()).toBe("One, two.\n");
    expect(server.engine.generations).toMatchObject([{ model: "omega", messages: [system, sky] }]);
  });

  it("streams the second example", async () => {
    expect(await runNode(server, responsesStreamNode(server.baseURL))).toMatch(/^One, two\.\n\d+ tokens\n$/);
    const response = await runCurl(server, responsesStreamCurl(server.baseURL));
    expect(await response.text()).toMatch(
      /^event: response\.created\n[^]*event: response\.completed\ndata: .*\n\n$/,
    );
    expect(server.engine.generations).toMatchObject([{ messages: [count] }, { messages: [count] }]);
  });

  it("continues the conversation of the third", async () => {
    expect(await runNode(server, responsesConversation(server.baseURL))).toBe("One, two.\n");
    expect(server.engine.generations[1]?.messages).toMatchObject([
      { role: "user", content: "My name is Ada." },
      { role: "assistant", content: "One, two." },
      { role: "user", content: "What is my name?" },
    ]);
  });

  const request = {
    model: "prism",
    instructions: "Be brief.",
    input: [
      { role: "user", content: 'It\'s "quoted", a $HOME and a `tick`' },
      { type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: "Hm." }] },
      { type: "function_call", call_id: "call_0", name: "get_weather", arguments: "{}" },
      { type: "function_call_output", call_id: "call_0", output: "" },
    ],
    max_output_tokens: 64,
    tools: [{ type: "function", name: "get_weather", parameters: schema }],
    tool_choice: { type: "function", name: "get_weather" },
    reasoning: { effort: "low" },
  };

  it("runs what 'View code' shows", async () => {
    server.engine.script = callsWeather;
    expect(await runNode(server, responsesCode.nodeCode(server.baseURL, request))).toBe(
      'Looking.\nget_weather {"city":"Paris"}\n',
    );
    const response = await runCurl(server, responsesCode.curlCode(server.baseURL, request));
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("event: response.completed\n");
    expect(server.engine.generations).toMatchObject([withCall, withCall]);
  });
});

describe("the Messages API", () => {
  it.each([
    ["Node", async () => runNode(server, messagesNode(server.url))],
    [
      "curl",
      async () => {
        const response = await runCurl(server, messagesCurl(server.url));
        const { content } = (await response.json()) as { content: { text: string }[] };
        return `${content[0]?.text ?? ""}\n`;
      },
    ],
  ])("answers the first example in %s", async (_, run) => {
    expect(await run()).toBe("One, two.\n");
    expect(server.engine.generations).toMatchObject([
      { model: "omega", maxTokens: 256, messages: [system, sky] },
    ]);
  });

  it("streams the second example", async () => {
    expect(await runNode(server, messagesStreamNode(server.url))).toBe("One, two.\n2 tokens\n");
    const response = await runCurl(server, messagesStreamCurl(server.url));
    expect(await response.text()).toMatch(/^event: message_start\n[^]*event: message_stop\ndata: .*\n\n$/);
    expect(server.engine.generations).toMatchObject([{ messages: [count] }, { messages: [count] }]);
  });

  it("counts the tokens of the third", async () => {
    expect(await runNode(server, countTokensNode(server.url))).toBe("5\n");
  });

  const request = {
    model: "prism",
    max_tokens: 64,
    system: "Be brief.",
    messages: [
      { role: "user", content: 'It\'s "quoted", a $HOME and a `tick`' },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm.", signature: "" },
          { type: "tool_use", id: "call_0", name: "get_weather", input: {} },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "call_0", content: "" }] },
    ],
    tools: [{ name: "get_weather", input_schema: schema }],
    tool_choice: { type: "tool", name: "get_weather" },
    thinking: { type: "adaptive" },
    output_config: { effort: "low" },
  };

  it("runs what 'View code' shows", async () => {
    server.engine.script = callsWeather;
    expect(await runNode(server, messagesCode.nodeCode(server.baseURL, request))).toBe(
      'Looking.\nget_weather {"city":"Paris"}',
    );
    const response = await runCurl(server, messagesCode.curlCode(server.baseURL, request));
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("event: message_stop\n");
    expect(server.engine.generations).toMatchObject([withCall, withCall]);
  });
});

describe("Ollama's API", () => {
  it("is asked by Node", async () => {
    expect((await runNode(server, ollamaNode(server.url))).trim()).toBe("One, two.");
    expect(server.engine.generations.at(-1)?.messages).toEqual([sky]);
  });

  it("is asked by curl", async () => {
    const response = await runCurl(server, ollamaCurl(server.url));
    expect(await response.json()).toMatchObject({ message: { content: "One, two." }, done: true });
  });
});
