/** What happens to requests, and to a real llama-server, when one of the two is gone. */
import { afterEach, describe, expect, it } from "vitest";
import { UpstreamEngine } from "../../src/engines/upstream/upstream-engine.js";
import { drain, generationOf, never, replyTo, startReply } from "../contract/engines/engine-contract.js";
import { eventually } from "../support/eventually.js";
import { cacheSaltSecret, connectUpstream } from "../support/engines/upstream-engine.js";
import { startLlamaServer, type LlamaServer, type LlamaServerOptions } from "./llama-server.js";

const profile = "llama-server";
/** Hundreds of milliseconds a reply: long enough to be met in the midst of it. */
const slow = { model: { scale: 4, contextTokens: 8192 }, arguments: ["-c", "32768"] };

let server: LlamaServer;
afterEach(() => server.close());

async function connect(options: LlamaServerOptions, key?: string) {
  server = await startLlamaServer(options);
  return connectUpstream({ url: server.url, profile, ...(key === undefined ? {} : { key }) });
}

const busySlots = async () =>
  ((await server.get("/slots")) as { is_processing: boolean }[]).filter((slot) => slot.is_processing).length;

describe("a llama-server", () => {
  it("frees its slot within a second when the client hangs up, and those of all choices", async () => {
    const engine = await connect(slow);
    for (const choices of [1, 3]) {
      const controller = new AbortController();
      const generation = generationOf("Talk.", { maxTokens: 100_000, choices });
      await startReply(engine, generation, controller.signal);
      await eventually(async () => (await busySlots()) === choices);
      controller.abort(new Error("hung up"));
      await eventually(async () => (await busySlots()) === 0);
    }
    await engine.close();
  });

  it("frees its slot during prefill too, after the current batch", async () => {
    const engine = await connect({ ...slow, arguments: [...slow.arguments, "-b", "64"] });
    const controller = new AbortController();
    const generation = generationOf("word ".repeat(1200), { maxTokens: 8 });
    const prepared = await engine.prepare(generation, never());
    const first = engine.generate(prepared, controller.signal).next();
    await eventually(() => server.log().includes("processing task"));
    controller.abort(new Error("hung up"));
    await expect(first).rejects.toThrow("hung up");
    // Until the first token it looks once a second whether somebody is still there, and restarts that second
    // whenever it has an answer for anyone: to ask it for its slots would keep it from looking.
    await eventually(() => server.log().includes("stop processing"));
    expect(server.log()).not.toContain("print_timing");
    await engine.close();
  });

  it("that is killed during a reply is unavailable, and answers again once restarted", async () => {
    const engine = await connect(slow);
    const { events } = await startReply(engine, generationOf("Talk.", { maxTokens: 100_000 }));
    const ended = expect(drain(events)).rejects.toMatchObject({ code: "engine_unavailable" });
    await server.kill();
    await ended;
    await eventually(() => engine.status().state === "down");
    await expect(engine.prepare(generationOf("Hi"), never())).rejects.toMatchObject({
      code: "engine_unavailable",
    });
    await server.start();
    await eventually(() => engine.status().state === "ready");
    expect((await replyTo(engine, generationOf("Hi"))).usage.completionTokens).toBe(24);
    expect(engine.status().restarts).toBe(1);
    await engine.close();
  });

  it("is not ready without its key, although it reports its health to everyone", async () => {
    const engine = await connect({ arguments: ["--api-key", "the right one"] }, "the right one");
    expect((await fetch(`${server.origin}/health`)).status).toBe(200);
    expect((await replyTo(engine, generationOf("Hi"))).text).not.toBe("");
    await engine.close();
    const states: [string, string | undefined][] = [];
    const wrong = new UpstreamEngine(
      { url: server.url, profile, key: "a wrong one", models: {}, cacheSaltSecret },
      { onState: (state, cause) => states.push([state, cause]) },
    );
    await wrong.checked();
    await wrong.checked();
    expect(wrong.status().state).toBe("starting");
    expect(states).toEqual([["starting", "HTTP_401"]]);
    await wrong.close();
  });

  it("reports how many requests wait where it was started with --metrics", async () => {
    const engine = await connect({ ...slow, arguments: [...slow.arguments, "--metrics"] });
    const leaving = new AbortController();
    const replies = Array.from({ length: 7 }, async () =>
      startReply(engine, generationOf("Talk.", { maxTokens: 100_000 }), AbortSignal.any([leaving.signal])),
    );
    await eventually(() => engine.waiting() === 3);
    leaving.abort(new Error("had enough"));
    const outcomes = await Promise.allSettled(replies);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(4);
    await eventually(() => engine.waiting() === 0);
    await engine.close();
  });
});
