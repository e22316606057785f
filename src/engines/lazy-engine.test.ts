import { afterEach, describe, expect, it, vi } from "vitest";
import type { Engine } from "../core/serving/engine-port.js";
import { generationOf, never, replyTo } from "../../test/contract/engines/engine-contract.js";
import { FakeEngine } from "../../test/support/engines/fake-engine.js";
import { FakeClock } from "../../test/support/inputs/fake-clock.js";
import { LazyEngine, type LazyEngineOptions } from "./lazy-engine.js";

class ClosableEngine extends FakeEngine {
  closed = false;
  override async close(): Promise<void> {
    this.closed = true;
    await super.close();
  }
}

const idleMs = 60_000;

function lazy(build: () => Promise<Engine>, options: Partial<LazyEngineOptions> = {}) {
  const clock = new FakeClock();
  const engine = new LazyEngine({
    build,
    asleep: {
      serving: "some.gguf",
      contextTokens: 0,
      defaultMaxTokens: 0,
      follows: { jsonSchema: false, logprobs: false, tools: false, reasoning: false, tasks: ["embed"] },
      capacity: 4,
    },
    idleMs,
    waitMs: 5_000,
    maxWaiting: 2,
    clock,
    ...options,
  });
  return { engine, clock };
}

const hello = generationOf("Hello");

function deferred() {
  let resolve: (engine: Engine) => void = () => undefined;
  const promise = new Promise<Engine>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
afterEach(() => {
  vi.useRealTimers();
});

describe("an engine that is built at first use", () => {
  it("is asleep until then, and built once for requests that come together", async () => {
    const inner = new FakeEngine();
    let builds = 0;
    const { engine } = lazy(async () => {
      builds += 1;
      return inner;
    });
    expect(engine.status("iota")).toMatchObject({ state: "asleep", serving: "some.gguf" });
    const replies = await Promise.all([replyTo(engine, hello), replyTo(engine, hello)]);
    expect(replies.map(({ text }) => text)).toEqual(["Hello from omega.", "Hello from omega."]);
    expect(builds).toBe(1);
    expect(engine.status("iota")).toMatchObject({ state: "ready", serving: "fake" });
    await engine.close();
  });

  it("is waking while it is built and while it loads", async () => {
    const built = deferred();
    const { engine } = lazy(() => built.promise);
    const prepared = engine.prepare(hello, never());
    expect(engine.status("iota").state).toBe("waking");
    built.resolve(new FakeEngine({ state: "starting" }));
    await expect(prepared).rejects.toMatchObject({ code: "engine_unavailable" });
    expect(engine.status("iota").state).toBe("waking");
    await engine.close();
  });

  it("is closed when nobody has used it for a while, and built again", async () => {
    vi.useFakeTimers();
    const engines: ClosableEngine[] = [];
    const { engine } = lazy(async () => {
      engines.push(new ClosableEngine());
      return engines.at(-1) ?? new ClosableEngine();
    });
    await replyTo(engine, hello);
    await vi.advanceTimersByTimeAsync(idleMs - 1);
    await replyTo(engine, hello);
    await vi.advanceTimersByTimeAsync(idleMs - 1);
    expect(engines.map(({ closed }) => closed)).toEqual([false]);
    await vi.advanceTimersByTimeAsync(1);
    expect(engines.map(({ closed }) => closed)).toEqual([true]);
    expect(engine.status("iota").state).toBe("asleep");
    await replyTo(engine, hello);
    expect(engines).toHaveLength(2);
    await engine.close();
    expect(engines[1]?.closed).toBe(true);
  });

  it("stays while a generation runs, however long", async () => {
    vi.useFakeTimers();
    const inner = new ClosableEngine();
    const { engine } = lazy(async () => inner);
    inner.hold();
    const reply = replyTo(engine, hello);
    await vi.advanceTimersByTimeAsync(idleMs * 2);
    expect(inner.closed).toBe(false);
    inner.release();
    await expect(reply).resolves.toMatchObject({ text: "Hello from omega." });
    await engine.close();
  });

  it("says why it cannot be built, and tries again after a pause", async () => {
    let builds = 0;
    const { engine, clock } = lazy(async () => {
      builds += 1;
      if (builds === 1) throw new Error("The weights are not installed.");
      return new FakeEngine();
    });
    await expect(engine.prepare(hello, never())).rejects.toMatchObject({ code: "engine_unavailable" });
    expect(engine.status("iota")).toMatchObject({
      state: "down",
      problem: { cause: "NOT_BUILT", text: "The weights are not installed." },
    });
    await expect(engine.prepare(hello, never())).rejects.toMatchObject({ code: "engine_unavailable" });
    expect(builds).toBe(1);
    clock.advance(10_000);
    await replyTo(engine, hello);
    expect(engine.status("iota").problem).toBeUndefined();
    await engine.close();
  });

  it("lets only so many requests wait, for so long, and not after they were aborted", async () => {
    const built = deferred();
    const { engine } = lazy(() => built.promise, { waitMs: 20 });
    const client = new AbortController();
    const aborted = engine.prepare(hello, client.signal);
    const late = engine.prepare(hello, never());
    await expect(engine.prepare(hello, never())).rejects.toMatchObject({ code: "overloaded" });
    client.abort(new Error("hung up"));
    await expect(aborted).rejects.toThrow("hung up");
    await expect(late).rejects.toMatchObject({ code: "engine_unavailable" });
    const inner = new ClosableEngine();
    built.resolve(inner);
    await engine.close();
    expect(inner.closed).toBe(true);
    await expect(engine.prepare(hello, never())).rejects.toMatchObject({ code: "engine_unavailable" });
  });

  it("forgets and counts what the engine keeps, where there is one", async () => {
    const inner = new FakeEngine();
    const { engine } = lazy(async () => inner);
    engine.forgetAccount("acc_1");
    expect(await engine.keptOf("acc_1")).toMatchObject({ isElsewhere: false });
    await replyTo(engine, hello);
    engine.forgetAccount("acc_1");
    expect(inner.forgotten).toEqual(["acc_1"]);
    await engine.close();
  });
});
