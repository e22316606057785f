import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { childrenOf } from "../../support/processes/children.js";
import { eventually } from "../../support/eventually.js";
import type { SottoProcess } from "../../support/processes/sotto-process.js";
import { startTinySotto } from "../../support/processes/tiny-sotto.js";

let sotto: SottoProcess;
let client: OpenAI;

beforeAll(async () => {
  sotto = await startTinySotto({ SOTTO_ENGINE_SEQUENCES: "2" });
  client = new OpenAI({ baseURL: sotto.baseURL, apiKey: await sotto.newKey() });
});
afterAll(() => sotto.stop());

const longReply = {
  model: "omega",
  max_completion_tokens: 900,
  messages: [{ role: "user" as const, content: "hello" }],
};
const activeSequences = () => sotto.metric("sotto_sequences_active", "omega");
const shortReply = { ...longReply, max_completion_tokens: 4 };

/** A short reply ends long before a long one would: what was aborted is not computed any more. */
async function expectFreed(): Promise<void> {
  await client.chat.completions.create(shortReply);
  expect(await activeSequences()).toBe(0);
}

/** Opens a stream and resolves once text has come. */
async function openStream(signal: AbortSignal, content = "hello") {
  const request = { ...longReply, stream: true as const, messages: [{ role: "user" as const, content }] };
  const stream = await client.chat.completions.create(request, { signal });
  const events = stream[Symbol.asyncIterator]();
  await events.next();
  return events;
}

describe("the engine process", () => {
  it("ends running streams with an error event when it is killed, and answers the next request", async () => {
    const [engine] = childrenOf(sotto.pid);
    if (engine === undefined) throw new Error("there is no engine");
    const events = await openStream(new AbortController().signal);
    process.kill(engine, "SIGKILL");
    const readOn = async () => {
      while ((await events.next()).done !== true);
    };
    // The SDK turns the error event into an exception; a stream that just ended would return.
    await expect(readOn()).rejects.toThrow(/not available/);
    const next = await client.chat.completions.create(shortReply);
    expect(next.usage?.completion_tokens).toBe(4);
    expect(childrenOf(sotto.pid)).not.toContain(engine);
    expect(await sotto.metric("sotto_engine_restarts", "omega")).toBe(1);
    expect(await sotto.metric("process_start_time_seconds")).toBeGreaterThan(0);
  });
});

describe("a request whose prompt is being read", () => {
  it("is answered after the restart when the engine is killed", async () => {
    const [engine] = childrenOf(sotto.pid);
    if (engine === undefined) throw new Error("there is no engine");
    process.kill(engine, "SIGSTOP");
    const replies = [1, 2].map(() => client.chat.completions.create(shortReply, { maxRetries: 0 }));
    // Answers to later requests show that these have reached the engine.
    for (let round = 0; round < 5; round++) await client.models.list();
    process.kill(engine, "SIGKILL");
    for (const reply of await Promise.all(replies)) expect(reply.usage?.completion_tokens).toBe(4);
  });
});

describe("a client that hangs up", () => {
  it("frees its sequence while tokens are decoded", async () => {
    const hangUp = new AbortController();
    await openStream(hangUp.signal);
    expect(await activeSequences()).toBe(1);
    hangUp.abort();
    await expectFreed();
  });

  it("frees its sequence while the prompt is read, and leaves the queue while it waits", async () => {
    const holders = [new AbortController(), new AbortController()];
    for (const holder of holders) await openStream(holder.signal);
    const queued = new AbortController();
    const waiting = openStream(queued.signal, "I wait in the queue");
    await eventually(async () => (await sotto.metric("sotto_queue_waiting", "omega")) === 1);
    queued.abort();
    await expect(waiting).rejects.toThrow();
    await eventually(async () => (await sotto.metric("sotto_queue_waiting", "omega")) === 0);
    for (const holder of holders) holder.abort();
    await expectFreed();

    const reading = new AbortController();
    const prefilling = openStream(reading.signal, "word ".repeat(120)).catch(() => undefined);
    await eventually(async () => (await activeSequences()) === 1);
    reading.abort();
    await prefilling;
    await expectFreed();
  });
});
