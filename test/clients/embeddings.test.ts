/**
 * Libraries that embed, against the built program with the embedding model that comes with it: each finds, among twenty
 * sentences, the one that answers a question.
 */
import { createOpenAI } from "@ai-sdk/openai";
import { Document as LangChainDocument } from "@langchain/core/documents";
import { OpenAIEmbeddings } from "@langchain/openai";
import { OpenAIEmbedding } from "@llamaindex/openai";
import { cosineSimilarity, embed, embedMany } from "ai";
import { Document as LlamaDocument, Settings, VectorStoreIndex } from "llamaindex";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ollama } from "ollama";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeTinyGguf } from "../support/engines/tiny-gguf.js";
import { startSotto, type SottoProcess } from "../support/processes/sotto-process.js";

const sentences = [
  "Bread rises because yeast turns sugar into gas.",
  "The library closes at eight on weekdays.",
  "A violin has four strings, tuned in fifths.",
  "Glaciers carve valleys as they move downhill.",
  "To reset the router, hold the button for ten seconds.",
  "The museum's oldest painting shows a ship in a storm.",
  "Bees tell each other where flowers are by dancing.",
  "Water boils at a lower temperature high in the mountains.",
  "The train to the coast leaves from platform nine.",
  "Invoices are paid within thirty days of delivery.",
  "Tomatoes need at least six hours of sun a day.",
  "The moon's gravity causes the tides.",
  "She won the race by less than a second.",
  "Employees get twenty-five days of holiday each year.",
  "The recipe calls for two eggs and a cup of flour.",
  "A password should be long rather than complicated.",
  "Owls can turn their heads almost all the way around.",
  "The bridge was closed after cracks were found in its cables.",
  "Coffee tastes bitter when the water is too hot.",
  "The court rejected the appeal for lack of evidence.",
];

/** Each question has few words in common with its answer. */
const questions: [question: string, answer: number][] = [
  ["How much vacation do I have?", 13],
  ["My internet connection is down, what can I do?", 4],
  ["Why does the sea rise and fall?", 11],
  ["When do I have to settle a bill?", 9],
  ["How do insects communicate?", 6],
];

let folder: string;
let sotto: SottoProcess;
let there: { baseURL: string; apiKey: string };
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sotto-weights-"));
  const weights = join(folder, "tiny.gguf");
  writeTinyGguf(weights);
  sotto = await startSotto({
    env: {
      SOTTO_MODELS_OMEGA_WEIGHTS: weights,
      SOTTO_MODELS_PRISM_WEIGHTS: weights,
      SOTTO_MODELS_LAMBDA_WEIGHTS: weights,
    },
  });
  there = { baseURL: sotto.baseURL, apiKey: await sotto.newKey() };
});
afterAll(async () => {
  await sotto.stop();
  rmSync(folder, { recursive: true, force: true });
});

const bestOf = (vectors: readonly (readonly number[])[], query: readonly number[]): number => {
  const likeness = vectors.map((vector) => cosineSimilarity([...vector], [...query]));
  return likeness.indexOf(Math.max(...likeness));
};

it("starts without it, and answers the first request", async () => {
  expect(sotto.output()).toMatch(/iota +all-minilm.*, loaded on demand/);
  const ready = await (await fetch(`${sotto.url}/readyz`)).json();
  expect(ready).toMatchObject({ status: "ready", models: { iota: "asleep" } });
});

describe("a question finds its answer", () => {
  it.each(["float", "base64", undefined] as const)("with the openai package, as %s", async (format) => {
    const client = new OpenAI(there);
    const create = (input: string | string[]) =>
      client.embeddings.create({
        model: "text-embedding-3-small",
        input,
        ...(format === undefined ? {} : { encoding_format: format }),
      });
    const read = (embedding: number[] | string): number[] => {
      if (typeof embedding !== "string") return embedding;
      const bytes = Buffer.from(embedding, "base64");
      return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
    };
    const { data, usage, model } = await create(sentences);
    const vectors = data.map(({ embedding }) => read(embedding as number[] | string));
    expect(model).toBe("iota");
    expect(vectors.map(({ length }) => length)).toEqual(sentences.map(() => 384));
    expect(usage.prompt_tokens).toBeGreaterThan(sentences.length * 5);
    expect(usage.total_tokens).toBe(usage.prompt_tokens);
    for (const [question, answer] of questions) {
      const [asked] = (await create(question)).data;
      expect(bestOf(vectors, read(asked?.embedding as number[] | string))).toBe(answer);
    }
  });

  it("with the AI SDK", async () => {
    const model = createOpenAI(there).textEmbeddingModel("iota");
    const { embeddings, usage } = await embedMany({ model, values: sentences });
    expect(usage.tokens).toBeGreaterThan(0);
    for (const [question, answer] of questions) {
      const { embedding } = await embed({ model, value: question });
      expect(bestOf(embeddings, embedding)).toBe(answer);
    }
  });

  it("with LangChain", async () => {
    const embeddings = langChain();
    const documents = sentences.map((pageContent) => new LangChainDocument({ pageContent }));
    const vectors = await embeddings.embedDocuments(documents.map(({ pageContent }) => pageContent));
    for (const [question, answer] of questions)
      expect(bestOf(vectors, await embeddings.embedQuery(question))).toBe(answer);
  });

  it("with the ollama package", async () => {
    const client = new Ollama({ host: sotto.url, headers: { Authorization: `Bearer ${there.apiKey}` } });
    const embed = (input: string | string[]) => client.embed({ model: "iota", input });
    const { embeddings, prompt_eval_count } = await embed(sentences);
    expect(prompt_eval_count).toBeGreaterThan(sentences.length * 5);
    for (const [question, answer] of questions) {
      const [asked] = (await embed(question)).embeddings;
      expect(bestOf(embeddings, asked ?? [])).toBe(answer);
    }
  });

  it("with LlamaIndex", async () => {
    Settings.embedModel = new OpenAIEmbedding({ ...there, model: "iota" });
    const documents = sentences.map((text, index) => new LlamaDocument({ text, id_: String(index) }));
    const index = await VectorStoreIndex.fromDocuments(documents);
    const retriever = index.asRetriever({ similarityTopK: 3 });
    for (const [question, answer] of questions) {
      const [first] = await retriever.retrieve({ query: question });
      expect(first?.node.sourceNode?.nodeId ?? first?.node.id_).toBe(String(answer));
    }
  });
});

const langChain = (fields: object = {}) =>
  new OpenAIEmbeddings({
    model: "iota",
    apiKey: there.apiKey,
    maxRetries: 0,
    configuration: { baseURL: there.baseURL },
    ...fields,
  });

/** What LangChain's standard tests for embeddings check. They are published for Python only. */
describe("LangChain's standard tests", () => {
  it("embed a query: a list of numbers, as long for any query", async () => {
    const vectors = await Promise.all(["foo", "bar"].map((text) => langChain().embedQuery(text)));
    for (const vector of vectors) {
      expect(vector.length).toBeGreaterThan(0);
      expect(vector.every((value) => typeof value === "number")).toBe(true);
    }
    expect(vectors[0]).toHaveLength(vectors[1]?.length ?? 0);
  });

  it("embed documents: a list for each, all as long, and as long as a query's", async () => {
    const documents = ["foo", "bar", "baz"];
    const vectors = await langChain().embedDocuments(documents);
    expect(vectors).toHaveLength(documents.length);
    const query = await langChain().embedQuery("foo");
    for (const vector of vectors) {
      expect(vector).toHaveLength(query.length);
      expect(vector.every((value) => typeof value === "number")).toBe(true);
    }
    expect(bestOf(vectors, query)).toBe(0);
  });

  it("embed more documents than one request takes", async () => {
    const documents = Array.from({ length: 70 }, (_, index) => `Document number ${index}.`);
    expect(await langChain({ batchSize: 32 }).embedDocuments(documents)).toHaveLength(70);
  });

  it("report an error as one", async () => {
    await expect(langChain({ model: "omega" }).embedQuery("foo")).rejects.toMatchObject({ status: 400 });
    await expect(langChain({ apiKey: "wrong" }).embedQuery("foo")).rejects.toMatchObject({ status: 401 });
  });
});
