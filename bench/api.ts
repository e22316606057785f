/**
 * The whole service as users experience it, on the starter weights: from `npm start` to the first token, then
 * tokens per second and time to first token with 1, 2, 4 and 8 streams, the API's event-loop delay while the
 * engine works, and the memory of both processes.
 */
import { execFileSync } from "node:child_process";
import { childrenOf } from "../test/support/processes/children.js";
import { startSotto, type SottoProcess } from "../test/support/processes/sotto-process.js";
import { median } from "./statistics.js";

const tokensPerStream = 48;
const prompt = "Write a long story about a lighthouse keeper and a storm.";

export async function benchApi(): Promise<void> {
  const startedAt = performance.now();
  const sotto = await startSotto();
  try {
    const readyMs = performance.now() - startedAt;
    const key = await sotto.newKey();
    const first = await stream(sotto, key, 1);
    console.log(
      `start to ready          ${seconds(readyMs)} (an empty data directory: the weights are joined)`,
    );
    console.log(`ready to first token    ${seconds(first.firstTokenMs)}`);
    console.log("\nstreams   tokens/s   per stream   first token (median)   ratio to one stream");
    let alone = 0;
    for (const streams of [1, 2, 4, 8]) {
      const began = performance.now();
      const runs = await Promise.all(
        Array.from({ length: streams }, () => stream(sotto, key, tokensPerStream)),
      );
      const elapsed = (performance.now() - began) / 1000;
      const rate = runs.reduce((sum, run) => sum + run.tokens, 0) / elapsed;
      alone ||= rate;
      console.log(
        [
          String(streams).padStart(7),
          rate.toFixed(1).padStart(10),
          (rate / streams).toFixed(1).padStart(12),
          seconds(median(runs.map((run) => run.firstTokenMs))).padStart(22),
          (rate / alone).toFixed(2).padStart(21),
        ].join(" "),
      );
    }
    const delay = await sotto.metric("nodejs_eventloop_lag_p99_seconds");
    console.log(
      `\nAPI event-loop delay p99 while generating: ${(delay * 1000).toFixed(1)} ms (target: at most 20)`,
    );
    console.log(
      `memory: API ${megabytes(sotto.pid)}, engine ${childrenOf(sotto.pid).map(megabytes).join(" + ")}`,
    );
  } finally {
    await sotto.stop();
  }
}

interface Run {
  tokens: number;
  firstTokenMs: number;
}

async function stream(sotto: SottoProcess, key: string, maxTokens: number): Promise<Run> {
  const startedAt = performance.now();
  const response = await fetch(`${sotto.baseURL}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "omega",
      messages: [{ role: "user", content: prompt }],
      max_tokens: maxTokens,
      stream: true,
      stream_options: { include_usage: true },
    }),
  });
  if (!response.ok || response.body === null) throw new Error(`the request failed with ${response.status}`);
  let firstTokenMs = 0;
  let text = "";
  for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
    firstTokenMs ||= performance.now() - startedAt;
    text += part;
  }
  const usage = /"completion_tokens":(\d+)/.exec(text);
  return { tokens: Number(usage?.[1] ?? 0), firstTokenMs };
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;

function megabytes(pid: number): string {
  const kilobytes = Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" }));
  return `${Math.round(kilobytes / 1024)} MB`;
}
