/**
 * The promises of the `Engine` interface, to be run on every implementation. Nothing here knows what computes
 * the replies, only that at temperature 0 they are longer than a few dozen tokens and always the same.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FinishReason, ReplyLogprob, Usage } from "../../../src/core/chat/reply.js";
import type { Sampling } from "../../../src/core/chat/request.js";
import type {
  Engine,
  Generation,
  GenerationEvent,
  PreparedGeneration,
} from "../../../src/core/serving/engine-port.js";
import { usualSampling } from "../../support/clients/chat-request.js";
import { eachOf } from "../../support/engines/each-of.js";

export interface EngineUnderTest {
  /** Answers for `omega`. */
  engine: Engine;
  dispose(): Promise<void>;
}

export interface Reply {
  fragments: string[];
  text: string;
  finishReason: FinishReason | undefined;
  stopSequence?: string | undefined;
  logprobs: ReplyLogprob[];
  usage: Usage;
}

/** A signal that never aborts. */
export const never = (): AbortSignal => new AbortController().signal;

export const greedy: Sampling = { ...usualSampling, temperature: 0 };

export function generationOf(content: string, changes: Partial<Generation> = {}): Generation {
  return {
    model: "omega",
    accountId: "acc_test",
    messages: [{ role: "user", content }],
    sampling: greedy,
    stop: [],
    maxTokens: 24,
    choices: 1,
    topLogprobs: undefined,
    format: { type: "text" },
    tooling: undefined,
    reasoningEffort: undefined,
    ...changes,
  };
}

/** Runs a generation to its end. */
export async function replyTo(engine: Engine, generation: Generation, signal = never()): Promise<Reply> {
  return collect(engine.generate(await engine.prepare(generation, signal), signal));
}

/** A reply of one choice. */
export async function collect(arrivals: AsyncIterable<readonly GenerationEvent[]>): Promise<Reply> {
  const [reply] = await collectChoices(arrivals, 1);
  if (reply === undefined) throw new Error("there is no choice");
  return reply;
}

/** All choices. Fails when anything follows a choice's end or `done`, or when one of these is missing. */
async function collectChoices(
  arrivals: AsyncIterable<readonly GenerationEvent[]>,
  count: number,
): Promise<Reply[]> {
  const choices = Array.from({ length: count }, (): Omit<Reply, "text" | "usage"> => ({
    fragments: [],
    finishReason: undefined,
    logprobs: [],
  }));
  let usage: Usage | undefined;
  for await (const event of eachOf(arrivals)) {
    expect(usage).toBeUndefined();
    if (event.type === "done") {
      usage = event.usage;
      continue;
    }
    const choice = choices[event.choice];
    if (choice === undefined) throw new Error("there is no such choice");
    expect(choice.finishReason).toBeUndefined();
    if (event.type === "finished") {
      choice.finishReason = event.finishReason;
      choice.stopSequence = event.stopSequence;
    }
    if (event.type === "text") {
      choice.fragments.push(event.text);
      choice.logprobs.push(...(event.logprobs ?? []));
    }
  }
  const ended = usage;
  if (ended === undefined) throw new Error("the iteration ended without 'done'");
  return choices.map((choice) => ({ ...choice, text: choice.fragments.join(""), usage: ended }));
}

/** Starts a generation and takes its first event, so that it is known to run. */
export async function startReply(engine: Engine, generation: Generation, signal = never()) {
  const events = eachOf(engine.generate(await engine.prepare(generation, signal), signal));
  const first = await events.next();
  return { first, events };
}

export function describeEngineContract(name: string, makeEngine: () => Promise<EngineUnderTest>): void {
  describe(`${name} keeps the promises of an engine`, () => {
    let underTest: EngineUnderTest;
    let engine: Engine;
    beforeAll(async () => {
      underTest = await makeEngine();
      engine = underTest.engine;
    });
    afterAll(() => underTest.dispose());

    /** A short reply ends long before a longest one would: what was aborted is not computed any more. */
    const expectFreed = async () => {
      await replyTo(engine, generationOf("Next."));
      expect(engine.status("omega").active).toBe(0);
    };
    const longest = { maxTokens: 100_000 };

    it("is ready and idle", () => {
      expect(engine.status("omega")).toMatchObject({ state: "ready", active: 0 });
      expect(engine.status("omega").capacity).toBeGreaterThanOrEqual(2);
    });

    it("yields fragments of text, then the finish reason and usage", async () => {
      const generation = generationOf("Say something.");
      const { fragments, finishReason, usage } = await replyTo(engine, generation);
      const { promptTokens } = await engine.prepare(generation, never());
      // How many is a matter of pace: what came together is one.
      expect(fragments.length).toBeGreaterThan(0);
      for (const fragment of fragments) {
        expect(fragment).not.toBe("");
        expect(fragment).not.toMatch(/\p{Surrogate}/u);
      }
      expect(finishReason).toBe("length");
      expect(usage).toEqual({
        promptTokens,
        completionTokens: 24,
        cachedTokens: expect.any(Number) as number,
        reasoningTokens: 0,
      });
    });

    it("generates no more tokens than asked for", async () => {
      for (const maxTokens of [1, 2, 7]) {
        const { finishReason, usage } = await replyTo(engine, generationOf("Count.", { maxTokens }));
        expect(usage.completionTokens).toBe(maxTokens);
        expect(finishReason).toBe("length");
      }
    });

    it("says the same at temperature 0, and longer replies continue shorter ones", async () => {
      const [short, long] = await Promise.all([
        replyTo(engine, generationOf("Repeat yourself.", { maxTokens: 8 })),
        replyTo(engine, generationOf("Repeat yourself.", { maxTokens: 24 })),
      ]);
      expect(long.text.startsWith(short.text)).toBe(true);
      expect((await replyTo(engine, generationOf("Repeat yourself."))).text).toBe(long.text);
    });

    it("repeats itself with the same seed and not with another", async () => {
      const withSeed = async (seed: number) => {
        const sampling = { ...greedy, temperature: 1, topPGiven: true, seed };
        return (await replyTo(engine, generationOf("Be creative.", { sampling }))).text;
      };
      const [first, again, other] = [await withSeed(1), await withSeed(1), await withSeed(2)];
      expect(again).toBe(first);
      expect(other).not.toBe(first);
    });

    it("ends just before a stop sequence, wherever it lies in the fragments", async () => {
      const { text } = await replyTo(engine, generationOf("Tell me more."));
      for (const [from, to] of [
        [0, 3],
        [5, 6],
        [9, 21],
        [text.length - 4, text.length],
      ]) {
        const stop = text.slice(from, to);
        const { text: cut, finishReason } = await replyTo(
          engine,
          generationOf("Tell me more.", { stop: ["\0", stop] }),
        );
        expect(cut).toBe(text.slice(0, text.indexOf(stop)));
        expect(finishReason).toBe("stop");
      }
    });

    it("is not misled by the beginning of a stop sequence", async () => {
      const { text } = await replyTo(engine, generationOf("Tell me more."));
      const almost = text.slice(4, 12) + "\0";
      expect((await replyTo(engine, generationOf("Tell me more.", { stop: [almost] }))).text).toBe(text);
    });

    it("refuses a prompt that leaves no room for a token", async () => {
      const { contextTokens } = engine.status("omega");
      const words = generationOf("word ".repeat(contextTokens));
      await expect(engine.prepare(words, never())).rejects.toMatchObject({
        code: "context_length_exceeded",
        param: "messages",
        message: expect.stringMatching(
          `^This model's maximum context length is ${contextTokens} tokens`,
        ) as string,
      });
    });

    it("caps a reply to what the context leaves", async () => {
      const { promptTokens, maxTokens } = await engine.prepare(generationOf("Go on.", longest), never());
      expect(promptTokens + maxTokens).toBe(engine.status("omega").contextTokens);
    });

    it("caps a reply at its default length if the request sets none", async () => {
      const { contextTokens, defaultMaxTokens } = engine.status("omega");
      const { promptTokens, maxTokens } = await engine.prepare(
        generationOf("Go on.", { maxTokens: undefined }),
        never(),
      );
      expect(maxTokens).toBe(Math.min(defaultMaxTokens, contextTokens - promptTokens));
    });

    it("runs more generations than fit at once, all of them to their end", async () => {
      const count = engine.status("omega").capacity * 2 + 1;
      const alone = await replyTo(engine, generationOf("Number 0"));
      const all = await Promise.all(
        Array.from({ length: count }, (_, index) => replyTo(engine, generationOf(`Number ${index}`))),
      );
      expect(all[0]?.text).toBe(alone.text);
      for (const { usage } of all) expect(usage.completionTokens).toBe(24);
    });

    describe("with several choices", () => {
      const sampling = { ...greedy, temperature: 1, topPGiven: true, seed: 5 };
      const choicesOf = async (generation: Generation) =>
        collectChoices(
          engine.generate(await engine.prepare(generation, never()), never()),
          generation.choices,
        );

      it("samples each independently, and counts the prompt once", async () => {
        const generation = generationOf("Be creative.", { sampling, choices: 2 });
        const { promptTokens } = await engine.prepare(generation, never());
        const replies = await choicesOf(generation);
        expect(replies.map(({ finishReason }) => finishReason)).toEqual(["length", "length"]);
        expect(replies[0]?.text).not.toBe(replies[1]?.text);
        expect(replies[0]?.usage).toMatchObject({ promptTokens, completionTokens: 48 });
      });

      it("gives the first the same reply as alone", async () => {
        const alone = await replyTo(engine, generationOf("Be creative.", { sampling }));
        const [first] = await choicesOf(generationOf("Be creative.", { sampling, choices: 2 }));
        expect(first?.text).toBe(alone.text);
      });

      it("gives all of them the likeliest reply at temperature 0", async () => {
        const alone = await replyTo(engine, generationOf("Say something."));
        const replies = await choicesOf(generationOf("Say something.", { choices: 2 }));
        expect(replies.map(({ text }) => text)).toEqual([alone.text, alone.text]);
      });

      it("frees all that they held when the signal aborts", async () => {
        const controller = new AbortController();
        const generation = generationOf("Talk.", { ...longest, choices: 2 });
        await startReply(engine, generation, controller.signal);
        controller.abort(new Error("hung up"));
        await expectFreed();
      });
    });

    describe("with log probabilities", () => {
      it("reports every token, whose bytes are the reply", async () => {
        const { text, logprobs, usage } = await replyTo(
          engine,
          generationOf("Say something.", { topLogprobs: 3 }),
        );
        expect(logprobs).toHaveLength(usage.completionTokens);
        expect(Buffer.from(logprobs.flatMap(({ bytes }) => [...bytes])).toString("utf8")).toBe(text);
        for (const { logprob, top } of logprobs) {
          expect(top).toHaveLength(3);
          const values = top.map((one) => one.logprob);
          expect(values).toEqual(values.toSorted((a, b) => b - a));
          for (const value of [logprob, ...values]) expect(Number.isFinite(value) && value <= 0).toBe(true);
          expect(values.reduce((sum, value) => sum + Math.exp(value), 0)).toBeLessThan(1.001);
        }
      });

      it("reports the likeliest tokens in a reply at temperature 0", async () => {
        const sampling = { ...greedy, frequencyPenalty: 1e-9 };
        const { logprobs } = await replyTo(engine, generationOf("Go on.", { sampling, topLogprobs: 1 }));
        for (const { token, top } of logprobs) expect(top[0]?.token).toBe(token);
      });

      it("changes nothing of the reply", async () => {
        const { text } = await replyTo(engine, generationOf("Say something."));
        const reply = await replyTo(engine, generationOf("Say something.", { topLogprobs: 0 }));
        expect(reply.text).toBe(text);
        for (const { top } of reply.logprobs) expect(top).toEqual([]);
      });
    });

    it("refuses a bias for a token that does not exist", async () => {
      const sampling = { ...greedy, logitBias: [[999_999_999, 1] as const] };
      await expect(replyTo(engine, generationOf("Hello", { sampling }))).rejects.toMatchObject({
        code: "invalid_value",
        param: "logit_bias",
      });
    });

    describe("with a format", () => {
      const schema = {
        type: "object",
        properties: {
          colour: { enum: ["red", "green"] },
          count: { type: "integer", minimum: 1, maximum: 12 },
        },
        required: ["colour", "count"],
        additionalProperties: false,
      };

      it("replies with what the schema allows, and ends there", async () => {
        const format = { type: "json_schema", name: "answer", schema } as const;
        const { text, finishReason } = await replyTo(
          engine,
          generationOf("Answer.", { format, maxTokens: 200 }),
        );
        expect(finishReason).toBe("stop");
        const answer = JSON.parse(text) as { colour: string; count: number };
        expect(Object.keys(answer)).toEqual(["colour", "count"]);
        expect(["red", "green"]).toContain(answer.colour);
        expect(answer.count >= 1 && answer.count <= 12 && Number.isInteger(answer.count)).toBe(true);
      });

      it("begins an object when it is to be one", async () => {
        const format = { type: "json_object" } as const;
        const { text } = await replyTo(engine, generationOf("Answer.", { format, maxTokens: 20 }));
        expect(text).toMatch(/^\{/);
      });

      it("refuses a schema that nothing satisfies", async () => {
        const format = { type: "json_schema", name: "none", schema: { enum: [] } } as const;
        await expect(replyTo(engine, generationOf("Answer.", { format }))).rejects.toMatchObject({
          code: "invalid_value",
          param: expect.stringMatching(/^response_format\.json_schema\.schema/) as unknown,
        });
      });
    });

    it("never reports more cached tokens than the prompt has, and none to another account", async () => {
      const prompt = "Once upon a time there was a long, long prompt.";
      const ask = async (accountId: string) =>
        (await replyTo(engine, generationOf(prompt, { accountId }))).usage;
      await ask("acc_first");
      const again = await ask("acc_first");
      expect(again.cachedTokens).toBeLessThan(again.promptTokens);
      expect((await ask("acc_stranger")).cachedTokens).toBe(0);
    });

    it("throws the reason of a signal that aborted before", async () => {
      const aborted = AbortSignal.abort(new Error("gone before"));
      await expect(engine.prepare(generationOf("Hello"), aborted)).rejects.toThrow("gone before");
      const prepared = await engine.prepare(generationOf("Hello"), never());
      await expect(firstOf(engine, prepared, aborted)).rejects.toThrow("gone before");
      await expectFreed();
    });

    it("throws the abort signal's reason, and frees its slot", async () => {
      const controller = new AbortController();
      const { events } = await startReply(engine, generationOf("Talk.", longest), controller.signal);
      expect(engine.status("omega").active).toBe(1);
      controller.abort(new Error("hung up"));
      await expect(drain(events)).rejects.toThrow("hung up");
      await expectFreed();
    });

    it("frees its slot even if the stream is not read after the abort", async () => {
      const controller = new AbortController();
      await startReply(engine, generationOf("Talk.", longest), controller.signal);
      controller.abort(new Error("hung up"));
      await expectFreed();
    });

    it("frees its slot when the consumer stops early", async () => {
      const prepared = await engine.prepare(generationOf("Talk.", longest), never());
      for await (const event of eachOf(engine.generate(prepared, never()))) {
        if (event.type === "text") break;
      }
      await expectFreed();
    });

    it("lets a generation leave that waits for its turn", async () => {
      const { capacity } = engine.status("omega");
      const running = new AbortController();
      for (let index = 0; index < capacity; index++) {
        const signal = AbortSignal.any([running.signal]);
        await startReply(engine, generationOf(`Talk ${index}.`, longest), signal);
      }
      const waiting = new AbortController();
      const prepared = await engine.prepare(generationOf("Me too."), never());
      const refused = expect(firstOf(engine, prepared, waiting.signal)).rejects.toThrow("had enough");
      waiting.abort(new Error("had enough"));
      await refused;
      running.abort();
      await expectFreed();
    });

    it("ends running generations with engine_unavailable when it is closed", async () => {
      const closing = await makeEngine();
      const { events } = await startReply(closing.engine, generationOf("Talk.", longest));
      const prepared = await closing.engine.prepare(generationOf("Later."), never());
      await Promise.all([
        expect(drain(events)).rejects.toMatchObject({ code: "engine_unavailable" }),
        closing.engine.close(),
      ]);
      const unavailable = { code: "engine_unavailable" };
      await expect(firstOf(closing.engine, prepared, never())).rejects.toMatchObject(unavailable);
      await expect(closing.engine.prepare(generationOf("Hello"), never())).rejects.toMatchObject(unavailable);
      await closing.dispose();
    });
  });
}

async function firstOf(engine: Engine, prepared: PreparedGeneration, signal: AbortSignal) {
  return engine.generate(prepared, signal)[Symbol.asyncIterator]().next();
}

export async function drain(events: AsyncIterator<unknown>): Promise<void> {
  while ((await events.next()).done !== true);
}
