/**
 * The embedded engine as users experience it, over HTTP, beside a bare loop on the same binding and, when
 * `LLAMA_SERVER` names one (scripts/build-llama-server.js), beside llama-server: tokens per second and time to first
 * token with 1 to 16 streams. The contenders take turns and the medians of several rounds are shown, so that the
 * machine's speed and load cancel out in the ratios; the CPU time for the same tokens is meaningful on a busy machine
 * too. Then what a conversation's second turn costs, what a long prompt does to the replies beside it, whether the
 * engine stays within its memory estimate, and whether memory stays flat.
 *
 * `BENCH_WEIGHTS` names a GGUF file, or `tiny` or `small` for random weights: next to none, which shows the cost of
 * everything but the model, or 60 MB. Without it the starter weights are used. `BENCH_THREADS`, `BENCH_ROUNDS`,
 * `BENCH_TOKENS`, `BENCH_CONTEXT_TOKENS` and `BENCH_STREAMS` override the defaults; `BENCH_PARTS` chooses from
 * streams, turns, prompt, budget and memory; `BENCH_BARE_LOOP=off` leaves that one out, `BENCH_EXTENSION=compare` adds
 * the service without the engine's extension.
 *
 * On a GPU: `BENCH_DATA_DIR` names a data directory with a library of its own (`sotto engine build cuda`), which the
 * service and the bare loop then use; LLAMA_SERVER_ARGS is for llama-server, for instance "-ngl 999".
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readWeightsFacts } from "../src/models/gguf/gguf.js";
import { memoryWith } from "../src/models/gguf/memory.js";
import { childrenOf } from "../test/support/processes/children.js";
import { newDataDir } from "../test/support/processes/sotto-process.js";
import { writeTinyGguf } from "../test/support/engines/tiny-gguf.js";
import { closeConnections, streamChat, type ChatEndpoint } from "./chat-stream.js";
import {
  overHttp,
  processorMs,
  startBareLoop,
  starterForBench,
  startLlamaServer,
  startService,
  type BenchSetup,
  type Contender,
  type Rates,
} from "./contenders.js";
import { inMegabytes } from "./load.js";
import { closeTimedStreams } from "./engine/timed-stream.js";
import { median } from "./statistics.js";

const streamCounts = (process.env.BENCH_STREAMS ?? "1,2,4,8,16").split(",").map(Number);
const tokensPerStream = Number(process.env.BENCH_TOKENS ?? 32);
const topics = ["the sea", "a mountain", "an old clock", "two friends", "a key", "rain", "bread", "a train"];
let asked = 0;
/** The number comes first, so that no prompt has a cached prefix. */
const newPrompt = () => `${++asked}. Write a long story about ${topics[asked % topics.length] ?? "life"}.`;
const words = (count: number) =>
  Array.from(
    { length: Math.round(count) },
    (_, index) => topics[index % topics.length]?.split(" ").at(-1) ?? "",
  ).join(" ");

export async function benchEngine(): Promise<void> {
  const setup: BenchSetup = {
    weights: await benchWeights(),
    threads: process.env.BENCH_THREADS === undefined ? undefined : Number(process.env.BENCH_THREADS),
    sequences: Math.max(...streamCounts),
    contextTokens: Number(process.env.BENCH_CONTEXT_TOKENS ?? 2048),
    dataDir: process.env.BENCH_DATA_DIR,
  };
  const { threads } = setup;
  const chosen = threads === undefined ? "threads as each takes them by itself" : `${threads} threads`;
  console.log(`${tokensPerStream} tokens per stream, ${chosen}\n`);
  const asked = process.env.BENCH_PARTS?.split(",");
  const wants = (part: string) => asked?.includes(part) ?? true;
  if (wants("streams")) await benchStreams(setup);
  const { sotto, endpoint } = await startService(setup);
  try {
    const wordsPerToken = await measureWords(endpoint);
    if (wants("turns")) await benchSecondTurn(endpoint, words(1000 * wordsPerToken));
    if (wants("prompt")) await benchLongPrompt(endpoint, words(1500 * wordsPerToken));
    if (wants("budget")) await benchBudget(setup, sotto.pid, endpoint, words(100 * wordsPerToken));
  } finally {
    await sotto.stop();
  }
  if (wants("memory")) await benchMemory(setup);
  await closeConnections();
  await closeTimedStreams();
}

async function benchWeights(): Promise<string> {
  const named = process.env.BENCH_WEIGHTS;
  if (named === undefined) return starterForBench();
  if (named === "tiny") return randomWeights(1);
  return named === "small" ? randomWeights(6) : named;
}

function randomWeights(scale: number): string {
  const path = join(newDataDir(), "random.gguf");
  writeTinyGguf(path, { contextTokens: 2048, scale });
  return path;
}

async function benchStreams(setup: BenchSetup): Promise<void> {
  const service = async (name: string, env: Record<string, string> = {}): Promise<Contender> => {
    const { sotto, endpoint } = await startService(setup, env);
    return overHttp(name, endpoint, [sotto.pid, ...childrenOf(sotto.pid)], () => sotto.stop());
  };
  const contenders = [await service("sotto")];
  if (process.env.BENCH_EXTENSION === "compare")
    contenders.push(await service("without extension", { SOTTO_ENGINE_EXTENSION: "off" }));
  if (process.env.BENCH_BARE_LOOP !== "off") contenders.push(await startBareLoop(setup));
  const binary = process.env.LLAMA_SERVER;
  if (binary !== undefined) contenders.push(await startLlamaServer(binary, setup));
  try {
    // The first run of each is warm-up.
    for (const { run } of contenders) await run([newPrompt()], 4);
    const [, ...others] = contenders;
    console.log(`the API's and the engine's CPU time a token are Sotto's, in microseconds\n`);
    printRow([
      "streams",
      ...contenders.map(({ name }) => `${name} tok/s`),
      ...others.map(({ name }) => `of ${name}`),
      ...others.map(({ name }) => `CPU of ${name}`),
      ...contenders.map(({ name }) => `${name} first ms`),
      "API us/tok",
      "engine us/tok",
    ]);
    for (const streams of streamCounts) await compare(contenders, streams);
  } finally {
    for (const { close } of contenders) await close();
  }
}

/** llama-server's threads keep spinning for a third of a second, on the cores that the next contender needs. */
async function atRest(contenders: readonly Contender[]): Promise<void> {
  const pids = contenders.flatMap((contender) => contender.pids);
  const endsAtMs = performance.now() + 5_000;
  for (let spentMs = Infinity; spentMs > 20 && performance.now() < endsAtMs;) {
    const beforeMs = processorMs(pids);
    await sleep(200);
    spentMs = processorMs(pids) - beforeMs;
  }
}

async function compare(contenders: readonly Contender[], streams: number): Promise<void> {
  const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
  const results = contenders.map((): Rates[] => []);
  const spentMs = contenders.map(() => 0);
  const ownMs = { api: 0, engine: 0 };
  for (let round = 0; round < rounds; round++) {
    for (const [index, { run, pids }] of contenders.entries()) {
      await atRest(contenders);
      const beforeMs = processorMs(pids);
      const beforeApiMs = processorMs(pids.slice(0, 1));
      results[index]?.push(await run(Array.from({ length: streams }, newPrompt), tokensPerStream));
      const tookMs = processorMs(pids) - beforeMs;
      spentMs[index] = (spentMs[index] ?? 0) + tookMs;
      if (index > 0) continue;
      const apiMs = processorMs(pids.slice(0, 1)) - beforeApiMs;
      ownMs.api += apiMs;
      ownMs.engine += tookMs - apiMs;
    }
  }
  const rates = results.map((runs) => median(runs.map(({ tokensPerSecond }) => tokensPerSecond)));
  const firsts = results.map((runs) => median(runs.map(({ firstTokenMs }) => firstTokenMs)));
  const [ours = 0, ...others] = rates;
  const [ourMs = 0, ...otherMs] = spentMs;
  printRow([
    String(streams),
    ...rates.map((rate) => rate.toFixed(1)),
    ...others.map((rate) => (ours / rate).toFixed(2)),
    ...otherMs.map((ms) => (ourMs / ms).toFixed(2)),
    ...firsts.map((ms) => ms.toFixed(0)),
    ...[ownMs.api, ownMs.engine].map((ms) => ((ms * 1000) / (rounds * streams * tokensPerStream)).toFixed(0)),
  ]);
}

async function measureWords(endpoint: ChatEndpoint): Promise<number> {
  const ask = async (content: string) =>
    (await streamChat(endpoint, { messages: [{ role: "user", content }], maxTokens: 1 })).promptTokens;
  return 100 / ((await ask(words(120))) - (await ask(words(20))));
}

/** Target: a quarter of the cold one at most. */
async function benchSecondTurn(endpoint: ChatEndpoint, history: string): Promise<void> {
  const ratios: number[] = [];
  for (let round = 0; round < 3; round++) {
    const question = { role: "user", content: `${newPrompt()} ${history}` };
    const cold = await streamChat(endpoint, { messages: [question], maxTokens: 16 });
    const answer = { role: "assistant", content: cold.text };
    const more = { role: "user", content: "And then?" };
    const warm = await streamChat(endpoint, { messages: [question, answer, more], maxTokens: 16 });
    const [coldMs, warmMs] = [cold.firstMs, warm.firstMs];
    ratios.push(warmMs / coldMs);
    console.log(
      `\nsecond turn: first token after ${warmMs.toFixed(0)} ms (${warm.cachedTokens} of ${warm.promptTokens} tokens` +
        ` cached), cold ${coldMs.toFixed(0)} ms (${cold.promptTokens} tokens)`,
    );
  }
  console.log(`second turn: ${median(ratios).toFixed(2)} of the cold one (target: at most 0.25)`);
}

/** Target: the longest gap three times the usual one at most. */
async function benchLongPrompt(endpoint: ChatEndpoint, document: string): Promise<void> {
  const times: number[][] = [];
  const replies = Array.from({ length: 7 }, async (_, stream) => {
    const own: number[] = [];
    times[stream] = own;
    const messages = [{ role: "user", content: newPrompt() }];
    await streamChat(endpoint, { messages, maxTokens: 400, onFragment: () => own.push(performance.now()) });
  });
  while (!(times.length === 7 && times.every((own) => own.length >= 12))) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const arrivedMs = performance.now();
  const messages = [{ role: "user", content: `${newPrompt()} ${document}` }];
  const long = await streamChat(endpoint, { messages, maxTokens: 1 });
  const readMs = performance.now();
  await Promise.all(replies);
  const gaps = (from: number, to: number) =>
    times.flatMap((own) =>
      own
        .slice(1)
        .flatMap((time, index) => (time > from && (own[index] ?? 0) < to ? [time - (own[index] ?? 0)] : [])),
    );
  const usual = median(gaps(0, arrivedMs));
  const longest = Math.max(...gaps(arrivedMs, readMs));
  console.log(
    `\nlong prompt: ${long.promptTokens} tokens read in ${(readMs - arrivedMs).toFixed(0)} ms beside seven streams; ` +
      `their longest gap ${longest.toFixed(0)} ms, usually ${usual.toFixed(0)} ms: ` +
      `${(longest / usual).toFixed(1)} times (target: at most 3)`,
  );
}

/**
 * Every sequence in use. The mapped file is counted separately: the system evicts it when memory is short and
 * reads it again when needed.
 */
async function benchBudget(
  setup: BenchSetup,
  servicePid: number,
  endpoint: ChatEndpoint,
  document: string,
): Promise<void> {
  const stated = memoryWith(await readWeightsFacts(setup.weights), { ...setup, cacheType: "f16" });
  let [own, mapped] = [0, 0];
  const look = () => {
    for (const pid of childrenOf(servicePid)) {
      const status = readFileSync(`/proc/${pid}/status`, "utf8");
      const kilobytes = (name: string) =>
        Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0);
      own = Math.max(own, kilobytes("RssAnon") * 1024);
      mapped = Math.max(mapped, kilobytes("RssFile") * 1024);
    }
  };
  const timer = setInterval(look, 100);
  await Promise.all(
    Array.from({ length: setup.sequences }, () =>
      streamChat(endpoint, {
        messages: [{ role: "user", content: `${newPrompt()} ${document}` }],
        maxTokens: tokensPerStream,
      }),
    ),
  );
  clearInterval(timer);
  console.log(
    `\nmemory at full load (${setup.sequences} streams): ${inMegabytes(own)} of the engine's own, stated ` +
      `${inMegabytes(stated)}: ${(own / stated).toFixed(2)}; ${inMegabytes(mapped)} of the file mapped`,
  );
}

/** On tiny weights, since only leaks matter. */
async function benchMemory(setup: BenchSetup): Promise<void> {
  const { sotto, endpoint } = await startService({ ...setup, weights: randomWeights(1), threads: 1 });
  const memory = () => [sotto.pid, ...childrenOf(sotto.pid)].map(megabytes);
  try {
    const ask = async () => {
      const messages = [{ role: "user", content: `${newPrompt()} ${words(asked % 200)}` }];
      await streamChat(endpoint, { messages, maxTokens: 1 + (asked % 40) });
    };
    for (const target of [500, 1000, 1500, 2000]) {
      for (let done = target - 500; done < target; done += 16)
        await Promise.all(Array.from({ length: 16 }, ask));
      console.log(
        `${target === 500 ? "\n" : ""}memory after ${target} requests: ${memory().join(" + ")} MB (API + engine)`,
      );
    }
  } finally {
    await sotto.stop();
  }
}

function megabytes(pid: number): number {
  const kilobytes = Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" }));
  return Math.round(kilobytes / 1024);
}

const printRow = (cells: readonly string[]) => {
  console.log(cells.map((cell) => cell.padStart(21)).join(""));
};
