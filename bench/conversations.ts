/**
 * Long conversations in turn, more of them than the engine has sequences: the first token of each one's second turn
 * beside that of its first, which is computed from nothing. What was evicted meanwhile is saved in memory; the second
 * table is without that, where every second turn is read again.
 *
 * Random weights with a context of 8k tokens, next to none by default: the larger the model, the longer a token takes
 * to compute beside copying what it computed. `BENCH_SCALE` makes them wider and deeper (or BENCH_WEIGHTS names a file),
 * `BENCH_CONVERSATIONS` and `BENCH_THREADS` override the defaults.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writeTinyGguf } from "../test/support/engines/tiny-gguf.js";
import { childrenOf } from "../test/support/processes/children.js";
import { newDataDir } from "../test/support/processes/sotto-process.js";
import { closeConnections, streamChat, type ChatEndpoint, type StreamTimes } from "./chat-stream.js";
import { startService, type BenchSetup } from "./contenders.js";
import { inMegabytes } from "./load.js";
import { median } from "./statistics.js";

const sequences = 8;
const contextTokens = 8192;
const promptTokens = 7900;
const conversations = Number(process.env.BENCH_CONVERSATIONS ?? 32);

export async function benchConversations(): Promise<void> {
  const setup: BenchSetup = {
    weights: process.env.BENCH_WEIGHTS ?? randomWeights(Number(process.env.BENCH_SCALE ?? 2)),
    threads: process.env.BENCH_THREADS === undefined ? undefined : Number(process.env.BENCH_THREADS),
    sequences,
    contextTokens,
    dataDir: process.env.BENCH_DATA_DIR,
  };
  await run("saved in memory", setup, conversations);
  // One more than there are sequences, so that each is evicted before its second turn.
  await run("not saved", setup, sequences + 1, { SOTTO_ENGINE_SAVED_STATE_BYTES: "0" });
  await closeConnections();
}

function randomWeights(scale: number): string {
  const path = join(newDataDir(), "random.gguf");
  writeTinyGguf(path, { contextTokens, scale });
  return path;
}

async function run(name: string, setup: BenchSetup, count: number, env = {}): Promise<void> {
  const { sotto, endpoint } = await startService(setup, env);
  try {
    const history = "sea ".repeat(Math.round(promptTokens / (await tokensPerWord(endpoint))));
    const questions = Array.from({ length: count }, (_, index) => ({
      role: "user",
      content: `${index}. ${history}`,
    }));
    const cold: StreamTimes[] = [];
    for (const question of questions)
      cold.push(await streamChat(endpoint, { messages: [question], maxTokens: 4 }));
    const second: StreamTimes[] = [];
    for (const [index, question] of questions.entries()) {
      const answer = { role: "assistant", content: cold[index]?.text ?? "" };
      const messages = [question, answer, { role: "user", content: "And then?" }];
      second.push(await streamChat(endpoint, { messages, maxTokens: 4 }));
    }
    const firstMs = (turns: StreamTimes[]) => median(turns.map((turn) => turn.firstMs));
    const tokens = (turns: StreamTimes[], of: "promptTokens" | "cachedTokens") =>
      median(turns.map((turn) => turn[of]));
    const slowest = Math.max(...second.map((turn) => turn.firstMs));
    console.log(
      `${name}: ${count} conversations in turn on ${sequences} sequences, ${tokens(cold, "promptTokens")} tokens each\n` +
        `  first turn: first token after ${firstMs(cold).toFixed(0)} ms\n` +
        `  second turn: ${firstMs(second).toFixed(0)} ms, slowest ${slowest.toFixed(0)} ms, ` +
        `${tokens(second, "cachedTokens")} of ${tokens(second, "promptTokens")} tokens cached\n` +
        `  ratio: ${(firstMs(second) / firstMs(cold)).toFixed(3)} (target: at most 0.1)\n` +
        `  memory of the engine's own: ${inMegabytes(ownMemory(sotto.pid))}\n`,
    );
  } finally {
    await sotto.stop();
  }
}

async function tokensPerWord(endpoint: ChatEndpoint): Promise<number> {
  const ask = async (words: number) =>
    (
      await streamChat(endpoint, {
        messages: [{ role: "user", content: "sea ".repeat(words) }],
        maxTokens: 1,
      })
    ).promptTokens;
  return ((await ask(120)) - (await ask(20))) / 100;
}

/** Without the file of weights, which is mapped. */
function ownMemory(servicePid: number): number {
  return childrenOf(servicePid)
    .map((pid) => Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0))
    .reduce((sum, kilobytes) => sum + kilobytes * 1024, 0);
}
