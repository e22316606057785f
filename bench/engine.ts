/**
 * The embedded engine by itself: tokens a second with 1, 2, 4 and 8 streams and the time to the first token,
 * beside the same work done through the binding's own way of generating. The two take turns, so that the
 * machine's speed and mood cancel out in the ratio.
 */
import { resolve } from "node:path";
import { getLlama } from "node-llama-cpp";
import { loadConfig } from "../src/config.js";
import { LlamaEngine } from "../src/engines/llama/host.js";
import { ensureStarterWeights } from "../src/models/starter.js";

const streamCounts = [1, 2, 4, 8];
const mostStreams = Math.max(...streamCounts);
const tokensPerStream = 32;
const contextTokens = 512;
const topics = ["the sea", "a mountain", "an old clock", "two friends", "a key", "rain", "bread", "a train"];
const promptFor = (stream: number) => `Write a long story about ${topics[stream % topics.length] ?? "life"}.`;

/** Something that generates: each stream tells of its tokens as they come. */
interface Contender {
  runStream: (stream: number, onToken: () => void) => Promise<void>;
  close: () => Promise<void>;
}

/** On this GGUF file, or on the starter weights in the default data directory. */
export async function benchEngine(file?: string): Promise<void> {
  const weights = file ?? (await ensureStarterWeights(resolve(loadConfig({ env: {} }).service.dataDir), {}));
  const { contender: ours, threads } = await startOurs(weights);
  const binding = await startBinding(weights, threads);
  try {
    // The first run of each pays for what every later one finds warm.
    for (const contender of [ours, binding]) await measure(contender, 1);
    console.log(
      `${tokensPerStream} tokens a stream, ${threads} threads, against the binding's own generation\n`,
    );
    printRow(["streams", "tok/s", "binding", "ratio", "first token ms", "binding"]);
    for (const streams of streamCounts) {
      const [a, b] = [await measure(ours, streams), await measure(binding, streams)];
      const ratio = (a.tokensPerSecond / b.tokensPerSecond).toFixed(2);
      const rates = [a.tokensPerSecond.toFixed(1), b.tokensPerSecond.toFixed(1), ratio];
      printRow([String(streams), ...rates, a.firstTokenMs.toFixed(0), b.firstTokenMs.toFixed(0)]);
    }
  } finally {
    await ours.close();
    await binding.close();
  }
}

const printRow = (cells: readonly string[]) => {
  console.log(cells.map((cell) => cell.padStart(15)).join(""));
};

async function startOurs(weights: string): Promise<{ contender: Contender; threads: number }> {
  const { engine: config, models } = loadConfig({ env: {} });
  let threads = 1;
  const engine = new LlamaEngine({
    weights,
    models: { omega: { ...models.omega, systemPrompt: "", repeatPenalty: 1 } },
    config: { ...config, contextTokens, sequences: mostStreams },
    onEvent: (event) => {
      if (event.type === "loaded") threads = event.threads;
    },
  });
  await engine.ready();
  const greedy = {
    temperature: 0,
    topP: 1,
    topPGiven: false,
    frequencyPenalty: 0,
    presencePenalty: 0,
    logitBias: [],
  };
  const runStream: Contender["runStream"] = async (stream, onToken) => {
    const { signal } = new AbortController();
    const generation = {
      model: "omega",
      accountId: "bench",
      messages: [{ role: "user", content: promptFor(stream) }],
      sampling: { ...greedy, seed: undefined },
      stop: [],
      maxTokens: tokensPerStream,
      choices: 1,
      topLogprobs: undefined,
      format: { type: "text" },
    } as const;
    const prepared = await engine.prepare(generation, signal);
    for await (const event of engine.generate(prepared, signal)) if (event.type === "text") onToken();
  };
  return { contender: { runStream, close: () => engine.close() }, threads };
}

async function startBinding(weights: string, threads: number): Promise<Contender> {
  const llama = await getLlama({ build: "never", skipDownload: true, logger: () => undefined });
  const model = await llama.loadModel({ modelPath: weights });
  const size = { contextSize: contextTokens, sequences: mostStreams, batchSize: 512, threads };
  const context = await model.createContext(size);
  const sequences = Array.from({ length: mostStreams }, () => context.getSequence());
  const runStream: Contender["runStream"] = async (stream, onToken) => {
    const sequence = sequences[stream];
    if (sequence === undefined) throw new Error("there are more streams than sequences");
    const prompt = model.tokenize(`<|user|>\n${promptFor(stream)}</s>\n<|assistant|>\n`, true);
    let left = tokensPerStream;
    for await (const _token of sequence.evaluate(prompt, { temperature: 0 })) {
      onToken();
      if (--left === 0) break;
    }
    await sequence.clearHistory();
  };
  return { runStream, close: () => llama.dispose() };
}

interface Rates {
  tokensPerSecond: number;
  firstTokenMs: number;
}

/** The rate while all streams are generating: reading the prompts and the last stream alone do not count. */
async function measure({ runStream }: Contender, streams: number): Promise<Rates> {
  const startedMs = performance.now();
  const tokensMs = await Promise.all(
    Array.from({ length: streams }, async (_, stream) => {
      const times: number[] = [];
      await runStream(stream, () => times.push(performance.now()));
      return times;
    }),
  );
  const firstMs = tokensMs.map((times) => times[0] ?? Infinity);
  const from = Math.max(...firstMs);
  const to = Math.min(...tokensMs.map((times) => times.at(-1) ?? 0));
  const counted = tokensMs.flat().filter((time) => time > from && time <= to).length;
  const meanFirstMs = firstMs.reduce((sum, time) => sum + time, 0) / streams;
  return { tokensPerSecond: (counted / (to - from)) * 1000, firstTokenMs: meanFirstMs - startedMs };
}
