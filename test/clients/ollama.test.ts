/** The `ollama` package, as it is. The engine is scripted as a model that looks up the weather first. */
import { Ollama, type ChatResponse, type Message } from "ollama";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ServiceError } from "../../src/core/errors.js";
import { eventually } from "../support/eventually.js";
import {
  answer,
  asked,
  lookUp,
  place,
  question,
  thoughtfulScript,
} from "../support/clients/weather-model.js";
import { startServer, type TestServer } from "../support/processes/server.js";

const follows = { jsonSchema: true, logprobs: true, tools: true, reasoning: true };

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ engine: { follows: { ...follows, tasks: ["chat", "embed"] } } });
});
afterAll(() => server.close());
beforeEach(() => {
  server.engine.script = thoughtfulScript;
  asked.length = 0;
});

const ollama = (key = server.apiKey) =>
  new Ollama({ host: server.url, headers: { Authorization: `Bearer ${key}` } });

const weather = {
  type: "function",
  function: {
    name: "get_weather",
    description: "The weather in a city.",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};
const base = { model: "omega", messages: question };

async function collected(stream: AsyncIterable<ChatResponse>): Promise<ChatResponse[]> {
  const parts: ChatResponse[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

describe("the ollama package", () => {
  it("chats", async () => {
    const reply = await ollama().chat({ ...base, options: { temperature: 0, num_predict: 100 } });
    expect(reply).toMatchObject({
      model: "omega",
      message: { role: "assistant", content: answer },
      done: true,
      done_reason: "stop",
      eval_count: 4,
    });
    expect(reply.total_duration).toBeGreaterThan(0);
  });

  it("chats in a stream", async () => {
    const parts = await collected(await ollama().chat({ ...base, stream: true }));
    expect(parts.map(({ message }) => message.content).join("")).toBe(answer);
    expect(parts.at(-1)).toMatchObject({ done: true, done_reason: "stop", eval_count: 4 });
  });

  it.each([false, true])("calls a tool and answers with its result, streamed: %s", async (streamed) => {
    const chat = async (messages: Message[]): Promise<Message> => {
      const request = { model: "omega", messages, tools: [weather] };
      if (!streamed) return (await ollama().chat({ ...request, stream: false })).message;
      const parts = await collected(await ollama().chat({ ...request, stream: true }));
      return {
        role: "assistant",
        content: parts.map(({ message }) => message.content).join(""),
        tool_calls: parts.flatMap(({ message }) => message.tool_calls ?? []),
      };
    };
    const first = await chat(question);
    const [call] = first.tool_calls ?? [];
    expect(call?.function).toMatchObject({ name: "get_weather", arguments: { city: "Paris" } });
    const result = {
      role: "tool",
      tool_name: "get_weather",
      content: lookUp(place.parse(call?.function.arguments)),
    };
    const last = await chat([...question, first, result]);
    expect(last.content).toBe(answer);
  });

  it("generates, whole and in a stream", async () => {
    expect(await ollama().generate({ model: "omega", prompt: "Hello" })).toMatchObject({
      response: answer,
      done: true,
    });
    let text = "";
    for await (const { response } of await ollama().generate({
      model: "omega",
      prompt: "Hello",
      stream: true,
    })) {
      text += response ?? "";
    }
    expect(text).toBe(answer);
  });

  it("separates reasoning", async () => {
    server.engine.script = () => ({ fragments: [{ reasoning: "Hm." }, "Yes."] });
    const { message } = await ollama().chat({ ...base, think: true });
    expect(message).toMatchObject({ content: "Yes.", thinking: "Hm." });
  });

  it("asks for JSON by a schema", async () => {
    const format = { type: "object", properties: { city: { type: "string" } } };
    await ollama().chat({ ...base, format });
    expect(server.engine.generations.at(-1)?.format).toMatchObject({ type: "json_schema", schema: format });
  });

  it("sends images", async () => {
    server.engine.options.follows = { ...server.engine.options.follows, vision: true };
    const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
    await ollama().chat({ model: "omega", messages: [{ role: "user", content: "What?", images: [png] }] });
    expect(server.engine.generations.at(-1)?.messages[0]?.parts).toMatchObject([
      { type: "image", url: `data:image/png;base64,${png.toString("base64")}` },
      { type: "text", text: "What?" },
    ]);
  });

  it("lists, shows and sees models running", async () => {
    const { models } = await ollama().list();
    expect(models.slice(0, 3).map(({ name }) => name)).toEqual([
      "omega:latest",
      "prism:latest",
      "lambda:latest",
    ]);
    for (const { name } of models.slice(0, 3)) {
      expect((await ollama().show({ model: name })).capabilities).toContain("completion");
    }
    expect((await ollama().ps()).models.map(({ name }) => name)).toContain("omega:latest");
    expect((await ollama().version()).version).toMatch(/^\d+\.\d+/);
  });

  it("embeds", async () => {
    const generate = server.engine.generate.bind(server.engine);
    server.engine.generate = async function* ({ generation, promptTokens }) {
      const inputs = generation.task?.type === "embed" ? generation.task.inputs : [];
      const usage = { promptTokens, completionTokens: 0, cachedTokens: 0, reasoningTokens: 0 };
      yield [
        { type: "vectors", choice: 0, vectors: inputs.map((input) => Float32Array.of(input.length, 0.5)) },
        { type: "finished", choice: 0, finishReason: "stop" },
        { type: "done", usage },
      ];
    };
    const { embeddings } = await ollama().embed({ model: "omega", input: ["a", "abc"] });
    const { embedding } = await ollama().embeddings({ model: "omega", prompt: "ab" });
    server.engine.generate = generate;
    expect(embeddings).toEqual([
      [1, 0.5],
      [3, 0.5],
    ]);
    expect(embedding).toEqual([2, 0.5]);
  });

  it("aborts a stream, which ends the generation", async () => {
    const client = ollama();
    server.engine.hold();
    server.engine.release(1);
    const reading = collected(await client.chat({ ...base, stream: true }));
    expect(server.engine.active).toBe(1);
    client.abort();
    await expect(reading).rejects.toThrow(/abort/i);
    await eventually(() => server.engine.active === 0);
    server.engine.release();
  });

  it("throws what the service says", async () => {
    await expect(ollama("sk-wrong").list()).rejects.toMatchObject({
      name: "ResponseError",
      status_code: 401,
    });
    await expect(ollama().chat({ ...base, model: "llama3.2" })).rejects.toThrow(/does not exist/);
    await expect(ollama().pull({ model: "llama3.2" })).rejects.toThrow(/operator chooses/);
    await expect(ollama().delete({ model: "omega" })).rejects.toThrow(/operator chooses/);
    await expect(ollama().copy({ source: "omega", destination: "x" })).rejects.toThrow(/operator chooses/);
    await expect(ollama().create({ model: "x", from: "omega" })).rejects.toThrow(/operator chooses/);
    server.engine.script = () => ({
      fragments: ["a", "b"],
      failure: { at: 1, error: new ServiceError("engine_unavailable") },
    });
    const stream = await ollama().chat({ ...base, stream: true });
    await expect(collected(stream)).rejects.toThrow(/not available/);
  });
});
