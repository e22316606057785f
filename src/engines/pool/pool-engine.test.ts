import { describe, expect, it } from "vitest";
import type { VectorTask } from "../../core/chat/request.js";
import { ServiceError } from "../../core/errors.js";
import {
  type EngineTask,
  type Generation,
  type GenerationEvent,
  type PreparedGeneration,
  ReaderTooSlow,
  nothingKeptByEngine,
} from "../../core/serving/engine-port.js";
import { PoolEngine, type PoolOptions } from "./pool-engine.js";
import {
  collect,
  drain,
  generationOf,
  never,
  replyTo,
  startReply,
} from "../../../test/contract/engines/engine-contract.js";
import { eachOf } from "../../../test/support/engines/each-of.js";
import { FakeEngine, type FakeEngineOptions, withTasks } from "../../../test/support/engines/fake-engine.js";
import { memberOf } from "../../../test/support/engines/pool-member.js";
import { eventually } from "../../../test/support/eventually.js";
import { FakeClock } from "../../../test/support/inputs/fake-clock.js";

class ClosableEngine extends FakeEngine {
  closed = false;
  override async close(): Promise<void> {
    this.closed = true;
    await super.close();
  }
}

/** Yields these, then fails if it is to. */
class TellingEngine extends FakeEngine {
  constructor(
    private readonly events: readonly GenerationEvent[],
    private readonly failure?: Error,
  ) {
    super();
  }

  override async *generate({
    generation,
  }: PreparedGeneration): AsyncGenerator<readonly GenerationEvent[], void, undefined> {
    this.generations.push(generation);
    for (const event of this.events) yield [event];
    if (this.failure !== undefined) throw this.failure;
  }
}

function poolOf(count: number, options: PoolOptions = {}, engine: FakeEngineOptions = {}) {
  const engines = Array.from({ length: count }, () => new ClosableEngine(engine));
  const members = engines.map((each, index) => memberOf(`m${index}`, each));
  return { engines, members, pool: new PoolEngine(members, options) };
}

const dies =
  (at: number, code: "engine_unavailable" | "overloaded" | "internal_error" = "engine_unavailable") =>
  () => ({
    fragments: ["a", "b"],
    failure: { at, error: new ServiceError(code) },
  });

/** A conversation of its own. */
const hello = (index = 0, changes: Partial<Generation> = {}) => generationOf(`Hello ${index}`, changes);
const ran = (engines: FakeEngine[]) => engines.map(({ generations }) => generations.length);

describe("a pool of engines", () => {
  it("spreads a burst over its members by what they can do", async () => {
    const { pool, engines } = poolOf(3);
    if (engines[2] !== undefined) engines[2].options.capacity = 8;
    for (const engine of engines) engine.hold();
    const runs = Array.from({ length: 16 }, (_, index) => replyTo(pool, hello(index)));
    await eventually(() => pool.status("omega").active === 16);
    expect(ran(engines)).toEqual([4, 4, 8]);
    for (const engine of engines) engine.release();
    await Promise.all(runs);
  });

  it("sends a conversation where it is warm", async () => {
    const { pool, engines } = poolOf(3);
    for (let turn = 0; turn < 5; turn++) {
      for (const conversation of [0, 1, 2]) {
        const messages = [
          { role: "user" as const, content: `Conversation ${conversation}` },
          ...Array.from({ length: turn }, () => ({ role: "assistant" as const, content: "More." })),
        ];
        await replyTo(pool, hello(0, { messages }));
      }
    }
    expect(ran(engines)).toEqual([5, 5, 5]);
    for (const engine of engines) {
      expect(new Set(engine.generations.map(({ messages }) => messages[0]?.content)).size).toBe(1);
    }
  });

  it("leaves the warm member when it is much busier", async () => {
    const { pool, engines } = poolOf(2);
    for (const engine of engines) engine.hold();
    const runs = Array.from({ length: 4 }, () => replyTo(pool, hello()));
    await eventually(() => pool.status("omega").active === 4);
    expect(ran(engines)).toEqual([2, 2]);
    for (const engine of engines) engine.release();
    await Promise.all(runs);
  });

  it.each(["engine_unavailable", "overloaded"] as const)(
    "tries %s once more elsewhere, before the first token",
    async (code) => {
      const { pool, engines } = poolOf(3);
      for (const engine of engines) engine.script = dies(0, code);
      await expect(replyTo(pool, hello())).rejects.toMatchObject({ code });
      expect(ran(engines).sort()).toEqual([0, 1, 1]);
      const good = engines.find(({ generations }) => generations.length === 0);
      if (good !== undefined) good.script = () => ({ fragments: ["fine"] });
      const replies = await Promise.allSettled([1, 2, 3].map((index) => replyTo(pool, hello(index))));
      expect(replies.some(({ status }) => status === "fulfilled")).toBe(true);
    },
  );

  it("passes reasoning and calls on as they come, and tries elsewhere before the first event of any kind only", async () => {
    const tool = { name: "f", description: undefined, parameters: undefined, strict: false };
    const tooling = { tools: [tool], choice: "required", parallel: true } as const;
    const end = { type: "finished", choice: 0, finishReason: "tool_calls" } as const;
    const call = { type: "call", choice: 0, call: 0, id: "call_1", name: "f" } as const;
    const text = { type: "arguments", choice: 0, call: 0, text: "{}" } as const;
    const thought = { type: "reasoning", choice: 0, text: "Hm" } as const;
    const usage = { promptTokens: 1, completionTokens: 4, cachedTokens: 0, reasoningTokens: 1 };
    const whole: GenerationEvent[] = [thought, call, text, end, { type: "done", usage }];
    for (const before of [[], [thought], [call], [call, text]]) {
      const failing = new TellingEngine(before, new ServiceError("engine_unavailable"));
      const pool = new PoolEngine([
        { ...memberOf("failing", failing), weight: 100 },
        memberOf("telling", new TellingEngine(whole)),
      ]);
      const events: GenerationEvent[] = [];
      const run = async () => {
        const prepared = await pool.prepare(hello(0, { tooling }), never());
        for await (const event of eachOf(pool.generate(prepared, never()))) events.push(event);
      };
      if (before.length === 0) await run();
      else await expect(run()).rejects.toMatchObject({ code: "engine_unavailable" });
      expect(events).toEqual(before.length === 0 ? whole : before);
      expect(failing.generations[0]?.tooling).toEqual(tooling);
    }
  });

  /** Fails before the first token the first time. */
  const diesOnce = (engine: FakeEngine) => {
    engine.script = () => (engine.generations.length === 1 ? dies(0)() : { fragments: ["fine"] });
  };

  it("waits for a member that restarts by itself when no other is up, once", async () => {
    const { engines } = poolOf(2);
    const [own, other] = engines;
    if (own === undefined || other === undefined) throw new Error("two engines");
    other.options.state = "down";
    const pool = new PoolEngine([memberOf("m0", own, { restartsItself: true }), memberOf("m1", other)]);
    diesOnce(own);
    expect((await replyTo(pool, hello())).text).toBe("fine");
    expect(ran(engines)).toEqual([2, 0]);
    own.script = dies(0);
    await expect(replyTo(pool, hello())).rejects.toMatchObject({ code: "engine_unavailable" });
    expect(ran(engines)).toEqual([4, 0]);
  });

  it("goes to a member that is up rather than wait for a restart", async () => {
    const { engines } = poolOf(2);
    const restartsItself = true;
    const pool = new PoolEngine(
      engines.map((each, index) => memberOf(`m${index}`, each, { restartsItself })),
    );
    for (const engine of engines) diesOnce(engine);
    await expect(replyTo(pool, hello())).rejects.toMatchObject({ code: "engine_unavailable" });
    expect(ran(engines)).toEqual([1, 1]);
  });

  it("never tries again after the first token", async () => {
    const { pool, engines } = poolOf(2);
    for (const engine of engines) engine.script = dies(1);
    const { first, events } = await startReply(pool, hello());
    expect(first.value).toMatchObject({ type: "text", text: "a" });
    await expect(drain(events)).rejects.toMatchObject({ code: "engine_unavailable" });
    expect(ran(engines).sort()).toEqual([0, 1]);
  });

  it("never retries an error of the request elsewhere", async () => {
    const { pool, engines } = poolOf(2);
    for (const engine of engines) engine.script = dies(0, "internal_error");
    await expect(replyTo(pool, hello())).rejects.toMatchObject({ code: "internal_error" });
    expect(ran(engines).sort()).toEqual([0, 1]);
    const foreign = hello(0, { messages: [{ role: "user", content: "word ".repeat(2000) }] });
    await expect(pool.prepare(foreign, never())).rejects.toMatchObject({ code: "context_length_exceeded" });
  });

  it("prepares elsewhere what the member it was prepared for cannot run any more", async () => {
    const { pool, engines } = poolOf(2);
    const prepared = await pool.prepare(hello(), never());
    const [first, second] = engines;
    if (first === undefined || second === undefined) throw new Error("two engines");
    first.options.state = "down";
    second.options.state = "down";
    await expect(collect(pool.generate(prepared, never()))).resolves.toMatchObject({
      text: "Hello from omega.",
    });
    first.options.state = "ready";
    await replyTo(pool, hello(1));
    expect(ran(engines)).toEqual([2, 0]);
  });

  it("keeps to the largest reply that was decided after the prompt was counted", async () => {
    const { pool, engines } = poolOf(2);
    const prepared = { ...(await pool.prepare(hello(), never())), maxTokens: 2 };
    expect((await collect(pool.generate(prepared, never()))).usage.completionTokens).toBe(2);
    for (const engine of engines) engine.script = dies(0);
    const failing = engines.find(({ generations }) => generations.length > 0);
    const other = engines.find((engine) => engine !== failing);
    if (other !== undefined) other.script = () => ({ fragments: ["a", "b", "c", "d"] });
    expect((await collect(pool.generate(prepared, never()))).usage.completionTokens).toBe(2);
  });

  it("keeps work from a member that fails, probes it after a pause, and takes it back", async () => {
    const clock = new FakeClock();
    const { pool, engines } = poolOf(2, { clock });
    const [bad, good] = engines;
    if (bad === undefined || good === undefined) throw new Error("two engines");
    bad.script = dies(0);
    for (let index = 0; index < 20; index++) await replyTo(pool, hello(index));
    expect(bad.generations.length).toBe(3);
    expect(pool.members("omega").map(({ breaker }) => breaker)).toEqual(["open", "closed"]);

    clock.advance(1000);
    for (let index = 20; index < 30; index++) await replyTo(pool, hello(index));
    expect(bad.generations.length).toBe(4);

    bad.script = () => ({ fragments: ["fine"] });
    clock.advance(2000);
    for (let index = 30; index < 40; index++) await replyTo(pool, hello(index));
    expect(pool.members("omega").map(({ breaker }) => breaker)).toEqual(["closed", "closed"]);
    expect(bad.generations.length).toBeGreaterThan(7);
  });

  it("holds nothing against a member whose reader was too slow", async () => {
    const { pool, engines } = poolOf(2);
    for (const engine of engines) {
      engine.script = () => ({ fragments: ["a", "b"], failure: { at: 1, error: new ReaderTooSlow() } });
    }
    for (let index = 0; index < 10; index++) {
      await expect(replyTo(pool, hello(index))).rejects.toThrow(ReaderTooSlow);
    }
    expect(pool.members("omega").map(({ breaker }) => breaker)).toEqual(["closed", "closed"]);
    expect(ran(engines)).toEqual([5, 5]);
  });

  it("never gives up its last member", async () => {
    const { pool, engines } = poolOf(1);
    const [only] = engines;
    if (only === undefined) throw new Error("one engine");
    only.script = dies(0);
    for (let index = 0; index < 10; index++) await expect(replyTo(pool, hello(index))).rejects.toThrow();
    only.script = () => ({ fragments: ["fine"] });
    expect((await replyTo(pool, hello())).text).toBe("fine");
  });

  it("sends nothing to members that are unreachable, and says how many are up", async () => {
    const { pool, engines } = poolOf(3, {}, { capacity: 4 });
    if (engines[1] !== undefined) engines[1].options.state = "down";
    for (let index = 0; index < 6; index++) await replyTo(pool, hello(index));
    expect(ran(engines)).toEqual([3, 0, 3]);
    expect(pool.status("omega")).toMatchObject({
      state: "ready",
      capacity: 8,
      serving: "2 of 3: fake, fake, fake",
    });
    for (const engine of engines) engine.options.state = "starting";
    expect(pool.status("omega")).toMatchObject({ state: "starting" });
    for (const engine of engines) engine.options.state = "down";
    expect(pool.status("omega")).toMatchObject({ state: "down", capacity: 12 });
    await expect(replyTo(pool, hello())).rejects.toMatchObject({ code: "engine_unavailable" });
  });

  it("wakes a member that is asleep only when the others are full", async () => {
    const { pool, engines } = poolOf(2, {}, { capacity: 2 });
    const [awake, asleep] = engines;
    if (awake === undefined || asleep === undefined) throw new Error("two engines");
    asleep.options.state = "asleep";
    for (let index = 0; index < 4; index++) await replyTo(pool, hello(index));
    expect(ran(engines)).toEqual([4, 0]);
    expect(pool.status("omega")).toMatchObject({ state: "ready", capacity: 4 });

    for (const engine of engines) engine.hold();
    const runs = Array.from({ length: 3 }, (_, index) => replyTo(pool, hello(index)));
    await eventually(() => pool.status("omega").active === 3);
    expect(ran(engines)).toEqual([6, 1]);
    for (const engine of engines) engine.release();
    await Promise.all(runs);

    awake.options.state = "down";
    expect(pool.status("omega")).toMatchObject({ state: "asleep", serving: "1 of 2: fake, fake" });
    await replyTo(pool, hello());
    expect(ran(engines)).toEqual([6, 2]);
  });

  it("sends a prompt to the member whose context holds it", async () => {
    const { pool, engines } = poolOf(3);
    if (engines[2] !== undefined) engines[2].options.contextTokens = 5000;
    const long = { messages: [{ role: "user" as const, content: "word ".repeat(3000) }] };
    for (let round = 0; round < 3; round++) await replyTo(pool, hello(0, long));
    expect(ran(engines)).toEqual([0, 0, 3]);
    expect(pool.status("omega").contextTokens).toBe(5000);
  });

  it("drops no stream of a member that leaves, closes it at its end, and gives it nothing new", async () => {
    const { pool, engines, members } = poolOf(2);
    const [leaving, staying] = engines;
    if (leaving === undefined || staying === undefined) throw new Error("two engines");
    leaving.hold();
    const running = replyTo(pool, hello());
    await eventually(() => leaving.active === 1);
    pool.setMembers(members.slice(1));
    await replyTo(pool, hello());
    await replyTo(pool, hello(1));
    expect(ran(engines)).toEqual([1, 2]);
    expect(pool.members("omega")).toMatchObject([
      { id: "m1", draining: false },
      { id: "m0", draining: true, runs: 1 },
    ]);
    expect(leaving.closed).toBe(false);
    leaving.release();
    expect((await running).text).toBe("Hello from omega.");
    await eventually(() => leaving.closed);
    expect(pool.members("omega").map(({ id }) => id)).toEqual(["m1"]);
    expect(staying.closed).toBe(false);
  });

  it("closes a member that leaves after a time, whatever runs on it, and at once when nothing does", async () => {
    const { pool, engines, members } = poolOf(3, { drainMs: 50 });
    engines[0]?.hold();
    const { events } = await startHeld(pool, engines[0]);
    pool.setMembers(members.slice(2));
    await eventually(() => engines[0]?.closed === true && engines[1]?.closed === true);
    await events.return();
  });

  it("keeps what it knows of a member that stays, and takes its new weight", async () => {
    const { pool, engines, members } = poolOf(2);
    engines[0]?.hold();
    const { events } = await startHeld(pool, engines[0]);
    pool.setMembers(members.map((member) => ({ ...member, weight: 3 })));
    expect(pool.members("omega")).toMatchObject([
      { id: "m0", runs: 1, weight: 3 },
      { id: "m1", runs: 0, weight: 3 },
    ]);
    engines[0]?.release();
    await events.return();
    expect(engines.some(({ closed }) => closed)).toBe(false);
  });

  it("counts nothing for a run that was aborted and never read on", async () => {
    const { pool } = poolOf(1);
    const controller = new AbortController();
    await startReply(pool, hello(), controller.signal);
    expect(pool.members("omega")).toMatchObject([{ runs: 1 }]);
    controller.abort(new Error("left"));
    expect(pool.members("omega")).toMatchObject([{ runs: 0 }]);
  });

  it("does not hold a client's leaving against a member", async () => {
    const { pool, engines } = poolOf(1);
    engines[0]?.hold();
    for (let index = 0; index < 5; index++) {
      const controller = new AbortController();
      const reply = expect(replyTo(pool, hello(index), controller.signal)).rejects.toThrow("left");
      await eventually(() => engines[0]?.active === 1);
      controller.abort(new Error("left"));
      await reply;
    }
    expect(pool.members("omega")).toMatchObject([{ breaker: "closed" }]);
  });
});

/** Starts a reply on an engine that holds its tokens back. */
async function startHeld(pool: PoolEngine, engine: FakeEngine | undefined) {
  const prepared = await pool.prepare(hello(), never());
  const events = pool.generate(prepared, never());
  events.next().catch(() => undefined);
  await eventually(() => engine?.active === 1);
  return { events };
}

describe("a pool that is told to forget an account", () => {
  it("passes it on to every member, those that leave included", async () => {
    const { engines, members, pool } = poolOf(2);
    const [first, second] = engines;
    first?.hold();
    second?.hold();
    const running = [replyTo(pool, generationOf("one")), replyTo(pool, generationOf("two"))];
    await eventually(() => engines.every(({ active }) => active === 1));
    pool.setMembers(members.slice(0, 1));
    for (const engine of engines) {
      engine.kept.set("acc_gone", { ...nothingKeptByEngine, conversations: { count: 2, lastMs: 7 } });
    }
    expect((await pool.keptOf("acc_gone")).conversations).toEqual({ count: 4, lastMs: 7 });
    pool.forgetAccount("acc_gone");
    expect(engines.map(({ forgotten }) => forgotten)).toEqual([["acc_gone"], ["acc_gone"]]);
    for (const engine of engines) engine.release();
    await Promise.all(running);
    await pool.close();
  });
});

describe("a pool whose members do different tasks", () => {
  const follows = (...tasks: EngineTask[]) => ({ ...withTasks, tasks });
  const task = (of: VectorTask): Generation =>
    generationOf("", { model: "iota", messages: [], maxTokens: undefined, task: of });
  const embedding = () => task({ type: "embed", inputs: ["x"], dimensions: undefined });
  const ranking = () => task({ type: "rank", query: "x", documents: ["y"] });
  const resultOf = async (pool: PoolEngine, generation: Generation) => {
    const events: GenerationEvent[] = [];
    const prepared = await pool.prepare(generation, never());
    for await (const event of eachOf(pool.generate(prepared, never()))) events.push(event);
    return events[0]?.type;
  };

  it("sends each task to one that does it, and offers what any of them does", async () => {
    const engines = [
      new FakeEngine({ follows: follows("embed") }),
      new FakeEngine({ follows: follows("rank") }),
    ];
    const pool = new PoolEngine(engines.map((engine, index) => memberOf(`m${index}`, engine)));
    expect(pool.status("iota").follows.tasks).toEqual(["embed", "rank"]);
    for (const _ of [1, 2, 3]) expect(await resultOf(pool, embedding())).toBe("vectors");
    expect(await resultOf(pool, ranking())).toBe("scores");
    expect(ran(engines)).toEqual([3, 1]);
    await pool.close();
  });

  it("tries another when one turns out not to do it, and holds that against nobody", async () => {
    const { pool, engines } = poolOf(2, {}, { follows: follows("embed", "rank") });
    const failure = new ServiceError("unsupported_value");
    if (engines[0] !== undefined) engines[0].taskScript = { failure };
    for (const _ of [1, 2, 3, 4]) expect(await resultOf(pool, ranking())).toBe("scores");
    expect(pool.members("iota").map(({ breaker }) => breaker)).toEqual(["closed", "closed"]);
    await pool.close();
  });

  it("fails over as for a reply, and spreads tasks of one account", async () => {
    const { pool, engines } = poolOf(2, {}, { follows: follows("embed"), capacity: 1 });
    if (engines[0] !== undefined) engines[0].taskScript = { failure: new ServiceError("engine_unavailable") };
    expect(await resultOf(pool, embedding())).toBe("vectors");
    if (engines[0] !== undefined) engines[0].taskScript = {};
    const before = ran(engines);
    await Promise.all([1, 2, 3, 4].map(() => resultOf(pool, embedding())));
    expect(ran(engines).every((count, index) => count > (before[index] ?? 0))).toBe(true);
    await pool.close();
  });
});
