import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatModelIds } from "../../../src/core/models.js";
import { postChat } from "../../support/clients/post-chat.js";
import { clientScenarios, type Endpoint } from "../../support/clients/client-scenarios.js";
import type { SottoProcess } from "../../support/processes/sotto-process.js";
import { startTinySotto } from "../../support/processes/tiny-sotto.js";

/** The built program with the real engine, whose tiny model speaks in emoji, Chinese and stray bytes. */
let sotto: SottoProcess;
let endpoint: Endpoint;

beforeAll(async () => {
  sotto = await startTinySotto({}, { says: "multibyte" });
  endpoint = { baseURL: sotto.baseURL, apiKey: await sotto.newKey() };
});
afterAll(() => sotto.stop());

describe.each(chatModelIds)("clients of %s on the real engine", (model) => {
  it.each(clientScenarios)("$name", async ({ run }) => {
    await run(endpoint, model);
  });
});

describe("a reply at temperature 0", () => {
  const ask = (more: object) => ({
    model: "omega",
    temperature: 0,
    max_tokens: 60,
    messages: [{ role: "user" as const, content: "Schreib etwas über 漢字 und 🙂." }],
    ...more,
  });

  async function whole(more: object = {}): Promise<string> {
    const reply = await new OpenAI(endpoint).chat.completions.create(ask(more));
    return reply.choices[0]?.message.content ?? "";
  }

  async function streamed(more: object = {}): Promise<string[]> {
    const stream = await new OpenAI(endpoint).chat.completions.create({ ...ask(more), stream: true });
    const fragments: string[] = [];
    for await (const chunk of stream) fragments.push(chunk.choices[0]?.delta.content ?? "");
    return fragments;
  }

  it("is the same streamed and at once, with no character split", async () => {
    const text = await whole();
    const fragments = await streamed();
    expect(fragments.join("")).toBe(text);
    expect(text).toMatch(/[\u{4e00}-\u{9fff}]|\p{Extended_Pictographic}/u);
    expect(fragments.every((fragment) => fragment.isWellFormed())).toBe(true);
  });

  it("ends before a stop sequence that straddles fragments, streamed and at once", async () => {
    const text = await whole();
    const characters = Array.from(text);
    for (const [from, length] of [
      [3, 2],
      [8, 5],
      [15, 9],
    ] as const) {
      const stop = characters.slice(from, from + length).join("");
      const expected = text.slice(0, text.indexOf(stop));
      expect(await whole({ stop })).toBe(expected);
      expect((await streamed({ stop: ["never said", stop] })).join("")).toBe(expected);
    }
  });
});

describe("what the engine computed for a conversation", () => {
  const history = Array.from({ length: 6 }, (_, turn) => ({
    role: turn % 2 === 0 ? ("user" as const) : ("assistant" as const),
    content: `turn ${turn} of a conversation that goes on for a while`,
  }));
  const cached = async (apiKey: string) => {
    const response = await postChat(sotto.url, apiKey, {
      max_tokens: 4,
      messages: [...history, { role: "user", content: "and now?" }],
    });
    const { usage } = (await response.json()) as {
      usage: { prompt_tokens: number; prompt_tokens_details: { cached_tokens: number } };
    };
    return usage.prompt_tokens_details.cached_tokens / usage.prompt_tokens;
  };

  it("serves the same account again, and no other", async () => {
    const [mine, theirs] = [await sotto.newKey(), await sotto.newKey()];
    expect(await cached(mine)).toBe(0);
    expect(await cached(mine)).toBeGreaterThan(0.9);
    expect(await cached(theirs)).toBe(0);
    expect(await cached(theirs)).toBeGreaterThan(0.9);
    expect(await cached(mine)).toBeGreaterThan(0.9);
  });
});
