/** Embeddings and rankings by a real llama-server: what the embedded engine computes from the same weights. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { VectorTask } from "../../src/core/chat/request.js";
import type { Engine } from "../../src/core/serving/engine-port.js";
import type { UpstreamEngine } from "../../src/engines/upstream/upstream-engine.js";
import { never } from "../contract/engines/engine-contract.js";
import { cosine, embedding, taskOf } from "../contract/engines/engine-vectors-contract.js";
import { eachOf } from "../support/engines/each-of.js";
import { startTinyEmbedder, type TinyEmbedder, writeTinyEmbedder } from "../support/engines/tiny-embedder.js";
import type { TinyEngine } from "../support/engines/tiny-engine.js";
import { connectUpstream } from "../support/engines/upstream-engine.js";
import { startLlamaServer, type LlamaServer } from "./llama-server.js";

const contextTokens = 512;

/** The same weights in a server and in the embedded engine, for the tests of one block. */
function useBoth(
  model: TinyEmbedder,
  flag: string,
): { upstream: () => UpstreamEngine; embedded: () => Engine } {
  let server: LlamaServer;
  let upstream: UpstreamEngine;
  let tiny: TinyEngine;
  beforeAll(async () => {
    server = await startLlamaServer({
      writeModel: (path) => writeTinyEmbedder(path, { contextTokens, ...model }),
      arguments: [flag],
    });
    upstream = await connectUpstream({ url: server.url, profile: "llama-server" });
    tiny = startTinyEmbedder({ contextTokens, ...model });
    await tiny.engine.ready();
  });
  afterAll(async () => {
    await Promise.all([tiny.dispose(), upstream.close()]);
    await server.close();
  });
  return { upstream: () => upstream, embedded: () => tiny.engine };
}

async function run(engine: Engine, task: VectorTask) {
  const prepared = await engine.prepare(taskOf(task), never());
  const events = [];
  for await (const event of eachOf(engine.generate(prepared, never()))) events.push(event);
  const vectors = events.flatMap((event) => (event.type === "vectors" ? event.vectors : []));
  const scores = events.flatMap((event) => (event.type === "scores" ? event.scores : []));
  const usage = events.flatMap((event) => (event.type === "done" ? [event.usage.promptTokens] : []));
  return { vectors, scores, promptTokens: usage[0] };
}

describe("a llama-server that embeds", () => {
  const { upstream, embedded } = useBoth({}, "--embedding");

  it("gives the vectors of the embedded engine, for texts and tokens, and counts the same", async () => {
    const texts = Array.from({ length: 150 }, (_, index) => `text ${index} ${"more ".repeat(index % 5)}`);
    const task = embedding([...texts, [2, 43, 112, 3]]);
    const [there, here] = [await run(upstream(), task), await run(embedded(), task)];
    expect(there.vectors).toHaveLength(texts.length + 1);
    expect(there.promptTokens).toBe(here.promptTokens);
    for (const [index, vector] of there.vectors.entries())
      expect(cosine(vector, here.vectors[index] ?? new Float32Array()), `input ${index}`).toBeCloseTo(1, 3);
  });

  it("refuses an input that is longer than its context as such", async () => {
    const task = embedding(["short", "a ".repeat(contextTokens + 10)]);
    await expect(run(upstream(), task)).rejects.toMatchObject({ code: "context_length_exceeded" });
  });

  it("is found not to rank", async () => {
    const task: VectorTask = { type: "rank", query: "a", documents: ["b"] };
    await expect(run(upstream(), task)).rejects.toMatchObject({ code: "unsupported_value" });
  });
});

describe("a llama-server that ranks", () => {
  const { upstream, embedded } = useBoth({ ranks: true }, "--reranking");

  it("puts documents into the order of the embedded engine", async () => {
    const documents = ["a thing", "another thing", "that", "it is this", "words", "and more words"];
    const task: VectorTask = { type: "rank", query: "what is it", documents };
    const orderOf = async (engine: Engine) => {
      const { scores } = await run(engine, task);
      return documents.toSorted(
        (a, b) => (scores[documents.indexOf(b)] ?? 0) - (scores[documents.indexOf(a)] ?? 0),
      );
    };
    expect(await orderOf(upstream())).toEqual(await orderOf(embedded()));
  });
});
