/** A reader that is too slow loses its own reply, and nothing is checked against the engine. */
import { afterEach, describe, expect, it } from "vitest";
import { ReaderTooSlow } from "../../src/core/serving/engine-port.js";
import { PoolEngine } from "../../src/engines/pool/pool-engine.js";
import { drain, generationOf, replyTo, startReply, type Reply } from "../contract/engines/engine-contract.js";
import { question, send } from "../support/clients/chat.js";
import { eventually } from "../support/eventually.js";
import { FakeClock } from "../support/inputs/fake-clock.js";
import {
  chunk,
  event,
  openStream,
  speaks,
  startScriptedUpstream,
  type ScriptedUpstream,
} from "../support/engines/scripted-upstream.js";
import { startServer } from "../support/processes/server.js";
import { memberOf } from "../support/engines/pool-member.js";
import { startTinyEngine } from "../support/engines/tiny-engine.js";
import { connectUpstream } from "../support/engines/upstream-engine.js";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const breakers = (pool: PoolEngine) => pool.members("omega").map(({ breaker }) => breaker);

describe("a reader of the engine on this machine", () => {
  function startPool() {
    const tiny = startTinyEngine();
    closers.push(() => tiny.dispose());
    return { tiny, pool: new PoolEngine([memberOf("tiny", tiny.engine)]) };
  }

  it("gets every token and its log probabilities, though it read nothing until the reply was complete", async () => {
    const { tiny, pool } = startPool();
    const generation = generationOf("Talk.", { maxTokens: 300, topLogprobs: 20 });
    const expected = await replyTo(pool, generation);
    expect(expected.logprobs).toHaveLength(300);
    const readers = await Promise.all([1, 2, 3].map(() => startReply(pool, generation)));
    await eventually(() => tiny.engine.status("omega").active === 0);
    const replies = await Promise.all(readers.map(readAll));
    const tokens = expected.logprobs.map(({ token }) => token);
    expect(replies).toEqual(readers.map(() => ({ text: expected.text, tokens, alternatives: 20 * 300 })));
    expect(breakers(pool)).toEqual(["closed"]);
  });

  it("loses a reply that outgrows what can be kept for it, while others get theirs", async () => {
    const { tiny, pool } = startPool();
    const choices = pool.status("omega").capacity;
    for (let round = 0; round < 3; round++) {
      const huge = generationOf("Talk.", { maxTokens: 900, topLogprobs: 20, choices });
      const { events } = await startReply(pool, huge);
      await eventually(() => tiny.engine.status("omega").active === 0);
      await expect(drain(events)).rejects.toThrow(ReaderTooSlow);
    }
    expect(breakers(pool)).toEqual(["closed"]);
    expect((await replyTo(pool, generationOf("Hello"))).usage.completionTokens).toBe(24);
  });

  /** What there is to read, the first event included. */
  async function readAll({ first, events }: Awaited<ReturnType<typeof startReply>>) {
    let text = "";
    const logprobs: Reply["logprobs"] = [];
    for (let next = first; next.done !== true; next = await events.next()) {
      if (next.value.type !== "text") continue;
      text += next.value.text;
      logprobs.push(...(next.value.logprobs ?? []));
    }
    const alternatives = logprobs.reduce((sum, { top }) => sum + top.length, 0);
    return { text, tokens: logprobs.map(({ token }) => token), alternatives };
  }
});

describe("a reader of an engine on the network", () => {
  /** Talks until nobody takes more, then waits for a word. */
  function talksUntilFull(upstream: ScriptedUpstream) {
    let written = 0;
    let hangUp: () => void = () => undefined;
    const text = "x".repeat(60_000);
    upstream.chat = (response) => {
      hangUp = () => response.destroy();
      openStream(response);
      const write = () => {
        do written += text.length;
        while (!response.destroyed && response.write(event(chunk({ content: text }))));
      };
      response.on("drain", write);
      write();
    };
    return {
      untilFull: async () => {
        let [before, looks] = [0, 0];
        await eventually(() => {
          looks = written === before ? looks + 1 : 0;
          before = written;
          return looks > 20;
        });
      },
      hangUp: () => hangUp(),
    };
  }

  async function startPool() {
    const clock = new FakeClock();
    const upstream = await startScriptedUpstream();
    closers.push(() => upstream.close());
    const engine = await connectUpstream({ url: upstream.url, contextTokens: 1_000_000 }, { clock });
    closers.push(() => engine.close());
    return { clock, upstream, pool: new PoolEngine([memberOf("upstream", engine)], { clock }) };
  }

  const long = generationOf("Talk.", { maxTokens: 100_000 });

  it("ends alone when the engine gives up on it, and the breaker stays closed", async () => {
    const { clock, upstream, pool } = await startPool();
    for (let round = 0; round < 3; round++) {
      const talk = talksUntilFull(upstream);
      const { events } = await startReply(pool, long);
      await talk.untilFull();
      clock.advance(30_000);
      talk.hangUp();
      await expect(drain(events)).rejects.toThrow(ReaderTooSlow);
    }
    expect(breakers(pool)).toEqual(["closed"]);
    upstream.chat = speaks("Fine.");
    expect((await replyTo(pool, generationOf("Hello"))).text).toBe("Fine.");
  });

  it("gets the engine's failure if it kept up", async () => {
    const { upstream, pool } = await startPool();
    const talk = talksUntilFull(upstream);
    const { events } = await startReply(pool, long);
    await talk.untilFull();
    talk.hangUp();
    await expect(drain(events)).rejects.toMatchObject({ code: "engine_unavailable" });
  });
});

describe("a stream whose reader is too slow for the engine", () => {
  it("is cut without an error event, and is logged as given up by the client", async () => {
    const server = await startServer();
    closers.push(() => server.close());
    server.engine.script = () => ({ fragments: ["a", "b"], failure: { at: 1, error: new ReaderTooSlow() } });
    server.engine.hold();
    server.engine.release(1);
    const response = await send(server, { body: { ...question, stream: true } });
    expect(response.status).toBe(200);
    server.engine.release();
    await expect(response.text()).rejects.toThrow();
    const line = await eventually(() => server.logLines.find(({ outcome }) => outcome !== undefined));
    expect(line).toMatchObject({ status: 200, outcome: "hung_up", completionTokens: 1 });
    expect(line).not.toHaveProperty("code");
    expect(server.completions.active).toBe(0);
  });
});
