import { generateText } from "ai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { ChatOpenAI } from "@langchain/openai";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { postChat } from "../support/clients/post-chat.js";
import { question } from "../support/clients/chat.js";
import { clientScenarios } from "../support/clients/client-scenarios.js";
import { eventually } from "../support/eventually.js";
import { startServer, type TestServer } from "../support/processes/server.js";

describe.each(["omega", "prism", "lambda"])("a client of %s", (model) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());

  it.each(clientScenarios)("$name", async ({ run }) => {
    await run(server, model);
    await eventually(() => server.engine.active === 0);
  });
});

describe("other clients", () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startServer();
  });
  afterEach(() => server.close());

  it("of the AI SDK get the error's message and status", async () => {
    const model = createOpenAICompatible({ name: "sotto", baseURL: server.baseURL, apiKey: "wrong" })(
      "omega",
    );
    await expect(generateText({ model, prompt: "hi", maxRetries: 0 })).rejects.toMatchObject({
      statusCode: 401,
      isRetryable: false,
    });
  });

  it("of LangChain get the error's status", async () => {
    const model = new ChatOpenAI({
      model: "nobody",
      apiKey: server.apiKey,
      maxRetries: 0,
      configuration: { baseURL: server.baseURL },
    });
    await expect(model.invoke("hi")).rejects.toMatchObject({ status: 404 });
  });

  it("that are a plain fetch with keep-alive reuse their connection", async () => {
    for (let i = 0; i < 5; i++) {
      const response = await postChat(server.url, server.apiKey, question);
      expect(response.headers.get("connection")).toBe("keep-alive");
      expect(response.headers.get("keep-alive")).toBe("timeout=130");
      await response.text();
    }
  });
});
