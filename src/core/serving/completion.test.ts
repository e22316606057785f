import { describe, expect, it } from "vitest";
import { callerWith } from "../../../test/support/clients/caller.js";
import { chatRequest } from "../../../test/support/clients/chat-request.js";
import { FakeClock } from "../../../test/support/inputs/fake-clock.js";
import { memoryLimits } from "../../../test/support/stores/memory-limits.js";
import { ServiceError } from "../errors.js";
import { ModelNames } from "../model-aliases.js";
import { Completions, type AdmittedEvent, type CompletionArrival } from "./completion.js";
import { eventually } from "../../../test/support/eventually.js";
import { FairQueue } from "./fair-queue.js";
import { systemClock } from "../clock.js";
import { type Engine, type GenerationEvent, nothingKeptByEngine } from "./engine-port.js";
import type { Plan } from "../entities.js";

/** Says one word for each token it may. */
const wordy: Engine = {
  prepare: async (generation) => ({
    generation,
    promptTokens: 5,
    maxTokens: generation.maxTokens ?? 10,
    prompt: null,
  }),
  async *generate({ maxTokens, promptTokens }): AsyncGenerator<readonly GenerationEvent[]> {
    for (let token = 0; token < maxTokens; token++) yield [{ type: "text", choice: 0, text: "word " }];
    const usage = { promptTokens, completionTokens: maxTokens, cachedTokens: 0, reasoningTokens: 0 };
    yield [{ type: "finished", choice: 0, finishReason: "length" }];
    yield [{ type: "done", usage }];
  },
  forgetAccount: () => undefined,
  keptOf: async () => nothingKeptByEngine,
  status: () => ({
    state: "ready",
    serving: "",
    contextTokens: 100,
    defaultMaxTokens: 100,
    follows: { jsonSchema: false, logprobs: false, tools: false, reasoning: false },
    capacity: 4,
    active: 0,
    restarts: 0,
  }),
  close: async () => undefined,
};

/** Says one word and waits to be ended. */
const stuck: Engine = {
  ...wordy,
  async *generate(_, signal): AsyncGenerator<readonly GenerationEvent[]> {
    yield [{ type: "text", choice: 0, text: "one" }];
    await new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        reject(signal.reason as Error);
      });
    });
  },
};

const request = chatRequest("hello", { maxTokens: 8 });

function setup(plan: Partial<Plan> = {}, engine: Engine = wordy) {
  const queue = new FairQueue({ capacity: () => 4, maxLength: 10, maxWaitMs: 1000, clock: systemClock });
  const limits = memoryLimits();
  const caller = callerWith(plan);
  const completions = new Completions({ engine, limits, queueOf: () => queue, clock: systemClock });
  const run = (signal = new AbortController().signal) => completions.run(request, caller, signal);
  return { completions, queue, limits, caller, run };
}

async function all(arrivals: AsyncIterable<CompletionArrival>): Promise<(AdmittedEvent | GenerationEvent)[]> {
  const seen: (AdmittedEvent | GenerationEvent)[] = [];
  for await (const arrival of arrivals) seen.push(...("type" in arrival ? [arrival] : arrival));
  return seen;
}

describe("a completion", () => {
  it("is admitted, runs and settles to the tokens it used", async () => {
    const { run, limits, caller, queue, completions } = setup();
    const events = await all(run());
    expect(events.map(({ type }) => type)).toEqual([
      "admitted",
      ...Array<string>(8).fill("text"),
      "finished",
      "done",
    ]);
    expect((await limits.read(caller)).tokens.remaining).toBe(1000 - 5 - 8);
    expect([queue.running, completions.active]).toEqual([0, 0]);
  });

  it("ends where the plan's largest reply ends", async () => {
    const events = await all(setup({ maxTokens: 3 }).run());
    expect(events.at(-1)).toMatchObject({ type: "done", usage: { completionTokens: 3 } });
  });

  it("tells the wait for tokens once for those that arrive together", async () => {
    const clock = new FakeClock();
    const text: GenerationEvent = { type: "text", choice: 0, text: "word " };
    const usage = { promptTokens: 5, completionTokens: 7, cachedTokens: 0, reasoningTokens: 0 };
    const bursts: Engine = {
      ...wordy,
      async *generate() {
        yield [text, text];
        clock.advance(90);
        yield [text, { ...text, choice: 1 }, text, text];
        clock.advance(20);
        yield [text];
        clock.advance(10);
        yield [
          { type: "finished", choice: 0, finishReason: "length" },
          { type: "done", usage },
        ];
      },
    };
    const gaps: [gapMs: number, tokens: number][] = [];
    const completions = new Completions({
      engine: bursts,
      limits: memoryLimits(),
      queueOf: () => new FairQueue({ capacity: () => 4, maxLength: 10, maxWaitMs: 1000, clock }),
      clock,
      onTokenGap: (_model, gapMs, tokens) => gaps.push([gapMs, tokens]),
    });
    await all(completions.run(request, callerWith(), new AbortController().signal));
    expect(gaps).toEqual([
      [90, 3],
      [20, 1],
    ]);
  });

  it("is refused for a model that the plan does not include", async () => {
    await expect(all(setup({ models: ["prism"] }).run())).rejects.toMatchObject({
      code: "insufficient_permissions",
      message: "The plan 'Small' does not include the model 'omega'.",
    });
  });

  it("gives everything back when the consumer stops reading", async () => {
    const { run, queue, completions, limits, caller } = setup();
    for await (const arrival of run()) if (!("type" in arrival)) break;
    expect([queue.running, completions.active]).toEqual([0, 0]);
    expect((await limits.read(caller)).held).toBe(0);
  });

  it("waits in the queue of the engine that prepared it", async () => {
    const newQueue = () =>
      new FairQueue({ capacity: () => 4, maxLength: 10, maxWaitMs: 1000, clock: systemClock });
    const [now, before] = [newQueue(), newQueue()];
    const completions = new Completions({
      engine: wordy,
      limits: memoryLimits(),
      queueOf: (_, prepared) => (prepared === undefined ? now : before),
      clock: systemClock,
    });
    const events = completions.run(request, callerWith(), new AbortController().signal);
    await events.next();
    expect([now.running, before.running]).toEqual([0, 1]);
    await events.return();
    expect(before.running).toBe(0);
  });

  it("is an error when the engine ends without saying so", async () => {
    const mute: Engine = {
      ...wordy,
      async *generate(): AsyncGenerator<readonly GenerationEvent[]> {
        yield [{ type: "text", choice: 0, text: "half a rep" }];
      },
    };
    await expect(all(setup({}, mute).run())).rejects.toMatchObject({ code: "engine_unavailable" });
  });

  it("is cut when the model behind its alias is taken from its key", async () => {
    const caller = callerWith();
    const completions = new Completions({
      engine: stuck,
      limits: memoryLimits(),
      names: new ModelNames([{ name: "gpt-*", model: "prism" }]),
      queueOf: () => new FairQueue({ capacity: () => 4, maxLength: 10, maxWaitMs: 1000, clock: systemClock }),
      clock: systemClock,
      reread: async () => ({ ...caller, key: { ...caller.key, models: ["omega"] } }),
    });
    const aliased = chatRequest("hello", { model: "gpt-5" });
    const events = completions.run(aliased, caller, new AbortController().signal);
    expect((await events.next()).value).toMatchObject({ type: "admitted", model: "prism" });
    await events.next();
    const rest = events.next();
    completions.running.review({ keyId: "key_1" });
    await expect(rest).rejects.toMatchObject({ code: "insufficient_permissions" });
  });

  it("is cut when its key is revoked", async () => {
    const { run, completions, queue } = setup({}, stuck);
    const events = run();
    await events.next();
    await events.next();
    const rest = events.next();
    completions.running.cut({ keyId: "key_1" });
    await expect(rest).rejects.toMatchObject({ code: "invalid_api_key" });
    expect([queue.running, completions.active]).toEqual([0, 0]);
  });
});

describe("a count of a prompt's tokens", () => {
  /** Prepares until it is aborted. */
  const stuck: Engine = {
    ...wordy,
    prepare: (_, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          reject(signal.reason as Error);
        });
      }),
  };

  it("needs no room in the queue and no tokens, and leaves nothing behind", async () => {
    const { completions, limits, caller, queue } = setup({ tokensPerMinute: 0, concurrentRequests: 1 });
    expect(await completions.count(request, caller, new AbortController().signal)).toBe(5);
    expect(completions.active).toBe(0);
    expect(queue.waiting).toBe(0);
    expect(await limits.read(caller)).toMatchObject({ tokens: { remaining: 0 }, held: 0 });
  });

  it("is one of the account's concurrent requests while it runs", async () => {
    const { completions, limits, caller, run } = setup({ concurrentRequests: 1 }, stuck);
    const hangUp = new AbortController();
    const counting = completions.count(request, caller, hangUp.signal);
    await eventually(async () => (await limits.read(caller)).held === 1);
    const { signal } = new AbortController();
    await expect(completions.count(request, caller, signal)).rejects.toMatchObject({
      code: "rate_limit_exceeded",
    });
    await expect(all(run())).rejects.toMatchObject({ code: "rate_limit_exceeded" });
    hangUp.abort(new Error("gone"));
    await expect(counting).rejects.toThrow("gone");
    expect((await limits.read(caller)).held).toBe(0);
  });

  it("is refused like a completion", async () => {
    const { completions, caller } = setup({ models: ["prism"] });
    const { signal } = new AbortController();
    await expect(completions.count(request, caller, signal)).rejects.toMatchObject({
      code: "insufficient_permissions",
    });
    const { completions: other, caller: allowed } = setup();
    const unknown = { ...request, model: "nobody" };
    await expect(other.count(unknown, allowed, signal)).rejects.toMatchObject({ code: "model_not_found" });
    other.refuseNew(new ServiceError("maintenance"));
    await expect(other.count(request, allowed, signal)).rejects.toMatchObject({ code: "maintenance" });
  });

  it("ends when its key is revoked or the client hangs up", async () => {
    const { completions, caller } = setup({}, stuck);
    const revoked = completions.count(request, caller, new AbortController().signal);
    completions.running.cut({ keyId: caller.key.id });
    await expect(revoked).rejects.toMatchObject({ code: "invalid_api_key" });
    const hangUp = new AbortController();
    const left = completions.count(request, caller, hangUp.signal);
    const gone = new Error("gone");
    hangUp.abort(gone);
    await expect(left).rejects.toBe(gone);
    expect(completions.active).toBe(0);
  });
});
