/**
 * The embedded engine by itself: tokens a second with 1, 2, 4 and 8 streams and the time to the first token,
 * beside the same work done through the binding's own way of generating, in the same run. The machine's speed
 * and mood cancel out in the ratio.
 */
import { resolve } from "node:path";
import { getLlama, type LlamaContextSequence } from "node-llama-cpp";
import { loadConfig } from "../src/config.js";
import { LlamaEngine } from "../src/engines/llama/host.js";
import { ensureStarterWeights } from "../src/models/starter.js";

const streamCounts = [1, 2, 4, 8];
const tokensPerStream = 32;
const contextTokens = 512;
const topics = [
  "the sea",
  "a mountain",
  "an old clock",
  "two friends",
  "a lost key",
  "rain",
  "bread",
  "a train",
];
const promptFor = (stream: number) => `Write a long story about ${topics[stream % topics.length] ?? "life"}.`;

interface Rates {
  tokensPerSecond: number;
  firstTokenMs: number;
}

/** Starts one stream and tells of each of its tokens. */
type RunStream = (stream: number, onToken: () => void) => Promise<void>;

/** On this GGUF file, or on the starter weights in the default data directory. */
export async function benchEngine(file?: string): Promise<void> {
  const weights = file ?? (await ensureStarterWeights(resolve(loadConfig({ env: {} }).service.dataDir), {}));
  const { rates: ours, threads } = await measureOurs(weights);
  const bindings = await measureBinding(weights, threads);
  console.log(`\nEmbedded engine, ${tokensPerStream} tokens a stream, against the binding's own generation`);
  const rows = streamCounts.map((streams, index) => {
    const [a, b] = [ours[index], bindings[index]];
    if (a === undefined || b === undefined) return [];
    return [
      String(streams),
      a.tokensPerSecond.toFixed(1),
      b.tokensPerSecond.toFixed(1),
      (a.tokensPerSecond / b.tokensPerSecond).toFixed(2),
      a.firstTokenMs.toFixed(0),
      b.firstTokenMs.toFixed(0),
    ];
  });
  const head = ["streams", "tok/s", "binding", "ratio", "first token ms", "binding"];
  for (const row of [head, ...rows]) console.log(row.map((cell) => cell.padStart(15)).join(""));
}

async function measureOurs(weights: string): Promise<{ rates: Rates[]; threads: number }> {
  const { engine: config, models } = loadConfig({ env: {} });
  let threads = 1;
  const engine = new LlamaEngine({
    weights,
    onEvent: (event) => {
      if (event.type === "loaded") threads = event.threads;
    },
    models: { omega: { ...models.omega, systemPrompt: "", repeatPenalty: 1 } },
    config: { ...config, contextTokens, sequences: Math.max(...streamCounts) },
  });
  await engine.ready();
  const { signal } = new AbortController();
  try {
    const rates = await measureAll(async (stream, onToken) => {
      const prepared = await engine.prepare(
        {
          model: "omega",
          accountId: "bench",
          messages: [{ role: "user", content: promptFor(stream) }],
          sampling: {
            temperature: 0,
            topP: 1,
            topPGiven: false,
            frequencyPenalty: 0,
            presencePenalty: 0,
            seed: undefined,
          },
          stop: [],
          maxTokens: tokensPerStream,
        },
        signal,
      );
      for await (const event of engine.generate(prepared, signal)) if (event.type === "text") onToken();
    });
    return { rates, threads };
  } finally {
    await engine.close();
  }
}

async function measureBinding(weights: string, threads: number): Promise<Rates[]> {
  const llama = await getLlama({
    build: "never",
    skipDownload: true,
    progressLogs: false,
    logger: () => undefined,
  });
  const model = await llama.loadModel({ modelPath: weights });
  const sequences = Math.max(...streamCounts);
  const context = await model.createContext({
    contextSize: contextTokens,
    sequences,
    batchSize: 512,
    threads,
  });
  const free: LlamaContextSequence[] = Array.from({ length: sequences }, () => context.getSequence());
  try {
    return await measureAll(async (stream, onToken) => {
      const sequence = free[stream];
      if (sequence === undefined) throw new Error("more streams than sequences");
      const prompt = model.tokenize(`<|user|>\n${promptFor(stream)}</s>\n<|assistant|>\n`, true);
      let left = tokensPerStream;
      for await (const _token of sequence.evaluate(prompt, { temperature: 0 })) {
        onToken();
        if (--left === 0) break;
      }
      await sequence.clearHistory();
    });
  } finally {
    await llama.dispose();
  }
}

async function measureAll(run: RunStream): Promise<Rates[]> {
  // The first run pays for what every later one finds warm.
  await measure(run, 1);
  const rates: Rates[] = [];
  for (const streams of streamCounts) rates.push(await measure(run, streams));
  return rates;
}

/** The rate while all streams are generating: reading the prompts and the last stream alone do not count. */
async function measure(run: RunStream, streams: number): Promise<Rates> {
  const startedMs = performance.now();
  const tokensMs = await Promise.all(
    Array.from({ length: streams }, async (_, stream) => {
      const times: number[] = [];
      await run(stream, () => times.push(performance.now()));
      return times;
    }),
  );
  const firstMs = tokensMs.map((times) => times[0] ?? Infinity);
  const from = Math.max(...firstMs);
  const to = Math.min(...tokensMs.map((times) => times.at(-1) ?? 0));
  const counted = tokensMs.flat().filter((time) => time > from && time <= to).length;
  return { tokensPerSecond: (counted / (to - from)) * 1000, firstTokenMs: mean(firstMs) - startedMs };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
