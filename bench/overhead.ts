/**
 * What the API path costs without an engine: requests per second and latency of a whole reply, beside a bare
 * `node:http` server that reads the request and returns the same bytes. The two alternate. Then how long a
 * refusal takes when the queue is full.
 *
 * SOTTO_BENCH_EARLIER=<folder of another checkout, built> adds that one, to see whether a change costs anything.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { startPacedSotto } from "../test/support/engines/paced-service.js";
import type { SottoProcess } from "../test/support/processes/sotto-process.js";
import { processorMs } from "./contenders.js";
import { chatTarget, load, noLimits, type LoadResult, type Target } from "./load.js";
import { median, percentile } from "./statistics.js";

const connections = 32;
const rounds = 5;
const roundMs = 3_000;
const warmUpRequests = 10_000;
const warmUpMs = 30_000;

export async function benchOverhead(): Promise<void> {
  await compareWithBareServer();
  await measureFullQueue();
}

async function compareWithBareServer(): Promise<void> {
  const earlier = process.env.SOTTO_BENCH_EARLIER;
  const { target, sotto } = await startWithoutEngine();
  const before = earlier === undefined ? null : await startWithoutEngine(earlier);
  const sample = await fetch(target.url, { method: "POST", headers: target.headers, body: target.body });
  const bare = await startBareServer(await sample.text());
  try {
    const runs: Record<"sotto" | "bare" | "earlier", Run[]> = { sotto: [], bare: [], earlier: [] };
    await warmUp(target);
    if (before !== null) await warmUp(before.target);
    for (let round = 0; round < rounds; round++) {
      runs.bare.push(await measure({ ...target, url: bare.url }, bare.pid));
      runs.sotto.push(await measure(target, sotto.pid));
      if (before !== null) runs.earlier.push(await measure(before.target, before.sotto.pid));
    }
    console.log(`${connections} connections, ${rounds} rounds of ${roundMs / 1000} s, medians`);
    console.log("            requests/s    p50 ms    p99 ms    CPU ms");
    for (const [name, results] of Object.entries(runs))
      if (results.length > 0) console.log(name.padEnd(12) + row(results));
    const cost =
      median(runs.sotto.map(({ requestsPerSecond }) => 1000 / requestsPerSecond)) -
      median(runs.bare.map(({ requestsPerSecond }) => 1000 / requestsPerSecond));
    console.log(`added by Sotto: ${cost.toFixed(3)} ms of one core for each request`);
    const rate = (results: readonly Run[]) =>
      median(results.map(({ requestsPerSecond }) => requestsPerSecond));
    const share = rate(runs.sotto) / rate(runs.bare);
    console.log(`requests/s of Sotto: ${share.toFixed(2)} of the bare server (target: at least 0.4)`);
  } finally {
    bare.stop();
    await Promise.all([sotto.stop(), before?.sotto.stop()]);
  }
}

/** Of this checkout or another. */
async function startWithoutEngine(checkout?: string): Promise<{ sotto: SottoProcess; target: Target }> {
  const env = { ...noLimits, SOTTO_LOG_LEVEL: "info" };
  const sotto = await startPacedSotto({ tokenMs: 0, capacity: 1000 }, { env }, checkout);
  return { sotto, target: chatTarget(sotto.baseURL, await sotto.newKey(), { max_tokens: 8 }) };
}

interface Run extends LoadResult {
  /** Of the server's process, for each request. */
  cpuMs: number;
}

/** By requests rather than by time: on a busy machine three seconds are too few of them. */
async function warmUp(target: Target): Promise<void> {
  const endsAt = performance.now() + warmUpMs;
  for (let requests = 0; requests < warmUpRequests && performance.now() < endsAt;) {
    const { statuses } = await load(target, connections, 1_000);
    requests += statuses.get(200) ?? 0;
  }
}

async function measure(target: Target, pid: number): Promise<Run> {
  const before = processorMs([pid]);
  const result = await load(target, connections, roundMs);
  const requests = [...result.statuses.values()].reduce((sum, count) => sum + count, 0);
  return { ...result, cpuMs: (processorMs([pid]) - before) / requests };
}

const row = (results: readonly Run[]): string =>
  [
    median(results.map(({ requestsPerSecond }) => requestsPerSecond)).toFixed(0),
    median(results.map(({ p50Ms }) => p50Ms)).toFixed(1),
    median(results.map(({ p99Ms }) => p99Ms)).toFixed(1),
    median(results.map(({ cpuMs }) => cpuMs)).toFixed(3),
  ]
    .map((cell) => cell.padStart(10))
    .join("");

async function startBareServer(reply: string): Promise<{ url: string; pid: number; stop: () => void }> {
  const program = `
    const http = require("node:http");
    const reply = ${JSON.stringify(reply)};
    http.createServer((request, response) => {
      const parts = [];
      request.on("data", (part) => parts.push(part));
      request.on("end", () => {
        JSON.parse(Buffer.concat(parts));
        response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(reply) });
        response.end(reply);
      });
    }).listen(0, "127.0.0.1", function () { console.log(this.address().port); });`;
  const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  const [port] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
  const url = `http://127.0.0.1:${port.trim()}/v1/chat/completions`;
  return { url, pid: child.pid ?? 0, stop: () => void child.kill() };
}

async function measureFullQueue(): Promise<void> {
  const env = { ...noLimits, SOTTO_QUEUE_LENGTH: "100" };
  const sotto = await startPacedSotto({ tokenMs: 1_000, capacity: 4 }, { env });
  try {
    const key = await sotto.newKey();
    const target = chatTarget(sotto.baseURL, key, { max_tokens: 100_000, stream: true });
    const stop = new AbortController();
    const holders = Array.from({ length: 104 }, () =>
      fetch(target.url, { method: "POST", headers: target.headers, body: target.body, signal: stop.signal }),
    );
    while ((await sotto.metric("sotto_queue_waiting", "omega")) < 100) await holders[0];
    const latencies: number[] = [];
    for (let refused = 0; refused < 500; refused++) {
      const sentAt = performance.now();
      const answer = await fetch(target.url, { method: "POST", headers: target.headers, body: target.body });
      await answer.text();
      if (answer.status !== 503) throw new Error(`expected 503, got ${answer.status}`);
      latencies.push(performance.now() - sentAt);
    }
    stop.abort();
    await Promise.allSettled(holders);
    const [p50, p99, worst] = [0.5, 0.99, 1].map((share) => percentile(latencies, share).toFixed(1));
    console.log(
      `\nqueue full: 503 after p50 ${p50} ms, p99 ${p99} ms, at most ${worst} ms (target: at most 50)`,
    );
  } finally {
    await sotto.stop();
  }
}
