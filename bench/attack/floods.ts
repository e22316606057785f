/**
 * What one account can do to another with requests that are each allowed: 16 long prompts at a time, and counts of
 * conversations with so many turns that they cannot fit. Meanwhile another account asks short questions, one after the
 * other. Reported is the time to its first token, relative to the same without a flood, in turns within one run.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { streamChat, type ChatEndpoint } from "../chat-stream.js";
import { percentile } from "../statistics.js";

const measuredMs = 20_000;
const rounds = 2;
/** The default plan: 16 concurrent, 600 per minute. */
const parallel = 16;
const betweenMs = (parallel * 60_000) / 600;

interface Flood {
  name: string;
  path: string;
  body: { model: string; max_tokens: number; messages: { role: string; content: string }[] };
}

const floods: readonly Flood[] = [
  {
    name: "16 long prompts",
    path: "/chat/completions",
    body: { model: "omega", max_tokens: 1, messages: [{ role: "user", content: "word ".repeat(1_500) }] },
  },
  {
    name: "counts of 1,801 turns",
    path: "/messages/count_tokens",
    body: {
      model: "omega",
      max_tokens: 1,
      messages: Array.from({ length: 1_801 }, (_, index) => ({
        role: index % 2 === 0 ? "user" : "assistant",
        content: "x",
      })),
    },
  },
];

export async function benchFloods(quiet: ChatEndpoint, attacker: ChatEndpoint): Promise<void> {
  const firstMs = new Map<string, number[]>();
  for (let round = 0; round < rounds; round++) {
    for (const flood of [undefined, ...floods]) {
      const stop = flood === undefined ? async () => undefined : startFlood(attacker, flood);
      const name = flood?.name ?? "quiet";
      firstMs.set(name, [...(firstMs.get(name) ?? []), ...(await measure(quiet))]);
      await stop();
    }
  }
  const of = (name: string, share: number) => percentile(firstMs.get(name) ?? [], share);
  const cell = (name: string, share: number) => {
    const ms = of(name, share);
    return `${ms.toFixed(0)} ms (${(ms / of("quiet", share)).toFixed(2)})`;
  };
  console.log(
    `first token of a short question, ${rounds} rounds of ${measuredMs / 1000} s; ratios to quiet (target: at most 3)`,
  );
  for (const name of firstMs.keys()) console.log(`${name}: p50 ${cell(name, 0.5)}, p95 ${cell(name, 0.95)}`);
}

async function measure(endpoint: ChatEndpoint): Promise<number[]> {
  const endsMs = performance.now() + measuredMs;
  const times: number[] = [];
  while (performance.now() < endsMs) {
    const messages = [{ role: "user", content: `${times.length}: hi` }];
    times.push((await streamChat(endpoint, { messages, maxTokens: 3 })).firstMs);
  }
  return times;
}

/** A separate process: generating such requests would slow down the measuring one. */
function startFlood({ baseURL, key }: ChatEndpoint, { path, body }: Flood): () => Promise<void> {
  const script = `
    let given = "";
    for await (const text of process.stdin.setEncoding("utf8")) given += text;
    const { url, headers, body, parallel, betweenMs } = JSON.parse(given);
    const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    let sent = 0;
    const [first, ...rest] = body.messages;
    // Each sends the next request after the response to the last, and no faster than its share of the plan.
    const flood = async () => {
      for (;;) {
        const nextMs = performance.now() + betweenMs;
        // Never the same twice: a cached prompt is not processed again.
        const messages = [{ ...first, content: sent++ + " " + first.content }, ...rest];
        const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ ...body, messages }) });
        await response.text();
        await sleep(Math.max(0, nextMs - performance.now()));
      }
    };
    await Promise.all(Array.from({ length: parallel }, flood));`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["pipe", "ignore", "inherit"],
  });
  const closed = once(child, "close");
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  child.stdin.end(JSON.stringify({ url: `${baseURL}${path}`, headers, body, parallel, betweenMs }));
  return async () => {
    child.kill();
    await closed;
  };
}
