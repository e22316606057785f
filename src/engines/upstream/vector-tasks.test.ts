import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { VectorTask } from "../../core/chat/request.js";
import type { Engine, GenerationEvent } from "../../core/serving/engine-port.js";
import { generationOf, never } from "../../../test/contract/engines/engine-contract.js";
import {
  answers,
  startScriptedUpstream,
  vllmAnswers,
  type Asked,
  type ScriptedUpstream,
} from "../../../test/support/engines/scripted-upstream.js";
import { connectUpstream } from "../../../test/support/engines/upstream-engine.js";
import { cosine, fakeVector } from "../../../test/support/engines/fake-vectors.js";
import { eventually } from "../../../test/support/eventually.js";
import type { ProfileName } from "./profiles.js";
import type { UpstreamEngine } from "./upstream-engine.js";

let upstream: ScriptedUpstream;
let engine: UpstreamEngine;
beforeEach(async () => {
  upstream = await startScriptedUpstream({
    ...vllmAnswers(),
    "/v1/embeddings": (response, asked) => {
      response.end(JSON.stringify(embeddingsOf(asked)));
    },
    "/v1/rerank": (response, { body }) => {
      const documents = body.documents as string[];
      const results = documents.map((text, index) => ({ index, relevance_score: text.length }));
      response.end(JSON.stringify({ results: results.reverse(), usage: { total_tokens: 9 } }));
    },
  });
  engine = await connect();
});
afterEach(async () => {
  await engine.close();
  await upstream.close();
});

const connect = (profile: ProfileName = "vllm") =>
  connectUpstream({ url: upstream.url, profile, acceptSharedCache: true, models: {} });

/** Numbers, out of order, with the vectors twice as long as they should be. */
function embeddingsOf({ body }: Asked, isBase64 = body.encoding_format === "never") {
  const inputs = body.input as string[];
  const data = inputs.map((input, index) => {
    const vector = fakeVector(input).map((value) => value * 2);
    const embedding = isBase64 ? Buffer.from(vector.buffer).toString("base64") : Array.from(vector);
    return { object: "embedding", index, embedding };
  });
  return { object: "list", data: data.reverse(), usage: { prompt_tokens: inputs.length * 5 } };
}

const embed = (inputs: VectorTask & { type: "embed" }): VectorTask => inputs;
const ofTexts = (...inputs: string[]) => embed({ type: "embed", inputs, dimensions: undefined });

async function run(on: Engine, task: VectorTask, signal = never()): Promise<GenerationEvent[]> {
  const generation = generationOf("", { model: "iota", messages: [], task, maxTokens: undefined });
  const prepared = await on.prepare(generation, signal);
  expect(prepared.maxTokens).toBe(0);
  const events: GenerationEvent[] = [];
  for await (const batch of on.generate(prepared, signal)) events.push(...batch);
  return events;
}

async function vectorsOf(task: VectorTask): Promise<readonly Float32Array[]> {
  const [first] = await run(engine, task);
  if (first?.type !== "vectors") throw new Error("no vectors");
  return first.vectors;
}

const asked = (path: string) => upstream.questions.filter((question) => question.path === path);

describe("an engine on the network that embeds", () => {
  it("gets the texts and the account's salt, and its vectors come in order, of length 1", async () => {
    const events = await run(engine, ofTexts("one two", "three"));
    expect(events.slice(1)).toEqual([
      { type: "finished", choice: 0, finishReason: "stop" },
      {
        type: "done",
        usage: { promptTokens: 10, completionTokens: 0, cachedTokens: 0, reasoningTokens: 0 },
      },
    ]);
    const [first] = events;
    if (first?.type !== "vectors") throw new Error("no vectors");
    for (const [index, text] of ["one two", "three"].entries())
      expect(cosine(first.vectors[index] ?? [], fakeVector(text))).toBeCloseTo(1, 5);
    expect(asked("/v1/embeddings")[0]?.body).toMatchObject({
      model: "big-model",
      input: ["one two", "three"],
      encoding_format: "base64",
      cache_salt: expect.any(String) as string,
    });
  });

  it("may answer in base64", async () => {
    upstream.answers["/v1/embeddings"] = (response, question) => {
      response.end(JSON.stringify(embeddingsOf(question, true)));
    };
    const [vector] = await vectorsOf(ofTexts("one two"));
    expect(cosine(vector ?? [], fakeVector("one two"))).toBeCloseTo(1, 5);
  });

  it("gets many inputs in batches", async () => {
    const inputs = Array.from({ length: 300 }, (_, index) => `text ${index}`);
    const vectors = await vectorsOf(ofTexts(...inputs));
    expect(vectors).toHaveLength(300);
    expect(cosine(vectors[299] ?? [], fakeVector("text 299"))).toBeCloseTo(1, 5);
    const sizes = asked("/v1/embeddings").map(({ body }) => (body.input as string[]).length);
    expect(sizes).toEqual([128, 128, 44]);
  });

  it("says what it does for iota, and chats under the other names", () => {
    expect(engine.status("iota").follows.tasks).toEqual(["embed", "rank"]);
    expect(engine.status("omega").follows.tasks).toEqual(["chat"]);
  });

  it("is not sent an input that is certainly too long", async () => {
    const task = ofTexts("short", "x".repeat(20_000));
    await expect(run(engine, task)).rejects.toMatchObject({
      code: "context_length_exceeded",
      param: "input[1]",
    });
    expect(asked("/v1/embeddings")).toEqual([]);
  });

  it.each([
    [400, "This model's maximum context length is 512 tokens.", "context_length_exceeded", "input"],
    [
      500,
      "input is too large to process. increase the physical batch size",
      "context_length_exceeded",
      "input",
    ],
    [400, "The model does not support Embeddings API", "unsupported_value", "model"],
    [
      501,
      "This server does not support embeddings. Start it with `--embeddings`",
      "unsupported_value",
      "model",
    ],
    [404, '{"detail":"Not Found"}', "unsupported_value", "model"],
    [404, 'model "x" not found, try pulling it first', "engine_unavailable", null],
    [503, "busy", "overloaded", null],
    [500, "broken", "engine_unavailable", null],
    [422, "something else", "internal_error", null],
  ])("refuses with %i %s", async (status, text, code, param) => {
    upstream.answers["/v1/embeddings"] = answers(status, text);
    await expect(run(engine, ofTexts("x"))).rejects.toMatchObject({ code, param });
  });

  it("is not asked again for a while for what it has no endpoint for", async () => {
    upstream.answers["/v1/rerank"] = 404;
    const task: VectorTask = { type: "rank", query: "q", documents: ["a"] };
    await expect(run(engine, task)).rejects.toMatchObject({ code: "unsupported_value" });
    expect(engine.status("iota").follows.tasks).toEqual(["embed"]);
  });

  it("refuses dimensions and tokens that the engine refuses or ignores", async () => {
    const shorter = embed({ type: "embed", inputs: ["x"], dimensions: 8 });
    await expect(run(engine, shorter)).rejects.toMatchObject({ param: "dimensions" });
    upstream.answers["/v1/embeddings"] = answers(400, "Model does not support matryoshka representation");
    await expect(run(engine, shorter)).rejects.toMatchObject({
      code: "unsupported_parameter",
      param: "dimensions",
    });
    const tokens = embed({ type: "embed", inputs: [[1, 2]], dimensions: undefined });
    await expect(run(engine, tokens)).rejects.toMatchObject({ code: "invalid_value", param: "input" });
    expect(engine.status("iota").follows.tasks).toContain("embed");
  });

  it.each([
    ["nothing", {}],
    ["too few", { data: [] }],
    ["one twice", { data: [0, 0].map((index) => ({ index, embedding: [1] })) }],
    ["an index too many", { data: [{ index: 1, embedding: [1] }] }],
    ["text for numbers", { data: [{ index: 0, embedding: ["1"] }] }],
    ["half a number", { data: [{ index: 0, embedding: "AAA=" }] }],
    ["no numbers", { data: [{ index: 0, embedding: [] }] }],
  ])("has failed when it answers with %s", async (_, answer) => {
    upstream.answers["/v1/embeddings"] = answer;
    await expect(run(engine, ofTexts("x"))).rejects.toMatchObject({ code: "engine_unavailable" });
  });

  it("ends with the signal's reason, and closes the connection", async () => {
    let isClosed = false;
    upstream.answers["/v1/embeddings"] = (response) => {
      response.on("close", () => {
        isClosed = true;
      });
    };
    const client = new AbortController();
    const running = run(engine, ofTexts("x"), client.signal);
    await eventually(() => engine.status("iota").active === 1);
    client.abort(new Error("hung up"));
    await expect(running).rejects.toThrow("hung up");
    await eventually(() => isClosed);
    expect(engine.status("iota").active).toBe(0);
  });

  it("ends what runs when it is closed", async () => {
    upstream.answers["/v1/embeddings"] = () => undefined;
    const running = run(engine, ofTexts("x"));
    await eventually(() => engine.status("iota").active === 1);
    const failed = expect(running).rejects.toMatchObject({ code: "engine_unavailable" });
    await engine.close();
    await failed;
  });
});

describe("an engine on the network that ranks", () => {
  it("gives scores in the order of the documents", async () => {
    const documents = ["four", "sixsix", "x"];
    const [scores, , done] = await run(engine, { type: "rank", query: "q", documents });
    expect(scores).toEqual({ type: "scores", choice: 0, scores: [4, 6, 1] });
    expect(done).toMatchObject({ usage: { promptTokens: 9 } });
    expect(asked("/v1/rerank")[0]?.body).toMatchObject({ query: "q", documents, top_n: 3 });
  });

  it.each(["sglang", "ollama"] as const)("is not %s", async (profile) => {
    const other = await connect(profile);
    expect(other.status("iota").follows.tasks).toEqual(["embed"]);
    await other.close();
  });
});
