/**
 * What the machine's measured speed says of other files, compared with how fast they run: the engine measures one file
 * as it does at the first start, and from that the speed of each is expected. Three sizes: two of random weights, and
 * the starter. Measured is a reply that runs alone, the fastest of several, in turns, since machines are shared.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { loadConfig } from "../src/config.js";
import { plainDefaults } from "../src/core/serving/model-defaults.js";
import { LlamaEngine } from "../src/engines/llama/host/llama-engine.js";
import { readWeightsFacts } from "../src/models/gguf/gguf.js";
import { bytesPerSecondOf, expectedTokensPerSecond } from "../src/models/machine-speed.js";
import { formatBytes } from "../src/models/sizes.js";
import { ensureStarterWeights } from "../src/models/starter/starter.js";
import { generationOf } from "../test/contract/engines/engine-contract.js";
import { writeRandomWeights } from "./engine/random-weights.js";

const rounds = 5;
const tokensPerRound = 48;

interface Loaded {
  engine: LlamaEngine;
  file: string;
  bytes: number;
  activeBytes: number;
  /** From the steps that the engine measured when it loaded. */
  bytesPerSecond: number;
  /** Of each round. */
  rates: number[];
}

export async function benchSpeed(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "sotto-bench-speed-"));
  const loaded: Loaded[] = [];
  try {
    const files = [join(folder, "random-50m.gguf"), join(folder, "random-250m.gguf")];
    writeRandomWeights(files[0] ?? "", "50m", "q4_0");
    writeRandomWeights(files[1] ?? "", "250m", "q4_0");
    files.push(await ensureStarterWeights(folder, { corrects: true }));
    for (const file of files) loaded.push(await load(file));
    for (let round = 0; round < rounds; round++) {
      for (const { engine, rates } of loaded) rates.push(await rate(engine, round));
    }
    print(loaded);
  } finally {
    await Promise.all(loaded.map(({ engine }) => engine.close()));
    await rm(folder, { recursive: true, force: true });
  }
}

async function load(file: string): Promise<Loaded> {
  const { bytes, activeBytes } = await readWeightsFacts(file);
  const tokenMs: number[] = [];
  const engine = new LlamaEngine({
    weights: file,
    models: { omega: plainDefaults },
    config: { ...loadConfig({ env: {} }).engine, sequences: 8, contextTokens: 2048 },
    measures: true,
    workerFile: resolve("dist/worker.js"),
    onEvent: (event) => {
      if (event.type === "loaded" && event.tokenMs !== undefined) tokenMs.push(event.tokenMs);
    },
  });
  await engine.ready();
  const bytesPerSecond = bytesPerSecondOf(activeBytes, tokenMs[0] ?? Infinity);
  return { engine, file: basename(file), bytes, activeBytes, bytesPerSecond, rates: [] };
}

/** From the first token to the last. */
async function rate(engine: LlamaEngine, round: number): Promise<number> {
  const { signal } = new AbortController();
  const prepared = await engine.prepare(
    generationOf(`Write a long story about the number ${round}.`, { maxTokens: tokensPerRound }),
    signal,
  );
  let firstMs = 0;
  let tokens = 0;
  for await (const events of engine.generate(prepared, signal)) {
    if (firstMs === 0) firstMs = performance.now();
    for (const event of events) if (event.type === "done") tokens = event.usage.completionTokens;
  }
  return ((tokens - 1) / (performance.now() - firstMs)) * 1000;
}

function print(measured: readonly Loaded[]): void {
  for (const calibration of [measured.at(-1), measured.at(1)]) {
    if (calibration === undefined) continue;
    console.log(`expected from ${calibration.file} (${(calibration.bytesPerSecond / 1e9).toFixed(1)} GB/s)`);
    for (const { file, bytes, activeBytes, rates } of measured) {
      // As the engine does: what is slower was disturbed.
      const tokensPerSecond = Math.max(...rates);
      const expected = expectedTokensPerSecond(activeBytes, calibration.bytesPerSecond);
      const off = ((expected / tokensPerSecond - 1) * 100).toFixed(0);
      console.log(
        `  ${formatBytes(bytes).padStart(7)}  expected ${expected.toFixed(1).padStart(6)}  measured ${tokensPerSecond.toFixed(1).padStart(6)} tokens/s  ${off.padStart(4)} %  ${file}`,
      );
    }
  }
}
