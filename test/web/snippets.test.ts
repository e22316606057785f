/** "View code" of the playground for chat completions, run as it stands. */
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { curlCode, nodeCode } from "../../web/pages/app/playground/request-code.js";
import { keyCurl, keyNode } from "../../web/pages/docs/key-samples.js";
import { parseEvents, textOf } from "../support/clients/chat.js";
import { runCurl, runNode } from "../support/clients/run-snippet.js";
import { startServer, type TestServer } from "../support/processes/server.js";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.engine.generations.length = 0;
});

const tool = {
  name: "get_weather",
  parameters: { type: "object", properties: { city: { type: "string" } } },
};
const request = {
  model: "prism",
  messages: [{ role: "user", content: 'It\'s "quoted", a $HOME and a `tick`' }],
  max_tokens: 64,
  tools: [{ type: "function", function: tool }],
  tool_choice: { type: "function", function: { name: "get_weather" } },
  reasoning_effort: "low",
};
const expected = {
  model: "prism",
  messages: [{ role: "user", content: request.messages[0]?.content }],
  maxTokens: 64,
  tooling: { tools: [{ name: "get_weather" }], choice: "required" },
  reasoningEffort: "low",
};

it("prints the reply and its calls with Node", async () => {
  server.engine.script = () => ({
    fragments: ["Looking.", { call: "get_weather", id: "call_a" }, { arguments: '{"city":"Paris"}' }],
    finishReason: "tool_calls",
  });
  expect(await runNode(server, nodeCode(server.baseURL, request))).toBe(
    'Looking.\nget_weather {"city":"Paris"}',
  );
  expect(server.engine.generations).toMatchObject([expected]);
});

it("gets the same stream with curl", async () => {
  server.engine.script = () => ({ fragments: ["One", ", two."] });
  const response = await runCurl(server, curlCode(server.baseURL, request));
  expect(response.status).toBe(200);
  expect(textOf(parseEvents(await response.text()).events)).toBe("One, two.");
  expect(server.engine.generations).toMatchObject([expected]);
});

it("shows what a key is with curl and with Node", async () => {
  const response = await runCurl(server, keyCurl(server.baseURL));
  expect(await response.json()).toMatchObject({ object: "key", name: "test" });
  expect(await runNode(server, keyNode(server.baseURL))).toMatch(
    /^requests_per_minute \(account\): 9\d{4} of 100000\ntokens_per_minute \(account\)/,
  );
});
