/** `POST /v1/completions` on a fake engine: its shapes, its streams and its refusals. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { ask, errorOf, parseEvents, type Answer } from "../support/clients/chat.js";
import { expectDocumented, expectOurs } from "../support/clients/openapi.js";
import { anyNumber, textLike } from "../support/matchers.js";
import { startServer, type TestServer } from "../support/processes/server.js";

let server: TestServer;
beforeEach(async () => {
  server = await startServer();
});
afterEach(() => server.close());

const path = "/v1/completions";
const continued = (body: object, key?: string): Promise<Answer> =>
  ask(server, {
    path,
    body: { model: "omega", prompt: "Once upon a time", ...body },
    ...(key === undefined ? {} : { key }),
  });

const logprobs = z.strictObject({
  tokens: z.array(z.string()),
  token_logprobs: z.array(z.number()),
  top_logprobs: z.array(z.record(z.string(), z.number())),
  text_offset: z.array(z.int()),
});
/** OpenAI's `CreateCompletionResponse`, strictly. */
const textCompletion = z.strictObject({
  id: z.string().startsWith("cmpl-"),
  object: z.literal("text_completion"),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.strictObject({
      index: z.int(),
      text: z.string(),
      logprobs: logprobs.nullable(),
      finish_reason: z.enum(["stop", "length", "content_filter"]),
    }),
  ),
  usage: z.strictObject({
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    total_tokens: z.int(),
    prompt_tokens_details: z.strictObject({ cached_tokens: z.int() }),
    completion_tokens_details: z.strictObject({ reasoning_tokens: z.int() }),
  }),
});

interface Chunk {
  choices: { index: number; text: string; logprobs: unknown; finish_reason: string | null }[];
  usage?: object | null;
}

async function streamed(body: object): Promise<{ chunks: Chunk[]; done: boolean }> {
  const answer = await continued({ stream: true, ...body });
  expect(answer.status).toBe(200);
  expectDocumented(answer);
  const { events, done } = parseEvents(answer.body);
  for (const event of events) expectOurs("TextCompletionChunk", event);
  return { chunks: events as Chunk[], done };
}

const textOf = (chunks: readonly Chunk[], index = 0): string =>
  chunks
    .flatMap(({ choices }) => choices.filter((one) => one.index === index).map(({ text }) => text))
    .join("");

describe("a text completion", () => {
  it("is OpenAI's object", async () => {
    const answer = await continued({});
    expect(answer.status).toBe(200);
    expectDocumented(answer);
    expect(textCompletion.parse(answer.json)).toEqual({
      id: textLike(/^cmpl-[0-9A-Za-z]{24,}$/),
      object: "text_completion",
      created: anyNumber,
      model: "omega",
      choices: [{ index: 0, text: "Hello from omega.", logprobs: null, finish_reason: "stop" }],
      usage: {
        prompt_tokens: 4,
        completion_tokens: 4,
        total_tokens: 8,
        prompt_tokens_details: { cached_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
    });
    expect(answer.headers.get("sotto-model")).toBe("omega");
  });

  it("reaches the engine as a raw prompt, with 16 tokens unless more are asked for", async () => {
    await continued({ stop: "\n", temperature: 0.2, unknown: 1 });
    expect(server.engine.generations).toMatchObject([
      {
        messages: [],
        rawPrompt: { type: "text", text: "Once upon a time" },
        maxTokens: 16,
        stop: ["\n"],
        sampling: { temperature: 0.2 },
      },
    ]);
  });

  it("takes tokens", async () => {
    expect((await continued({ prompt: [1, 2, 3] })).json).toMatchObject({ usage: { prompt_tokens: 3 } });
    await continued({ prompt: [[1, 2], [3]] });
    expect(server.engine.generations.map(({ rawPrompt }) => rawPrompt)).toEqual([
      { type: "tokens", tokens: [1, 2, 3] },
      { type: "tokens", tokens: [1, 2] },
      { type: "tokens", tokens: [3] },
    ]);
  });

  it("answers several prompts in their order, as one request with one usage", async () => {
    server.engine.script = ({ rawPrompt }) => ({
      fragments: [rawPrompt?.type === "text" ? rawPrompt.text.toUpperCase() : ""],
    });
    const answer = await continued({ prompt: ["a b", "c", "d"] });
    expect(textCompletion.parse(answer.json)).toMatchObject({
      choices: [
        { index: 0, text: "A B" },
        { index: 1, text: "C" },
        { index: 2, text: "D" },
      ],
      usage: { prompt_tokens: 4, completion_tokens: 3, total_tokens: 7 },
    });
    const limited = server.addKey("one", { plan: { requestsPerMinute: 1 } });
    expect((await continued({ prompt: ["a", "b", "c"] }, limited)).status).toBe(200);
    expect((await continued({}, limited)).status).toBe(429);
  });

  it("is refused as a whole where its prompts together need more tokens than are left", async () => {
    const key = server.addKey("few", { plan: { tokensPerMinute: 38 } });
    expect((await continued({ prompt: "a" }, key)).status).toBe(200);
    const answer = await continued({ prompt: ["a", "b"], max_tokens: 16 }, key);
    expect(answer.status).toBe(429);
    expect(server.engine.generations).toHaveLength(1);
  });

  it("fills in between the prompt and a suffix; an empty one means none", async () => {
    await continued({ prompt: "a = ", suffix: "\nb" });
    await continued({ prompt: "", suffix: "\nb" });
    await continued({ prompt: "a = ", suffix: "" });
    expect(server.engine.generations.map(({ rawPrompt }) => rawPrompt)).toEqual([
      { type: "infill", prefix: "a = ", suffix: "\nb" },
      { type: "infill", prefix: "", suffix: "\nb" },
      { type: "text", text: "a = " },
    ]);
  });

  it("repeats the prompt before each choice when it is asked to", async () => {
    const { json } = await continued({ prompt: ["One ", "Two "], echo: true });
    expect(json).toMatchObject({
      choices: [{ text: "One Hello from omega." }, { text: "Two Hello from omega." }],
    });
  });

  it("has log probabilities as four lists, with places in the text", async () => {
    server.engine.script = () => ({ fragments: ["né", "🙂", "!"], hasLogprobs: true });
    const { json } = await continued({ logprobs: 1 });
    expect(textCompletion.parse(json).choices[0]?.logprobs).toEqual({
      tokens: ["né", "🙂", "!"],
      token_logprobs: [-0.5, -0.5, -0.5],
      top_logprobs: [
        { né: -0.5, other: -1.5 },
        { "🙂": -0.5, other: -1.5 },
        { "!": -0.5, other: -1.5 },
      ],
      text_offset: [0, 2, 3],
    });
    expect(server.engine.generations[0]?.topLogprobs).toBe(1);
  });
});

describe("a streamed text completion", () => {
  it("is the same text in chunks, and ends with [DONE]", async () => {
    const { chunks, done } = await streamed({});
    expect(done).toBe(true);
    expect(textOf(chunks)).toBe("Hello from omega.");
    expect(chunks.at(-1)?.choices).toEqual([{ index: 0, text: "", logprobs: null, finish_reason: "stop" }]);
    expect(chunks.every(({ usage }) => usage === undefined)).toBe(true);
  });

  it("has its usage in a last chunk where that was asked for", async () => {
    const { chunks } = await streamed({ stream_options: { include_usage: true } });
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 8 } });
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
  });

  it("repeats the prompt first, also before a reply without text", async () => {
    server.engine.script = ({ rawPrompt }) => ({
      fragments: rawPrompt?.type === "text" && rawPrompt.text === "a" ? [] : ["x"],
    });
    const { chunks } = await streamed({ prompt: ["a", "b"], echo: true });
    expect([textOf(chunks, 0), textOf(chunks, 1)]).toEqual(["a", "bx"]);
  });

  it("goes on counting places from chunk to chunk", async () => {
    server.engine.script = () => ({ fragments: ["ab", "c"], hasLogprobs: true });
    const { chunks } = await streamed({ logprobs: 0 });
    const offsets = chunks.flatMap(({ choices }) => {
      const parsed = logprobs.safeParse(choices[0]?.logprobs);
      return parsed.success ? parsed.data.text_offset : [];
    });
    expect(offsets).toEqual([0, 2]);
  });
});

describe("a text completion is refused", () => {
  const refused: [name: string, body: object, param: string, code: string][] = [
    ["without a prompt", { prompt: undefined }, "prompt", "missing_required_parameter"],
    ["with an empty prompt", { prompt: "" }, "prompt", "string_too_short"],
    ["with no prompts", { prompt: [] }, "prompt", "empty_array"],
    ["with an empty prompt among others", { prompt: ["a", ""] }, "prompt[1]", "string_too_short"],
    ["with prompts of two kinds", { prompt: ["a", 1] }, "prompt[1]", "invalid_type"],
    ["with tokens that are none", { prompt: [1, -1] }, "prompt[1]", "integer_below_min_value"],
    ["with tokens that are none in one of several", { prompt: [[1], [1.5]] }, "prompt[1][0]", "invalid_type"],
    ["with a prompt that is an object", { prompt: {} }, "prompt", "invalid_type"],
    ["with too many prompts", { prompt: Array(33).fill("a") }, "prompt", "array_above_max_length"],
    ["with too many log probabilities", { logprobs: 6 }, "logprobs", "integer_above_max_value"],
    ["with log probabilities as in chats", { logprobs: true }, "logprobs", "invalid_type"],
    ["with best_of other than n", { best_of: 3, n: 2 }, "best_of", "unsupported_value"],
    ["with echo and log probabilities", { echo: true, logprobs: 1 }, "echo", "unsupported_parameter"],
    ["with echo of tokens", { echo: true, prompt: [1] }, "echo", "unsupported_parameter"],
    ["with a suffix to tokens", { prompt: [1], suffix: "b" }, "suffix", "unsupported_parameter"],
    ["with a suffix that is no text", { suffix: 1 }, "suffix", "invalid_type"],
    ["with more choices than there are", { n: 9 }, "n", "integer_above_max_value"],
    ["with stream_options and no stream", { stream_options: {} }, "stream_options", "invalid_value"],
  ];
  it.each(refused)("%s", async (_name, body, param, code) => {
    const answer = await continued(body);
    expect(answer.status).toBe(400);
    expectDocumented(answer);
    expect(errorOf(answer.json)).toMatchObject({ param, code });
    expect(server.engine.generations).toEqual([]);
  });

  it("with a prompt that does not fit, naming the prompt", async () => {
    server.engine.options.contextTokens = 3;
    const { json, status } = await continued({});
    expect(status).toBe(400);
    expect(errorOf(json)).toMatchObject({ param: "prompt", code: "context_length_exceeded" });
  });

  it("as any request is: unknown model, key, permission", async () => {
    expect((await continued({ model: "gpt-9" })).status).toBe(404);
    expect((await continued({}, "sk-none")).status).toBe(401);
    expect((await continued({}, server.addKey("k", { models: ["lambda"] }))).status).toBe(403);
  });

  it("and best_of that equals n is accepted", async () => {
    expect((await continued({ best_of: 1 })).status).toBe(200);
  });
});
