/**
 * The promises of the `Engine` interface about tasks, to be run on every implementation that embeds. Nothing here knows
 * what computes the vectors, only that different texts have different ones.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TaskEvent, Usage } from "../../../src/core/chat/reply.js";
import type { VectorTask } from "../../../src/core/chat/request.js";
import type { Engine, Generation } from "../../../src/core/serving/engine-port.js";
import { eachOf } from "../../support/engines/each-of.js";
import { type EngineUnderTest, generationOf, never } from "./engine-contract.js";

export const taskOf = (task: VectorTask, changes: Partial<Generation> = {}): Generation =>
  generationOf("", { messages: [], maxTokens: undefined, task, ...changes });

export const embedding = (inputs: readonly (string | number[])[], dimensions?: number): VectorTask => ({
  type: "embed",
  inputs,
  dimensions,
});

export interface TaskAnswer {
  result: TaskEvent;
  usage: Usage;
}

/** Fails unless the events are the result, its end and the usage. */
export async function answerTo(
  engine: Engine,
  generation: Generation,
  signal = never(),
): Promise<TaskAnswer> {
  const prepared = await engine.prepare(generation, signal);
  const events = [];
  for await (const event of eachOf(engine.generate(prepared, signal))) events.push(event);
  const [result, finished, done, ...others] = events;
  expect(others).toEqual([]);
  expect(finished).toEqual({ type: "finished", choice: 0, finishReason: "stop" });
  if (result?.type !== "vectors" && result?.type !== "scores") throw new Error("there is no result");
  if (done?.type !== "done") throw new Error("there is no usage");
  expect(done.usage).toEqual({
    promptTokens: prepared.promptTokens,
    completionTokens: 0,
    cachedTokens: 0,
    reasoningTokens: 0,
  });
  return { result, usage: done.usage };
}

export async function vectorsOf(
  engine: Engine,
  inputs: readonly (string | number[])[],
  changes: Partial<Generation> = {},
): Promise<readonly Float32Array[]> {
  const { result } = await answerTo(engine, taskOf(embedding(inputs), changes));
  if (result.type !== "vectors") throw new Error("these are no vectors");
  return result.vectors;
}

export const cosine = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);

export function describeVectorContract(name: string, makeEngine: () => Promise<EngineUnderTest>): void {
  describe(`${name} keeps the promises about vectors`, () => {
    let underTest: EngineUnderTest;
    let engine: Engine;
    beforeAll(async () => {
      underTest = await makeEngine();
      engine = underTest.engine;
    });
    afterAll(() => underTest.dispose());

    it("says that it embeds", () => {
      expect(engine.status("omega").follows.tasks).toContain("embed");
    });

    it("gives a vector of length 1 for each input, in their order, and counts their tokens", async () => {
      const texts = Array.from({ length: 20 }, (_, index) => `text ${index} ${"more ".repeat(index % 7)}`);
      const { result, usage } = await answerTo(engine, taskOf(embedding(texts)));
      if (result.type !== "vectors") throw new Error("these are no vectors");
      expect(result.vectors).toHaveLength(texts.length);
      for (const vector of result.vectors) expect(cosine(vector, vector)).toBeCloseTo(1, 4);
      expect(usage.promptTokens).toBeGreaterThan(texts.length);
      for (const index of [0, 7, 19]) {
        const [alone] = await vectorsOf(engine, [texts[index] ?? ""]);
        const likeness = result.vectors.map((vector) => cosine(vector, alone ?? new Float32Array()));
        expect(likeness[index]).toBeCloseTo(1, 3);
        expect(likeness.indexOf(Math.max(...likeness))).toBe(index);
      }
    });

    it("computes many requests of several accounts at once, each its own", async () => {
      const requests = Array.from({ length: 12 }, (_, index) => [`first ${index}`, `second ${index}`]);
      const together = await Promise.all(
        requests.map((texts, index) => vectorsOf(engine, texts, { accountId: `acc_${index % 3}` })),
      );
      for (const index of [0, 5, 11]) {
        const alone = await vectorsOf(engine, requests[index] ?? []);
        for (const [place, vector] of alone.entries())
          expect(cosine(vector, together[index]?.[place] ?? new Float32Array())).toBeCloseTo(1, 3);
      }
    });

    it("throws the abort signal's reason, before and while it computes", async () => {
      const texts = Array.from({ length: 200 }, (_, index) => `text number ${index}`);
      const aborted = AbortSignal.abort(new Error("hung up"));
      await expect(engine.prepare(taskOf(embedding(texts)), aborted)).rejects.toThrow("hung up");
      const controller = new AbortController();
      const prepared = await engine.prepare(taskOf(embedding(texts)), never());
      const first = engine.generate(prepared, controller.signal)[Symbol.asyncIterator]().next();
      controller.abort(new Error("hung up"));
      await expect(first).rejects.toThrow("hung up");
      // What was aborted is not computed any more.
      await vectorsOf(engine, ["next"]);
      expect(engine.status("omega").active).toBe(0);
    });

    it("names an input that is too long", async () => {
      const { contextTokens } = engine.status("omega");
      const task = embedding(["short", "long ".repeat(contextTokens + 1)]);
      await expect(engine.prepare(taskOf(task), never())).rejects.toMatchObject({
        code: "context_length_exceeded",
        param: "input[1]",
      });
    });

    it("refuses a conversation", async () => {
      await expect(engine.prepare(generationOf("Hello"), never())).rejects.toMatchObject({
        code: "unsupported_value",
        param: "model",
      });
    });
  });
}
