/**
 * The server's memory while twenty requests of 10 MB, most of it an image, wait for an engine that sees, and what they
 * cost a request that has none.
 */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { speaks, startScriptedUpstream } from "../test/support/engines/scripted-upstream.js";
import { dataUrl, imageQuestions, pngWith } from "../test/support/inputs/images.js";
import { startSotto } from "../test/support/processes/sotto-process.js";
import { noLimits } from "./load.js";
import { percentile } from "./statistics.js";

const atOnce = 20;
/** 10 MB in base64. */
const imageBytes = 7_500_000;
/** Before the engine's first token. */
const silenceMs = 5_000;

export async function benchImages(): Promise<void> {
  const upstream = await startScriptedUpstream();
  upstream.chat = (response, asked) => {
    asked.body = {};
    void sleep(silenceMs).then(() => speaks("Hello")(response, asked));
  };
  const members = JSON.stringify([{ url: upstream.url, profile: "vllm" }]);
  const models = ["OMEGA", "PRISM", "LAMBDA"].map((id) => [`SOTTO_MODELS_${id}_UPSTREAMS`, members] as const);
  const sotto = await startSotto({ env: { ...noLimits, ...Object.fromEntries(models) } });
  try {
    const keys = [await sotto.newKey(), await sotto.newKey()];
    const body = JSON.stringify(imageQuestions.chat.body(dataUrl(pngWith(Buffer.alloc(imageBytes, 7)))));
    const ask = async (key = "") => {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const url = `${sotto.baseURL}/chat/completions`;
      const response = await fetch(url, { method: "POST", headers, body });
      await response.text();
      return response.status;
    };
    const idle = megabytesOf(sotto.pid, "VmRSS");
    const times: number[] = [];
    const running = Promise.all(Array.from({ length: atOnce }, (_, index) => ask(keys[index % keys.length])));
    const isOver = running.then(() => true);
    do {
      const begun = performance.now();
      await (await fetch(`${sotto.url}/healthz`)).text();
      times.push(performance.now() - begun);
    } while (!(await Promise.race([isOver, sleep(20, false)])));
    console.log(`${atOnce} requests of ${(body.length / 1e6).toFixed(1)} MB: ${(await running).join(" ")}`);
    console.log(`memory: ${idle} MB before, ${megabytesOf(sotto.pid, "VmHWM")} MB at most`);
    const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)];
    console.log(`a request without one: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`);
  } finally {
    await sotto.stop();
    await upstream.close();
  }
}

function megabytesOf(pid: number, name: "VmRSS" | "VmHWM"): number {
  const line = new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Math.round(Number(line?.[1] ?? 0) / 1024);
}
