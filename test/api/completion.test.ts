import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ask, isChunk, parseEvents, question, textOf } from "../support/clients/chat.js";
import { anyNumber, textLike } from "../support/matchers.js";
import { expectDocumented, expectOpenAi, expectOurs } from "../support/clients/openapi.js";
import { startServer, type TestServer } from "../support/processes/server.js";

let server: TestServer;
beforeEach(async () => {
  server = await startServer();
});
afterEach(() => server.close());

const models = ["omega", "prism", "lambda"];

describe("a completion", () => {
  it.each(models)("of %s is the specification's object, and OpenAI's", async (model) => {
    const answer = await ask(server, { body: { ...question, model } });
    expect(answer.status).toBe(200);
    expectDocumented(answer);
    expectOpenAi("CreateChatCompletionResponse", answer.json);
    expect(answer.json).toEqual({
      id: textLike(/^chatcmpl-[0-9A-Za-z]{24,}$/),
      object: "chat.completion",
      created: anyNumber,
      model,
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: `Hello from ${model}.`, refusal: null },
          logprobs: null,
          finish_reason: "stop",
        },
      ],
      usage: {
        prompt_tokens: 5,
        completion_tokens: 4,
        total_tokens: 9,
        prompt_tokens_details: { cached_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
    });
  });

  it("is created now, in whole seconds", async () => {
    const { json } = await ask(server);
    const created = json !== null && typeof json === "object" && "created" in json ? json.created : undefined;
    expect(Number.isInteger(created)).toBe(true);
    expect(Math.abs(Number(created) - Date.now() / 1000)).toBeLessThan(60);
  });

  it("has an id of its own", async () => {
    const ids = (await Promise.all([ask(server), ask(server), ask(server)])).map(({ body }) =>
      /chatcmpl-\w+/.exec(body)?.at(0),
    );
    expect(new Set(ids).size).toBe(3);
  });

  it("ends with length when max_tokens cut it", async () => {
    const { json } = await ask(server, { body: { ...question, max_tokens: 2 } });
    expect(json).toMatchObject({
      choices: [{ message: { content: "Hello from " }, finish_reason: "length" }],
      usage: { completion_tokens: 2 },
    });
  });

  it("caps max_tokens to what the context leaves, without a word", async () => {
    server.engine.options.contextTokens = 7;
    const { status, json } = await ask(server, { body: { ...question, max_tokens: 1_000_000 } });
    expect(status).toBe(200);
    expect(json).toMatchObject({ choices: [{ finish_reason: "length" }], usage: { completion_tokens: 2 } });
  });

  it("may be empty", async () => {
    server.engine.script = () => ({ fragments: [] });
    const { json } = await ask(server);
    expect(json).toMatchObject({ choices: [{ message: { content: "" } }], usage: { completion_tokens: 0 } });
  });

  it("passes on the documented fields, and nothing else", async () => {
    const messages = [
      { role: "developer", content: "Be brief.", name: "boss" },
      {
        role: "user",
        content: [
          { type: "text", text: "Say " },
          { type: "text", text: "hi" },
        ],
      },
      { role: "assistant", content: null, tool_calls: [] },
      { role: "user", content: "again 日本 🙂" },
    ];
    const body = {
      ...question,
      messages,
      stop: ["a", "b"],
      max_tokens: 9,
      user: "u",
      unknown: 1,
      seed: 3,
      top_p: 1,
    };
    expect((await ask(server, { body })).status).toBe(200);
    expect(server.engine.generations).toEqual([
      {
        model: "omega",
        accountId: "acc_0",
        messages: [
          { role: "system", content: "Be brief." },
          { role: "user", content: "Say hi" },
          { role: "assistant", content: "" },
          { role: "user", content: "again 日本 🙂" },
        ],
        sampling: {
          temperature: 1,
          topP: 1,
          topPGiven: true,
          frequencyPenalty: 0,
          presencePenalty: 0,
          seed: 3,
          logitBias: [],
        },
        stop: ["a", "b"],
        maxTokens: 9,
        choices: 1,
        topLogprobs: undefined,
        format: { type: "text" },
      },
    ]);
  });

  it.each(["application/json; charset=utf-8", 'application/json;charset="UTF-8"', "APPLICATION/JSON; a=b"])(
    "takes a body of type %s",
    async (contentType) => {
      expect((await ask(server, { headers: { "content-type": contentType } })).status).toBe(200);
    },
  );

  it("takes a body with a byte order mark", async () => {
    const body = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(JSON.stringify(question))]);
    expect((await ask(server, { body })).status).toBe(200);
  });

  it("takes nesting that is deep but sane, and brackets in text", async () => {
    const deep: unknown = JSON.parse("[".repeat(60) + "]".repeat(60));
    const messages = [{ role: "user", content: '[{"'.repeat(500) }];
    expect((await ask(server, { body: { ...question, messages, metadata: deep } })).status).toBe(200);
  });

  it("takes the last of duplicate keys and lets __proto__ do nothing", async () => {
    const body = `{"model":"prism","model":"omega","messages":[{"role":"user","content":"x"}],"__proto__":{"stream":true}}`;
    const { status, json } = await ask(server, { body });
    expect(status).toBe(200);
    expect(json).toMatchObject({ object: "chat.completion", model: "omega" });
  });

  it("survives lone surrogates", async () => {
    const body = String.raw`{"model":"omega","messages":[{"role":"user","content":"a\ud800b"}]}`;
    expect((await ask(server, { body })).status).toBe(200);
    expect(server.engine.generations[0]?.messages[0]?.content).toBe("a\ufffdb");
  });

  it.each(["/v1/chat/completions/", "/v1/chat/completions?api-version=1", "/v1/chat/completions/?a=%zz"])(
    "is made at %s too",
    async (path) => {
      expect((await ask(server, { path })).status).toBe(200);
    },
  );
});

describe("a streamed completion", () => {
  const stream = { ...question, stream: true };

  it.each(models)("of %s has the contract's chunks, and OpenAI's", async (model) => {
    const answer = await ask(server, { body: { ...stream, model } });
    expect(answer.status).toBe(200);
    expectDocumented(answer);
    const { events, done } = parseEvents(answer.body);
    expect(done).toBe(true);
    for (const event of events) {
      expectOurs("ChatCompletionChunk", event);
      expectOpenAi("CreateChatCompletionStreamResponse", event);
    }
    expect(events.filter(isChunk).map(({ choices }) => choices)).toEqual([
      [{ index: 0, delta: { role: "assistant", content: "Hello" }, logprobs: null, finish_reason: null }],
      [{ index: 0, delta: { content: " from " }, logprobs: null, finish_reason: null }],
      [{ index: 0, delta: { content: model }, logprobs: null, finish_reason: null }],
      [{ index: 0, delta: { content: "." }, logprobs: null, finish_reason: null }],
      [{ index: 0, delta: {}, logprobs: null, finish_reason: "stop" }],
    ]);
    expect(events.every((event) => isChunk(event) && event.model === model && !("usage" in event))).toBe(
      true,
    );
  });

  it("has one id and one time", async () => {
    const chunks = parseEvents((await ask(server, { body: stream })).body).events.filter(isChunk);
    expect(new Set(chunks.map(({ id, created }) => `${id} ${created}`)).size).toBe(1);
  });

  it("has the headers that keep proxies from holding it back", async () => {
    const { headers } = await ask(server, { body: stream, headers: { "accept-encoding": "gzip, br" } });
    expect(headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(headers.get("cache-control")).toBe("no-cache, no-transform");
    expect(headers.get("x-accel-buffering")).toBe("no");
    expect(headers.get("content-encoding")).toBeNull();
  });

  it("gives the usage when asked, in a last chunk without choices", async () => {
    const body = { ...stream, stream_options: { include_usage: true } };
    const { events, done } = parseEvents((await ask(server, { body })).body);
    expect(done).toBe(true);
    for (const event of events) {
      expectOurs("ChatCompletionChunk", event);
      expectOpenAi("CreateChatCompletionStreamResponse", event);
    }
    const chunks = events.filter(isChunk);
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: {
        prompt_tokens: 5,
        completion_tokens: 4,
        total_tokens: 9,
        prompt_tokens_details: { cached_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
    });
    expect(chunks.slice(0, -1).map(({ usage }) => usage)).toEqual([null, null, null, null, null]);
  });

  it("concatenates to the text of the whole reply", async () => {
    server.engine.script = () => ({
      fragments: ["", "日", "本\n\n", "🙂", "", 'data: "x"', "\r\n", "\u2028 end"],
    });
    const whole = await ask(server);
    const { events } = parseEvents((await ask(server, { body: stream })).body);
    expect(whole.json).toMatchObject({ choices: [{ message: { content: textOf(events) } }] });
    expect(textOf(events)).toBe('日本\n\n🙂data: "x"\r\n\u2028 end');
  });

  it("of no text still has a role", async () => {
    server.engine.script = () => ({ fragments: [] });
    const { events, done } = parseEvents((await ask(server, { body: stream })).body);
    expect(done).toBe(true);
    expect(events.filter(isChunk).map(({ choices }) => choices[0])).toMatchObject([
      { delta: { role: "assistant", content: "" }, finish_reason: null },
      { delta: {}, finish_reason: "stop" },
    ]);
  });

  it("ends with length when max_tokens cut it", async () => {
    const { events } = parseEvents((await ask(server, { body: { ...stream, max_tokens: 1 } })).body);
    expect(events.filter(isChunk).at(-1)?.choices[0]?.finish_reason).toBe("length");
  });
});
