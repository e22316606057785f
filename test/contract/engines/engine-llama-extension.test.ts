/** With the engine's extension everything is computed as without it, and its threads end with their context. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfig } from "../../../src/config.js";
import { compileExtension } from "../../../src/engines/llama/extension/compile-extension.js";
import { startTinyEmbedder, type TinyEmbedder } from "../../support/engines/tiny-embedder.js";
import { startTinyEngine, type TinyEngine } from "../../support/engines/tiny-engine.js";
import { tinyLoad, writeTinyGguf } from "../../support/engines/tiny-gguf.js";
import { noCompiler } from "../../support/processes/compiler.js";
import { scriptArguments, sourceModule } from "../../support/processes/script.js";
import { generationOf, replyTo } from "./engine-contract.js";
import { answerTo, cosine, taskOf, vectorsOf } from "./engine-vectors-contract.js";

/** One thread alone has none that could stay. */
const config = { ...loadConfig({ env: {} }).engine, threads: 2, sequences: 4, contextTokens: 512 };

describe.skipIf(noCompiler)("the engine's extension", () => {
  const folder = mkdtempSync(join(tmpdir(), "sotto-extension-"));
  let extension: string;
  beforeAll(async () => {
    extension = (await compileExtension(folder)) ?? "";
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const pairOf = async (start: (extension: string | undefined) => TinyEngine) => {
    const [extended, plain] = [start(extension), start(undefined)];
    await Promise.all([extended.engine.ready(), plain.engine.ready()]);
    expect(extended.events).toMatchObject([{ type: "loaded", isExtended: true }]);
    expect(plain.events).toMatchObject([{ type: "loaded", isExtended: false }]);
    return { extended, plain, dispose: () => Promise.all([extended.dispose(), plain.dispose()]) };
  };
  const embedders = (model: TinyEmbedder = {}) =>
    pairOf((file) => startTinyEmbedder(model, { config, extension: file }));

  it("gives the replies that the binding alone gives", async () => {
    const { extended, plain, dispose } = await pairOf((file) =>
      startTinyEngine({}, { config, extension: file }),
    );
    const questions = ["one two three", "What is new?"];
    const ask = ({ engine }: TinyEngine) =>
      Promise.all(questions.map((question) => replyTo(engine, generationOf(question, { maxTokens: 4 }))));
    const [replies, expected] = [await ask(extended), await ask(plain)];
    expect(replies.map(({ text }) => text)).toEqual(expected.map(({ text }) => text));
    await dispose();
  });

  it("gives the vectors that the binding alone gives, in batches of inputs of any length", async () => {
    const { extended, plain, dispose } = await embedders();
    const inputs = Array.from({ length: 70 }, (_, index) => "ab cd".repeat(1 + ((index * 7) % 24)));
    // One that is alone is computed by all threads, and each of many by one.
    for (const given of [inputs.slice(0, 1), inputs]) {
      const vectors = await vectorsOf(extended.engine, given);
      const expected = await vectorsOf(plain.engine, given);
      expect(vectors).toHaveLength(given.length);
      for (const [index, vector] of vectors.entries())
        expect(cosine(vector, expected[index] ?? new Float32Array())).toBeGreaterThan(0.9999);
    }
    await dispose();
  });

  it("ranks as the binding alone does", async () => {
    const { extended, plain, dispose } = await embedders({ ranks: true });
    const documents = ["a", "some words", "b c d", "the last of them"];
    const scoresOf = async ({ engine }: TinyEngine) => {
      const { result } = await answerTo(engine, taskOf({ type: "rank", query: "which", documents }));
      return result.type === "scores" ? [...result.scores] : [];
    };
    const [scores, expected] = [await scoresOf(extended), await scoresOf(plain)];
    expect(scores).toHaveLength(documents.length);
    for (const [index, score] of scores.entries()) expect(score).toBeCloseTo(expected[index] ?? NaN, 3);
    await dispose();
  });

  it("ends its threads with their context", () => {
    const weights = join(folder, "tiny.gguf");
    writeTinyGguf(weights);
    const load = JSON.stringify(tinyLoad(weights, { threads: 8, extension }));
    const printed = execFileSync(
      process.execPath,
      scriptArguments(`
        import { readdirSync } from "node:fs";
        import { loadModel } from ${sourceModule("engines/llama/worker/addon.ts")};
        const threads = () => readdirSync("/proc/self/task").length;
        async function use() {
          const model = await loadModel(${load});
          for (const count of [8, 4, 8, 1, 2, 4]) {
            model.setThreads(count);
            model.context.initBatch(4);
            model.context.addToBatch(0, 0, new Uint32Array(4), Uint32Array.of(3));
            await model.context.decodeBatch();
            model.context.disposeSequence(0);
          }
          const most = threads();
          await model.dispose();
          return most;
        }
        await use();
        const before = threads();
        const during = await use();
        // The system takes a moment to forget a thread that was waited for.
        for (let tries = 0; threads() > before && tries < 1000; tries++) await new Promise(setImmediate);
        console.log(JSON.stringify({ before, during, after: threads() }));
        process.exit();
      `),
    ).toString();
    const { before, during, after } = JSON.parse(printed) as Record<string, number>;
    expect(during).toBe((before ?? 0) + 7 + 3 + 1);
    expect(after).toBe(before);
  });

  it.each([
    ["describes threads in another way", "cpumask[512]", "cpumask[256]"],
    ["needs what this version does not have", '"llama_pooling_type"', '"llama_pooling_kind"'],
  ])("is not used if it %s, and the engine runs without it", async (_name, written, other) => {
    const source = readFileSync("native/engine-extension.c", "utf8");
    expect(source).toContain(written);
    const [changed, file] = [join(folder, "other.c"), join(folder, "other.node")];
    writeFileSync(changed, source.replace(written, other));
    execFileSync("cc", ["-shared", "-fPIC", "-fvisibility=hidden", "-I", "native", "-o", file, changed]);
    const tiny = startTinyEngine({}, { config, extension: file });
    const { text } = await replyTo(tiny.engine, generationOf("Hello.", { maxTokens: 8 }));
    expect(text).not.toBe("");
    expect(tiny.events).toMatchObject([{ type: "loaded", isExtended: false }]);
    await tiny.dispose();
  });
});
