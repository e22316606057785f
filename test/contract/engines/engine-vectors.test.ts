import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.js";
import { startTinyEmbedder, tinyDimensions } from "../../support/engines/tiny-embedder.js";
import { startTinyEngine, type TinyEngine } from "../../support/engines/tiny-engine.js";
import { never } from "./engine-contract.js";
import {
  answerTo,
  cosine,
  describeVectorContract,
  embedding,
  taskOf,
  vectorsOf,
} from "./engine-vectors-contract.js";

describeVectorContract("The embedded engine", async () => {
  const tiny = startTinyEmbedder();
  await tiny.engine.ready();
  return tiny;
});

describe("the embedded engine, on a model that embeds", () => {
  let tiny: TinyEngine;
  beforeAll(async () => {
    tiny = startTinyEmbedder();
    await tiny.engine.ready();
  });
  afterAll(() => tiny.dispose());

  it("reports what it loaded, and that it does nothing else", () => {
    expect(tiny.events).toMatchObject([
      { type: "loaded", contextTokens: 128, vectors: { dimensions: tinyDimensions, canShorten: false } },
    ]);
    const { follows, preempts } = tiny.engine.status("omega");
    expect(follows).toEqual({
      jsonSchema: false,
      logprobs: false,
      tools: false,
      reasoning: false,
      tasks: ["embed"],
    });
    expect(preempts).toBeUndefined();
  });

  it("reads tokens as it reads their text, with the model's frame or without", async () => {
    // [CLS], ▁a, b, [SEP]: characters begin with '!', in lowercase only.
    const word = await tiny.engine.prepare(taskOf(embedding(["ab"])), never());
    expect(word.promptTokens).toBe(4);
    const [text, ...same] = await vectorsOf(tiny.engine, ["ab", [2, 43, 112, 3], [43, 112]]);
    for (const vector of same) expect(cosine(vector, text ?? new Float32Array())).toBeCloseTo(1, 4);
  });

  it("reads the text of a special token as text", async () => {
    const [plain, marked] = await vectorsOf(tiny.engine, ["a", "a [SEP]"]);
    expect(cosine(plain ?? new Float32Array(), marked ?? new Float32Array())).toBeLessThan(0.999);
    const { promptTokens } = await tiny.engine.prepare(taskOf(embedding(["[SEP]"])), never());
    expect(promptTokens).toBeGreaterThan(3);
  });

  it("reads a short text the same alone and beside many, which another thread reads", async () => {
    const [alone] = await vectorsOf(tiny.engine, ["what is it"]);
    const many = Array.from({ length: 100 }, (_, index) => `text ${index} ${"more ".repeat(10)}`);
    const [beside] = await vectorsOf(tiny.engine, ["what is it", ...many]);
    expect(cosine(alone ?? new Float32Array(), beside ?? new Float32Array())).toBeCloseTo(1, 4);
  });

  it("computes the same around the size of a tile, to which it pads, as in larger batches", async () => {
    // Each with the frame of two tokens.
    const inputs = [45, 46, 50, 61, 62, 63].map((length) =>
      Array.from({ length }, (_, index) => 40 + ((index * length) % 60)),
    );
    const together = await vectorsOf(tiny.engine, inputs);
    for (const [index, input] of inputs.entries()) {
      const [alone] = await vectorsOf(tiny.engine, [input]);
      const likeness = together.map((vector) => cosine(vector, alone ?? new Float32Array()));
      expect(likeness[index]).toBeGreaterThan(0.9999);
      expect(likeness.indexOf(Math.max(...likeness))).toBe(index);
    }
  });

  it.each([50, 100, 130])(
    "embeds with a context of %i tokens, which its sequences do not divide",
    async (length) => {
      const odd = startTinyEmbedder({ contextTokens: length });
      await odd.engine.ready();
      const full = Array.from({ length: length - 2 }, (_, index) => 40 + (index % 60));
      const [first, second] = await vectorsOf(odd.engine, [full, full.slice(1)]);
      expect(cosine(first ?? new Float32Array(), first ?? new Float32Array())).toBeCloseTo(1, 4);
      expect(second).toHaveLength(tinyDimensions);
      await odd.dispose();
    },
  );

  it("refuses tokens that it does not have, naming the input", async () => {
    await expect(tiny.engine.prepare(taskOf(embedding(["a", [1_000_000]])), never())).rejects.toMatchObject({
      code: "invalid_value",
      param: "input[1]",
    });
  });

  it("refuses other dimensions than its own, unless it was trained for shorter ones", async () => {
    const prepare = (engine: TinyEngine["engine"], dimensions: number) =>
      engine.prepare(taskOf(embedding(["a"], dimensions)), never());
    const refusal = { code: "invalid_value", param: "dimensions" };
    await expect(prepare(tiny.engine, 16)).rejects.toMatchObject(refusal);
    await expect(prepare(tiny.engine, tinyDimensions)).resolves.toBeDefined();
    const nested = startTinyEmbedder({ name: "nomic-embed-text-v1.5" });
    await expect(prepare(nested.engine, tinyDimensions + 1)).rejects.toMatchObject(refusal);
    const { result } = await answerTo(nested.engine, taskOf(embedding(["a"], 16)));
    if (result.type !== "vectors") throw new Error("these are no vectors");
    const [short = new Float32Array()] = result.vectors;
    expect(short).toHaveLength(16);
    expect(cosine(short, short)).toBeCloseTo(1, 4);
    await nested.dispose();
  });

  it("refuses to rank without a head for it", async () => {
    const task = { type: "rank", query: "a", documents: ["b"] } as const;
    await expect(tiny.engine.prepare(taskOf(task), never())).rejects.toMatchObject({
      code: "unsupported_value",
    });
    const wrong = startTinyEmbedder({}, { task: "rank" });
    await expect(wrong.engine.ready()).rejects.toThrow(/cannot rank/);
    await wrong.dispose();
  });

  it("is answered after a restart when its process is killed", async () => {
    const texts = Array.from({ length: 300 }, (_, index) => `text ${index} ${"more ".repeat(10)}`);
    const answer = vectorsOf(tiny.engine, texts);
    await eventually(() => tiny.engine.status("omega").active === 1);
    process.kill(tiny.engine.pid ?? 0, "SIGKILL");
    expect(await answer).toHaveLength(300);
    expect(tiny.engine.status("omega").restarts).toBe(1);
  });

  it("lets another account's single input pass one of many", async () => {
    const many = Array.from({ length: 600 }, (_, index) => `text ${index} ${"more ".repeat(20)}`);
    const ended: string[] = [];
    const long = vectorsOf(tiny.engine, many, { accountId: "acc_many" }).then(() => ended.push("many"));
    await eventually(() => tiny.engine.status("omega").active === 1);
    const short = vectorsOf(tiny.engine, ["one"], { accountId: "acc_one" }).then(() => ended.push("one"));
    await Promise.all([long, short]);
    expect(ended).toEqual(["one", "many"]);
  });
});

describe("the embedded engine, on a model that ranks", () => {
  it("gives a score for each document, in their order, and the same beside others as alone", async () => {
    const tiny = startTinyEmbedder({ ranks: true });
    const rank = async (documents: string[]) => {
      const task = { type: "rank", query: "what is it", documents } as const;
      const { result } = await answerTo(tiny.engine, taskOf(task));
      if (result.type !== "scores") throw new Error("these are no scores");
      return result.scores;
    };
    const documents = ["a thing", "another thing", "that", "it is this"];
    const scores = await rank(documents);
    expect(scores).toHaveLength(documents.length);
    for (const score of scores) expect(score).toBeGreaterThan(0);
    for (const score of scores) expect(score).toBeLessThan(1);
    expect(new Set(scores).size).toBe(documents.length);
    for (const [index, document] of documents.entries())
      expect((await rank([document]))[0]).toBeCloseTo(scores[index] ?? 0, 4);
    expect(tiny.engine.status("omega").follows.tasks).toEqual(["rank"]);
    const tooLong = { type: "rank", query: "a", documents: ["b", "c".repeat(200)] } as const;
    await expect(tiny.engine.prepare(taskOf(tooLong), never())).rejects.toMatchObject({
      code: "context_length_exceeded",
      param: "documents[1]",
    });
    await tiny.dispose();
  });
});

describe("the embedded engine, on a model that chats", () => {
  it("refuses to embed", async () => {
    const tiny = startTinyEngine();
    await expect(tiny.engine.prepare(taskOf(embedding(["a"])), never())).rejects.toMatchObject({
      code: "unsupported_value",
    });
    await tiny.dispose();
  });
});
