import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config.js";
import { LlamaEngine } from "../../src/engines/llama/host/llama-engine.js";
import { ensureEmbeddingStarter } from "../../src/models/embedding-starter/embedding-starter.js";
import { dequantise } from "../../src/models/starter/dequantise.js";
import { cosine, vectorsOf } from "../contract/engines/engine-vectors-contract.js";
import { testDefaults } from "../support/engines/model-defaults.js";

/** Made by scripts/embedding-reference.js. */
const fixture = (name: string): string => readFileSync(join("test/fixtures/embeddings", name), "utf8");
const sentences = fixture("sentences.txt").split("\n").slice(0, -1);
const dimensions = 384;
const halfFloat = 1;

function referenceVectors(): Float32Array[] {
  const halves = Buffer.from(fixture("all-minilm-l6-v2.txt"), "base64");
  const values = new Float32Array(halves.length / 2);
  dequantise(halfFloat, halves, values);
  return sentences.map((_, index) => values.subarray(index * dimensions, (index + 1) * dimensions));
}

let folder: string;
let engine: LlamaEngine;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sotto-embedding-"));
  engine = new LlamaEngine({
    weights: await ensureEmbeddingStarter(folder),
    task: "embed",
    models: { omega: testDefaults },
    config: loadConfig({ env: {} }).engine,
    workerFile: resolve("dist/worker.js"),
  });
  await engine.ready();
});
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("the embedding starter", () => {
  it("gives the vectors of the published model, in any language and script", async () => {
    const references = referenceVectors();
    expect(references).toHaveLength(200);
    const vectors = await vectorsOf(engine, sentences);
    const different = sentences.flatMap((sentence, index) => {
      const likeness = cosine(vectors[index] ?? new Float32Array(), references[index] ?? new Float32Array());
      return likeness >= 0.999 ? [] : [`${likeness.toFixed(4)} ${sentence}`];
    });
    expect(different).toEqual([]);
  });

  it("finds the answer to a question among others", async () => {
    const [question = new Float32Array(), ...answers] = await vectorsOf(engine, [
      "How long should the dough rest?",
      ...sentences,
    ]);
    const likeness = answers.map((answer) => cosine(answer, question));
    const best = likeness.indexOf(Math.max(...likeness));
    expect(sentences[best]).toMatch(/^Knead the dough/);
  });
});
