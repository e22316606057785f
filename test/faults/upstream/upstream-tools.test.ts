/** Tools and reasoning through an engine on the network: the requests it gets, and how its replies are translated. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Generation, GenerationEvent } from "../../../src/core/serving/engine-port.js";
import type { ProfileName } from "../../../src/engines/upstream/profiles.js";
import { ReplyReader } from "../../../src/engines/upstream/reply.js";
import { SseReader } from "../../../src/engines/upstream/sse-reader.js";
import type { UpstreamEngine } from "../../../src/engines/upstream/upstream-engine.js";
import type { ChatMessage, Tooling } from "../../../src/core/chat/request.js";
import { generationOf, never } from "../../contract/engines/engine-contract.js";
import { eventsOf as eventsOfEngine, saidIn, usageIn } from "../../contract/engines/engine-tools-contract.js";
import {
  answers,
  chunk,
  event,
  openStream,
  sends,
  startScriptedUpstream,
  usageChunk,
  vllmAnswers,
  type ChatScript,
  type ScriptedUpstream,
} from "../../support/engines/scripted-upstream.js";
import { connectUpstream } from "../../support/engines/upstream-engine.js";

const kinds = ["vllm", "sglang", "llama-server", "ollama"] as const satisfies readonly ProfileName[];
const fixture = (name: string): Buffer => readFileSync(`test/fixtures/upstream/${name}.sse`);

const weather = {
  name: "get_weather",
  description: "What the sky does",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  strict: true,
};
const send = { name: "send", description: undefined, parameters: undefined, strict: false };
const tooling: Tooling = { tools: [weather, send], choice: "auto", parallel: true };
const asking = (changes: Partial<Generation> = {}) => generationOf("Hi", { tooling, ...changes });

/** What the stream gives, without a network. */
function readStream(parts: readonly Buffer[], generation: Generation): GenerationEvent[] {
  const prepared = { generation, promptTokens: 180, maxTokens: 500, prompt: null };
  const sse = new SseReader();
  let ids = 0;
  const reader = new ReplyReader(prepared, generation.choices, 4096, () => `call_${(ids += 1)}`);
  const events = [...parts.flatMap((part) => sse.push(part)), ...sse.end()];
  return [
    ...events.filter(({ data }) => data !== "[DONE]").flatMap((item) => reader.read(item)),
    reader.end(),
  ];
}

const both = [{ city: "Tromsø" }, { city: "Rome" }];

describe.each(kinds)("%s", (kind) => {
  const tools = fixture(`${kind}-tools`);
  const thoughts = fixture(`${kind}-reasoning`);

  it("has two calls after reasoning parsed correctly, wherever its stream is split", () => {
    const whole = readStream([tools], asking());
    const said = saidIn(whole);
    expect(said).toMatchObject({ text: "", reasoning: "Look both up. 🌍", finishReason: "tool_calls" });
    expect(said.calls.map(({ name }) => name)).toEqual(["get_weather", "get_weather"]);
    expect(said.calls.map((call) => JSON.parse(call.arguments) as unknown)).toEqual(both);
    expect(new Set(said.calls.map(({ id }) => id)).size).toBe(2);
    expect(usageIn(whole)).toMatchObject({ promptTokens: 180, completionTokens: 48 });
    for (let at = 1; at < tools.length; at++) {
      expect(readStream([tools.subarray(0, at), tools.subarray(at)], asking())).toEqual(whole);
    }
    const torn = Array.from(tools, (byte) => Buffer.of(byte));
    expect(readStream(torn, asking())).toEqual(whole);
  });

  it("has reasoning separated from the reply, wherever its stream is split, and its tokens counted", () => {
    const whole = readStream([thoughts], generationOf("Hi"));
    expect(saidIn(whole)).toMatchObject({
      text: "The sea 🌊",
      reasoning: "Hm, the sea? 🌊",
      calls: [],
      finishReason: "stop",
    });
    const told = kind === "vllm" || kind === "sglang";
    expect(usageIn(whole)).toMatchObject({ completionTokens: 9, reasoningTokens: told ? 5 : 2 });
    for (let at = 1; at < thoughts.length; at++) {
      const parts = [thoughts.subarray(0, at), thoughts.subarray(at)];
      expect(readStream(parts, generationOf("Hi"))).toEqual(whole);
    }
  });
});

describe("tools through an engine on the network", () => {
  let upstream: ScriptedUpstream;
  let engine: UpstreamEngine;
  beforeAll(async () => {
    upstream = await startScriptedUpstream();
    engine = await connectUpstream({ url: upstream.url });
  });
  afterAll(async () => {
    await engine.close();
    await upstream.close();
  });

  const eventsOf = (generation: Generation, of = engine) => eventsOfEngine(of, generation);
  const saidBy = async (script: ChatScript, generation = asking()) => {
    upstream.chat = script;
    return saidIn(await eventsOf(generation));
  };
  /** A reply with its usage, whose last delta has the reason. */
  const speaks = (finish: string, ...deltas: Parameters<typeof chunk>[0][]): ChatScript =>
    sends(
      ...deltas.map((delta) => event(chunk(delta))),
      event(chunk({}, finish)),
      event(usageChunk(7, 20)),
      event("[DONE]"),
    );
  const call = (text: unknown, changes: object = {}) => ({
    tool_calls: [{ index: 0, id: "a", function: { name: "send", arguments: text }, ...changes }],
  });

  const bodyFor = async (profile: ProfileName, generation: Generation) => {
    upstream.answers = {
      ...vllmAnswers(),
      "/api/version": { version: "0.20.0" },
      "/apply-template": { prompt: "Hi" },
      "/props": {},
    };
    const own = await connectUpstream({ url: upstream.url, profile, acceptSharedCache: true });
    upstream.chat = speaks("stop", { content: "ok" });
    await eventsOf(generation, own);
    await own.close();
    return upstream.chats.at(-1)?.body ?? {};
  };

  const wireTools = [
    {
      type: "function",
      function: {
        name: "get_weather",
        description: "What the sky does",
        parameters: weather.parameters,
        strict: true,
      },
    },
    { type: "function", function: { name: "send", parameters: { type: "object", properties: {} } } },
  ];

  it.each(["vllm", "sglang", "llama-server", "ollama", "openai"] as const)(
    "%s gets the tools and the tool choice",
    async (profile) => {
      const body = await bodyFor(profile, asking());
      expect(body).toMatchObject({ tools: wireTools, tool_choice: "auto" });
      expect(body).not.toHaveProperty("parallel_tool_calls");
      const must: Tooling = { ...tooling, choice: "required", parallel: false };
      expect(await bodyFor(profile, asking({ tooling: must }))).toMatchObject({
        tool_choice: "required",
        parallel_tool_calls: false,
      });
      const named: Tooling = { ...tooling, tools: [send], choice: "required" };
      const { tool_choice: choice } = await bodyFor(profile, asking({ tooling: named }));
      // llama-server takes a named function for `auto`.
      expect(choice).toEqual(
        profile === "llama-server" ? "required" : { type: "function", function: { name: "send" } },
      );
      for (const field of ["tools", "tool_choice"]) {
        expect(await bodyFor(profile, generationOf("Hi"))).not.toHaveProperty(field);
      }
    },
  );

  const off = { chat_template_kwargs: { enable_thinking: false, thinking: false } };
  it.each([
    ["vllm", off],
    ["sglang", off],
    ["llama-server", { ...off, reasoning_effort: "none", reasoning_format: "auto" }],
    ["ollama", { reasoning_effort: "none" }],
    ["openai", { reasoning_effort: "none" }],
  ] as const)("%s is told how long to think, or not to", async (profile, without) => {
    const body = await bodyFor(profile, generationOf("Hi", { reasoningEffort: "none" }));
    expect(body).toMatchObject(without);
    if (profile === "vllm" || profile === "sglang") expect(body).not.toHaveProperty("reasoning_effort");
    expect(await bodyFor(profile, generationOf("Hi", { reasoningEffort: "low" }))).toMatchObject({
      reasoning_effort: "low",
    });
    const untold = await bodyFor(profile, generationOf("Hi"));
    expect(untold).not.toHaveProperty("reasoning_effort");
    expect(untold).not.toHaveProperty("chat_template_kwargs");
  });

  const history: ChatMessage[] = [
    { role: "user", content: "Weather?" },
    {
      role: "assistant",
      content: "",
      reasoning: "I must look.",
      toolCalls: [
        { id: "call_1", name: "get_weather", arguments: '{"city":"Rome"}' },
        { id: "call_2", name: "send", arguments: "" },
      ],
    },
    { role: "tool", content: "Sunny", toolCallId: "call_1" },
    { role: "tool", content: "", toolCallId: "call_2" },
    { role: "assistant", content: "Sunny.", toolCalls: [{ id: "c", name: "send", arguments: "{}" }] },
  ];

  it.each([
    ["vllm", ["reasoning_content", "reasoning"]],
    ["sglang", ["reasoning_content"]],
    ["llama-server", ["reasoning_content"]],
    ["ollama", ["reasoning"]],
    ["openai", ["reasoning_content"]],
  ] as const)("%s gets earlier calls, results and reasoning back", async (profile, names) => {
    const { messages } = await bodyFor(profile, asking({ messages: history }));
    const wireCall = (id: string, name: string, text: string) => ({
      id,
      type: "function",
      function: { name, arguments: text },
    });
    expect(messages).toEqual([
      { role: "user", content: "Weather?" },
      {
        role: "assistant",
        content: null,
        ...Object.fromEntries(names.map((name) => [name, "I must look."])),
        tool_calls: [wireCall("call_1", "get_weather", '{"city":"Rome"}'), wireCall("call_2", "send", "{}")],
      },
      { role: "tool", content: "Sunny", tool_call_id: "call_1" },
      { role: "tool", content: "", tool_call_id: "call_2" },
      { role: "assistant", content: "Sunny.", tool_calls: [wireCall("c", "send", "{}")] },
    ]);
  });

  it.each([
    ["vllm", "/tokenize"],
    ["llama-server", "/apply-template"],
  ] as const)("%s counts the tools with the prompt", async (profile, path) => {
    upstream.questions.length = 0;
    await bodyFor(profile, asking({ reasoningEffort: "none", messages: history }));
    const asked = upstream.questions.findLast((question) => question.path === path);
    expect(asked?.body).toMatchObject({ tools: wireTools, ...off, messages: { length: 5 } });
  });

  it("has tools, calls and reasoning included in an estimate if it cannot count", async () => {
    const own = await connectUpstream({ url: upstream.url, profile: "openai", acceptSharedCache: true });
    const tokens = async (generation: Generation) => (await own.prepare(generation, never())).promptTokens;
    const plain = await tokens(generationOf("Hi"));
    expect(await tokens(asking())).toBeGreaterThan(plain + 50);
    const turn: ChatMessage = { role: "assistant", content: "" };
    const called = { ...turn, toolCalls: [{ id: "c", name: "send", arguments: `"${"x".repeat(300)}"` }] };
    const thought = { ...turn, reasoning: "x".repeat(300) };
    const none = await tokens(generationOf("", { messages: [turn] }));
    expect(await tokens(generationOf("", { messages: [called] }))).toBeGreaterThan(none + 90);
    expect(await tokens(generationOf("", { messages: [thought] }))).toBeGreaterThan(none + 90);
    await own.close();
  });

  it("leaves the format to llama-server if there are tools, since it accepts no grammar beside them", async () => {
    const format = { type: "json_schema", name: "n", schema: { type: "object" } } as const;
    const body = await bodyFor("llama-server", asking({ format }));
    expect(body).not.toHaveProperty("grammar");
    expect(body).toMatchObject({ response_format: { json_schema: { schema: format.schema } } });
    expect(await bodyFor("llama-server", generationOf("Hi", { format }))).toHaveProperty("grammar");
    await expect(bodyFor("llama-server", asking({ topLogprobs: 1 }))).rejects.toMatchObject({
      code: "unsupported_parameter",
      param: "logprobs",
    });
  });

  it.each([
    ["stop", "tool_calls"],
    ["tool_calls", "tool_calls"],
    ["function_call", "tool_calls"],
    ["length", "length"],
  ])("ends a reply with a call and the reason %s with %s", async (reason, finishReason) => {
    expect(await saidBy(speaks(reason, call("{}")))).toMatchObject({
      calls: [{ id: "a", name: "send", arguments: "{}" }],
      finishReason,
    });
  });

  it("ends a reply with the reason tool_calls and no call with stop", async () => {
    expect(await saidBy(speaks("tool_calls", { content: "No." }))).toMatchObject({
      text: "No.",
      calls: [],
      finishReason: "stop",
    });
  });

  it("accepts arguments sent as an object, and generates a missing id", async () => {
    const { calls } = await saidBy(speaks("stop", call({ to: ["a"] }, { id: null })));
    expect(calls).toMatchObject([{ name: "send", arguments: '{"to":["a"]}' }]);
    expect(calls[0]?.id).toMatch(/^call_[0-9a-f]{24}$/);
  });

  it("drops blank text around calls, and keeps other text before them", async () => {
    expect(await saidBy(speaks("stop", { content: "\n\n" }, call("{}"), { content: "\n" }))).toMatchObject({
      text: "",
      calls: [{}],
    });
    expect(await saidBy(speaks("stop", { content: "\n" }, { content: "Wait." }, call("{}")))).toMatchObject({
      text: "\nWait.",
      calls: [{}],
    });
    expect((await saidBy(speaks("stop", { content: "\n\n" }))).text).toBe("\n\n");
  });

  it("releases held-back text before a call", async () => {
    upstream.chat = speaks("stop", { content: "One ST" }, call("{}"));
    const events = await eventsOf(asking({ stop: ["STOP"] }));
    expect(events.map(({ type }) => type)).toEqual(["text", "text", "call", "arguments", "finished", "done"]);
    expect(saidIn(events).text).toBe("One ST");
  });

  describe("that continues after a call", () => {
    const told = async (...deltas: Parameters<typeof chunk>[0][]) => {
      upstream.chat = speaks("tool_calls", ...deltas);
      const events = await eventsOf(asking());
      return { said: saidIn(events), types: events.map(({ type }) => type).join(" ") };
    };
    const rest = (text: string) => ({ tool_calls: [{ index: 0, function: { arguments: text } }] });

    it("has a call without arguments closed before the text", async () => {
      const { said, types } = await told(call(""), { content: "Sent" }, { content: "." });
      expect(types).toBe("call arguments text text finished done");
      expect(said).toMatchObject({ text: "Sent.", calls: [{ name: "send", arguments: "{}" }] });
    });

    it("has text within a call emitted after it", async () => {
      const { said, types } = await told(
        call('{"to":'),
        { content: "Wait" },
        rest('"a"'),
        { content: "." },
        rest("}"),
        { content: " Sent." },
      );
      expect(types).toBe("call arguments arguments arguments text text text finished done");
      expect(said).toMatchObject({ text: "Wait. Sent.", calls: [{ arguments: '{"to":"a"}' }] });
    });

    it("has text between two calls emitted between them", async () => {
      const second = { tool_calls: [{ index: 1, id: "b", function: { name: "send", arguments: "" } }] };
      const { said, types } = await told(call(""), { content: "And." }, second, { content: "Done." });
      expect(types).toBe("call arguments text call arguments text finished done");
      expect(said.calls.map((one) => one.arguments)).toEqual(["{}", "{}"]);
    });

    it("has a call without arguments closed before reasoning", async () => {
      upstream.chat = speaks("tool_calls", call(""), { reasoning_content: "Hm." });
      const types = (await eventsOf(asking())).map(({ type }) => type);
      expect(types).toEqual(["call", "arguments", "reasoning", "finished", "done"]);
    });

    it("has text that may become a stop sequence kept in its place", async () => {
      upstream.chat = speaks("tool_calls", call('{"to":'), { content: "One ST" }, rest('"a"}'));
      const events = await eventsOf(asking({ stop: ["STOP"] }));
      expect(events.map(({ type }) => type).join(" ")).toBe(
        "call arguments arguments text text finished done",
      );
      expect(saidIn(events).text).toBe("One ST");
    });
  });

  it("drops calls if the request has no tools", async () => {
    expect(
      await saidBy(speaks("tool_calls", { content: "Hm." }, call("{}")), generationOf("Hi")),
    ).toMatchObject({ text: "Hm.", calls: [], finishReason: "stop" });
  });

  it.each<[string, ChatScript]>([
    ["in the middle of a call", sends(event(chunk(call('{"to":'))), event("[DONE]"))],
    ["after a whole call, without a reason", sends(event(chunk(call("{}"))), event("[DONE]"))],
    ["with a call that is no JSON", speaks("tool_calls", call('{"to":'))],
    ["with a call that has no name", speaks("stop", call("{}", { function: { arguments: "{}" } }))],
    ["after thoughts alone, without a reason", sends(event(chunk({ reasoning: "Hm" })), event("[DONE]"))],
    ["in an error after a call", sends(event(chunk(call("{}"))), event({ error: { message: "x" } }))],
    ["as a choice that was given up", speaks("abort", call("{}"))],
  ])("fails a reply that ends %s", async (_, script) => {
    upstream.chat = script;
    await expect(eventsOf(asking())).rejects.toMatchObject({ code: "engine_unavailable" });
  });

  it("disconnects from an engine whose call never ends", async () => {
    upstream.hungUp = 0;
    upstream.chat = (response) => {
      openStream(response).write(event(chunk(call(`{"x":"`))));
      const more = event(chunk({ tool_calls: [{ index: 0, function: { arguments: "x".repeat(50_000) } }] }));
      const write = () => {
        while (!response.destroyed && response.write(more));
      };
      response.on("drain", write);
      write();
    };
    await expect(eventsOf(asking({ maxTokens: 900 }))).rejects.toMatchObject({ code: "engine_unavailable" });
    await expect.poll(() => upstream.hungUp).toBe(1);
  });

  it("keeps the calls of several choices apart", async () => {
    const part = (choice: number, text: string) => event(chunk(call(text), null, choice));
    upstream.chat = sends(
      part(1, '{"to":'),
      event(chunk({ reasoning: "Hm" }, null, 0)),
      part(0, "{}"),
      part(1, "1}"),
      event(chunk({}, "stop", 0)),
      event(chunk({}, "tool_calls", 1)),
      event(usageChunk(7, 9)),
      event("[DONE]"),
    );
    const events = await eventsOf(asking({ choices: 2 }));
    expect(saidIn(events, 0)).toMatchObject({ reasoning: "Hm", calls: [{ arguments: "{}" }] });
    expect(saidIn(events, 1)).toMatchObject({ reasoning: "", calls: [{ arguments: '{"to":1}' }] });
  });

  it("has calls assigned to their choices if each choice is a separate request", async () => {
    upstream.answers = {
      "/health": { status: "ok" },
      "/v1/models": { data: [{ id: "tiny.gguf" }] },
      "/props": { default_generation_settings: { n_ctx: 512 }, total_slots: 4 },
    };
    const own = await connectUpstream({ url: upstream.url, profile: "llama-server" });
    upstream.chat = sends(fixture("llama-server-tools"));
    const events = await eventsOf(asking({ choices: 2 }), own);
    for (const choice of [0, 1]) {
      expect(saidIn(events, choice).calls.map((one) => JSON.parse(one.arguments) as unknown)).toEqual(both);
    }
    expect(usageIn(events)).toMatchObject({ completionTokens: 96, reasoningTokens: 4 });
    await own.close();
  });

  it("counts calls and reasoning if the engine reports no usage", async () => {
    upstream.chat = sends(
      event(chunk({ reasoning: "a" })),
      event(chunk({ reasoning_content: "b" })),
      event(chunk({ content: "c" })),
      event(chunk(call('{"to":"abcdefgh"}'))),
      event(chunk({}, "stop")),
    );
    const usage = usageIn(await eventsOf(asking()));
    expect(usage).toMatchObject({ completionTokens: 9, reasoningTokens: 2 });
  });

  it("gives log probabilities of text alone", async () => {
    const token = (text: string) => ({ token: text, logprob: -1, bytes: null, top_logprobs: [] });
    const withTokens = (delta: object, ...texts: string[]) =>
      event({ choices: [{ index: 0, delta, logprobs: { content: texts.map(token) }, finish_reason: null }] });
    upstream.chat = sends(
      withTokens({ reasoning: "Hm" }, "H", "m"),
      withTokens({ content: "Yes" }, "Yes"),
      withTokens({ content: "." }, "."),
      withTokens(call("{}"), "<tool_call>", "…"),
      event(chunk({}, "stop")),
    );
    const { text, logprobs } = saidIn(await eventsOf(asking({ topLogprobs: 0 })));
    expect(text).toBe("Yes.");
    expect(logprobs.map((one) => one.token)).toEqual(["Yes", "."]);
  });

  describe("whose parser is off", () => {
    const markup =
      '<think>\nLook it up.\n</think>\n\nOne moment.\n<tool_call>\n{"name": "get_weather", "arguments": ' +
      '{"city": "Tromsø"}}\n</tool_call>\n<tool_call>\n{"name": "send", "arguments": {}}\n</tool_call>';
    const pieces = (size: number) =>
      Array.from({ length: Math.ceil(markup.length / size) }, (_, index) => ({
        content: markup.slice(index * size, (index + 1) * size),
      }));

    it.each([1, 2, 3, 7, 20, 1000])(
      "has calls and reasoning found in its text, %i characters at a time",
      async (size) => {
        const said = await saidBy(speaks("stop", ...pieces(size)));
        expect(said).toMatchObject({
          text: "One moment.",
          reasoning: "Look it up.",
          finishReason: "tool_calls",
        });
        expect(said.calls).toMatchObject([
          { name: "get_weather", arguments: '{"city": "Tromsø"}' },
          { name: "send", arguments: "{}" },
        ]);
        for (const { id } of said.calls) expect(id).toMatch(/^call_[0-9a-f]{24}$/);
      },
    );

    it("has call markup treated as text if the request has no tools", async () => {
      const text = markup.slice(markup.indexOf("One moment."));
      const said = await saidBy(speaks("stop", ...pieces(5)), generationOf("Hi"));
      expect(said).toMatchObject({ text, reasoning: "Look it up.", calls: [], finishReason: "stop" });
    });

    it("has reasoning markup in the middle of a text treated as text", async () => {
      for (const text of ["Write <think>.", "  <thin", " \n<b>", "<think"]) {
        expect((await saidBy(speaks("stop", { content: text }), generationOf("Hi"))).text).toBe(text);
      }
    });

    it("has its text left alone once it has reported a call itself", async () => {
      const text = "<tool_call> is the tag.";
      expect(await saidBy(speaks("stop", call("{}"), { content: text }))).toMatchObject({
        text,
        calls: [{}],
      });
    });

    it("fails on an incomplete call in its text, unless the reply was cut off", async () => {
      const content = '<tool_call>{"name": "send", "arguments": {"to": "a';
      upstream.chat = speaks("stop", { content });
      await expect(eventsOf(asking())).rejects.toMatchObject({ code: "engine_unavailable" });
      expect(await saidBy(speaks("length", { content }))).toMatchObject({
        text: "",
        calls: [{ arguments: '{"to": "a' }],
        finishReason: "length",
      });
    });

    it("has the tokens of markup left out of the log probabilities, and no others", async () => {
      const texts = ["<think>", "Hm", "</think>", "Yes", "."];
      upstream.chat = sends(
        ...texts.map((text) =>
          event({
            choices: [
              {
                index: 0,
                delta: { content: text },
                logprobs: { content: [{ token: text, logprob: -1, bytes: null, top_logprobs: [] }] },
                finish_reason: null,
              },
            ],
          }),
        ),
        event(chunk({}, "stop")),
      );
      const events = await eventsOf(generationOf("Hi", { topLogprobs: 0 }));
      expect(saidIn(events)).toMatchObject({ text: "Yes.", reasoning: "Hm" });
      expect(saidIn(events).logprobs.map((one) => one.token)).toEqual(["Yes", "."]);
      expect(usageIn(events)).toMatchObject({ completionTokens: 5, reasoningTokens: 1 });
    });
  });

  it.each([
    ["vLLM", 400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
    ["llama-server", 500, "tools param requires --jinja flag"],
    ["Ollama", 400, "registry.ollama.ai/library/gemma2:2b does not support tools"],
  ])("says that tools are off when %s does", async (_, status, message) => {
    upstream.chat = answers(status, JSON.stringify({ error: { message } }));
    await expect(eventsOf(asking())).rejects.toMatchObject({
      code: "unsupported_parameter",
      param: "tools",
      message: "The engine behind this model is not set up for 'tools'.",
    });
  });

  it("names the parameter that an engine may have refused", async () => {
    upstream.chat = answers(400, "{}");
    const cut: ChatMessage = {
      role: "assistant",
      content: "",
      toolCalls: [{ id: "c", name: "send", arguments: '{"to":' }],
    };
    await expect(eventsOf(asking())).rejects.toMatchObject({ code: "invalid_value", param: "tools" });
    await expect(eventsOf(asking({ messages: [cut] }))).rejects.toMatchObject({
      code: "invalid_value",
      param: "messages[0].tool_calls[0].function.arguments",
    });
    await expect(eventsOf(generationOf("Hi", { reasoningEffort: "low" }))).rejects.toMatchObject({
      code: "invalid_value",
      param: "reasoning_effort",
    });
    // A client that never chose an effort could not change it.
    const implied = generationOf("Hi", { reasoningEffort: "none", isEffortImplied: true });
    await expect(eventsOf(implied)).rejects.toMatchObject({ code: "internal_error", param: null });
  });

  it("reads the model's capabilities from Ollama", async () => {
    const ollama = (capabilities: readonly string[]) => {
      upstream.answers = {
        "/api/version": { version: "0.20.0" },
        "/v1/models": { data: [{ id: "gemma2" }] },
        "/api/show": { capabilities, parameters: "num_ctx 2048" },
      };
      return connectUpstream({ url: upstream.url, profile: "ollama", acceptSharedCache: true });
    };
    const plain = await ollama(["completion"]);
    expect(plain.status().follows).toMatchObject({ tools: false, reasoning: false });
    expect(plain.status().contextTokens).toBe(2048);
    await expect(plain.prepare(asking(), never())).rejects.toMatchObject({
      code: "unsupported_parameter",
      param: "tools",
    });
    // A model that does not think is told nothing about it: Ollama would refuse that.
    upstream.chat = speaks("stop", { content: "ok" });
    await eventsOf(generationOf("Hi", { reasoningEffort: "low" }), plain);
    expect(upstream.chats.at(-1)?.body).not.toHaveProperty("reasoning_effort");
    await plain.close();
    const able = await ollama(["completion", "tools", "thinking"]);
    expect(able.status().follows).toMatchObject({ tools: true, reasoning: true });
    await able.close();
  });
});
