/**
 * Embeddings over HTTP, beside llama-server on the same file when `LLAMA_SERVER` names one
 * (scripts/build-llama-server.js): inputs a second with 1, 8 and 64 inputs in a request, of 8 to 120 tokens, and with 64
 * requests of one input at once. The contenders take turns and medians of several rounds are shown, so that the machine's
 * speed and load cancel out in the ratios. `BENCH_EXTENSION=compare` adds Sotto without the engine's extension.
 * `BENCH_WEIGHTS` names a GGUF file; without it the starter is used. `BENCH_ROUNDS` and `BENCH_THREADS` override the
 * defaults.
 */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { embeddingStarterFile } from "../src/models/embedding-starter/embedding-starter.js";
import { startTinySotto } from "../test/support/processes/tiny-sotto.js";
import { spawnLlamaServer } from "./contenders.js";
import { noLimits } from "./load.js";
import { median } from "./statistics.js";

interface Endpoint {
  name: string;
  url: string;
  key: string;
}

interface Shape {
  name: string;
  requests: number;
  inputs: number;
}

const shapes: readonly Shape[] = [
  { name: "1 input", requests: 1, inputs: 1 },
  { name: "8 inputs", requests: 1, inputs: 8 },
  { name: "64 inputs", requests: 1, inputs: 64 },
  { name: "64 requests", requests: 64, inputs: 1 },
];
const rounds = Number(process.env.BENCH_ROUNDS ?? 15);
/** A measurement takes at least so many inputs: a single one is over too soon to be timed. */
const leastInputs = 32;
/** llama-server's threads keep spinning for a third of a second, on the cores that the next contender needs. */
const restMs = 500;

export async function benchEmbeddings(): Promise<void> {
  const threads = process.env.BENCH_THREADS;
  const given = process.env.BENCH_WEIGHTS;
  const start = async (name: string, env: Record<string, string> = {}) => {
    const sotto = await startTinySotto({
      ...noLimits,
      SOTTO_ENGINE_THREADS: threads ?? "",
      SOTTO_LOG_LEVEL: "error",
      ...(given === undefined ? {} : { SOTTO_MODELS_IOTA_WEIGHTS: given }),
      ...env,
    });
    const endpoint = { name, url: `${sotto.baseURL}/embeddings`, key: await sotto.newKey() };
    await embed(endpoint, ["Prepares and loads the model."]);
    return { sotto, endpoint };
  };
  const { sotto, endpoint: service } = await start("sotto");
  const plain =
    process.env.BENCH_EXTENSION === "compare"
      ? await start("without extension", { SOTTO_ENGINE_EXTENSION: "off" })
      : undefined;
  const binary = process.env.LLAMA_SERVER;
  const weights = given ?? join(sotto.dataDir, "models", embeddingStarterFile);
  const server =
    binary === undefined
      ? undefined
      : await spawnLlamaServer(binary, weights, threads === undefined ? undefined : Number(threads), [
          "--embedding",
        ]);
  try {
    const others = [
      ...(plain === undefined ? [] : [plain.endpoint]),
      ...(server === undefined
        ? []
        : [{ name: "llama-server", url: `${server.url}/v1/embeddings`, key: "none" }]),
    ];
    for (const shape of shapes) await compare(shape, [service, ...others]);
  } finally {
    await server?.close();
    await plain?.sotto.stop();
    await sotto.stop();
  }
}

async function compare(shape: Shape, endpoints: readonly Endpoint[]): Promise<void> {
  const rates = new Map(endpoints.map(({ name }) => [name, [] as number[]]));
  for (let round = 0; round <= rounds; round++) {
    for (const endpoint of round % 2 === 0 ? endpoints : endpoints.toReversed()) {
      const rate = await inputsPerSecond(endpoint, shape);
      // The first round warms up.
      if (round > 0) rates.get(endpoint.name)?.push(rate);
      await sleep(restMs);
    }
  }
  const [own = 0, ...others] = [...rates.values()].map(median);
  const shown = [...rates].map(([name, all]) => `${name} ${median(all).toFixed(1)}/s`).join(", ");
  const ratio = others.map((other) => `, ratio ${(own / other).toFixed(2)}`).join("");
  console.log(`${shape.name}: ${shown}${ratio}`);
}

async function inputsPerSecond(endpoint: Endpoint, { requests, inputs }: Shape): Promise<number> {
  const repeats = Math.max(1, Math.ceil(leastInputs / (requests * inputs)));
  const startedMs = performance.now();
  for (let repeat = 0; repeat < repeats; repeat++)
    await Promise.all(
      Array.from({ length: requests }, (_, request) => embed(endpoint, texts(repeat + request, inputs))),
    );
  return (repeats * requests * inputs * 1000) / (performance.now() - startedMs);
}

const words =
  "the sea was calm and an old clock told two friends that rain would come before the train".split(" ");

/** Of many lengths; the same for every contender. */
const texts = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => {
    const length = 4 + (((from + index) * 37) % 110);
    return Array.from({ length }, (_, at) => words[(from + index + at * 5) % words.length]).join(" ");
  });

async function embed({ url, key }: Endpoint, input: readonly string[]): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "iota", input, encoding_format: "base64" }),
  });
  const { data } = (await response.json()) as { data?: unknown[] };
  if (data?.length !== input.length) throw new Error(`${url} answered ${response.status}`);
}
