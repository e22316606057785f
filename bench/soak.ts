/**
 * Mixed traffic for ten minutes (`SOAK_MINUTES` for another time): whole replies, streams, clients that hang up,
 * errors and refusals. Memory must be flat after the warm-up, and nothing may be left at the end: no sequence, no
 * waiter, no open handle that was not there before, no child.
 *
 * On a tiny model, so that the traffic is heavy; `SOAK_WEIGHTS` names a GGUF file, or `starter` for the starter
 * weights.
 */
import { readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { childrenOf } from "../test/support/processes/children.js";
import { servedBy, startTinySotto } from "../test/support/processes/tiny-sotto.js";
import type { SottoProcess } from "../test/support/processes/sotto-process.js";
import { starterForBench } from "./contenders.js";
import { chatTarget, inMegabytes, residentBytes } from "./load.js";

const minutes = Number(process.env.SOAK_MINUTES ?? 10);
const clients = 12;
const sampleMs = 10_000;

export async function benchSoak(): Promise<void> {
  const sotto = await startTinySotto({
    ...(await realWeights()),
    SOTTO_LIMIT_REQUESTS_PER_MINUTE: "100000",
    SOTTO_LIMIT_TOKENS_PER_MINUTE: "2000000",
    SOTTO_LIMIT_CONCURRENT_REQUESTS: "3",
    SOTTO_QUEUE_LENGTH: "8",
  });
  try {
    const keys = await Promise.all(Array.from({ length: 3 }, () => sotto.newKey()));
    const outcomes = new Map<string, number>();
    const handlesBefore = openFiles(sotto.pid);
    let running = true;
    const traffic = Array.from({ length: clients }, async (_, client) => {
      for (let turn = 0; running; turn++) {
        const outcome = await oneRequest(sotto, keys[client % keys.length] ?? "", client + turn);
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
    });
    console.log("minute    API memory    engine memory    open files");
    const memory: number[] = [];
    const samples = Math.round((minutes * 60_000) / sampleMs);
    for (let sample = 1; sample <= samples; sample++) {
      await sleep(sampleMs);
      memory.push(residentBytes(sotto.pid));
      if (sample % Math.round(60_000 / sampleMs) !== 0) continue;
      const cells = [
        String((sample * sampleMs) / 60_000),
        inMegabytes(memory.at(-1) ?? 0),
        engineMemory(sotto.pid),
        String(openFiles(sotto.pid)),
      ];
      console.log(cells.map((cell, column) => cell.padStart([6, 14, 17, 14][column] ?? 10)).join(""));
    }
    running = false;
    await Promise.all(traffic);
    await sleep(2_000);
    const active = await sotto.metric("sotto_sequences_active", "omega");
    const waiting = await sotto.metric("sotto_queue_waiting", "omega");
    const restarts = await sotto.metric("sotto_engine_restarts", "omega");
    console.log(`\nrequests: ${[...outcomes].map(([name, count]) => `${count} ${name}`).join(", ")}`);
    console.log(`left: ${active} sequences, ${waiting} waiting, ${restarts} engine restarts`);
    console.log(`children: ${childrenOf(sotto.pid).length} (the engine)`);
    console.log(`open files: ${handlesBefore} before, ${openFiles(sotto.pid)} after`);
    const half = memory.slice(Math.floor(memory.length / 2));
    const early = memory.slice(Math.floor(memory.length / 4), Math.floor(memory.length / 2));
    const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    console.log(`memory, last half over second quarter: ${(mean(half) / mean(early)).toFixed(3)}`);
  } finally {
    await sotto.stop();
  }
}

async function realWeights(): Promise<Record<string, string>> {
  const named = process.env.SOAK_WEIGHTS;
  if (named === undefined) return {};
  return servedBy(named === "starter" ? await starterForBench() : named);
}

/** One of five kinds in turn. */
async function oneRequest(sotto: SottoProcess, key: string, kind: number): Promise<string> {
  const hangUp = new AbortController();
  const fields = [
    { max_tokens: 12 },
    { max_tokens: 24, stream: true },
    { max_tokens: 500, stream: true },
    { temperature: 9 },
    { max_tokens: 8, stop: ["a"] },
  ][kind % 5];
  const { url, headers, body } = chatTarget(sotto.baseURL, kind % 50 === 7 ? "sk-wrong" : key, fields);
  try {
    const response = await fetch(url, { method: "POST", headers, body, signal: hangUp.signal });
    if (kind % 5 === 2) {
      await response.body?.getReader().read();
      hangUp.abort();
      return "hung up";
    }
    await response.text();
    return String(response.status);
  } catch {
    return "hung up";
  }
}

/** The engine may have been restarted. */
function engineMemory(pid: number): string {
  const [engine] = childrenOf(pid);
  return engine === undefined ? "–" : inMegabytes(residentBytes(engine));
}

const openFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;
