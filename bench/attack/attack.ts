/**
 * What one account can do to another with JSON schemas: schemas that take long to compile, and schemas whose grammars
 * take long to follow, as fast as the default plan lets one account send them. Meanwhile another account lists models
 * and reads a stream. Reported are its latencies and the longest gap in its stream, relative to an idle
 * service; for the stream also relative to the same number of requests with an ordinary schema, which share
 * the engine too. Then floods of ordinary requests (floods.ts).
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { closeConnections, streamChat, type ChatEndpoint } from "../chat-stream.js";
import { starterForBench, startService } from "../contenders.js";
import { benchFloods } from "./floods.js";
import { percentile } from "../statistics.js";

const measuredMs = 20_000;
const rounds = 2;
const betweenListsMs = 50;
/** The default plan: 16 concurrent, 600 per minute. */
const attackers = 16;
const betweenAttacksMs = (attackers * 60_000) / 600;

interface Reading {
  p50Ms: number;
  p99Ms: number;
  gapMs: number;
}

interface Situation {
  name: string;
  schemas: readonly object[];
  /** How many requests at once. */
  parallel: number;
}

const many = <T>(length: number, item: (index: number) => T): T[] =>
  Array.from({ length }, (_, index) => item(index));

const overlapping = (parts: number): string => `^${"a?".repeat(parts)}a{${parts}}$`;

const situations: readonly Situation[] = [
  { name: "quiet", schemas: [], parallel: 0 },
  {
    name: "schemas that take long to compile",
    parallel: attackers,
    schemas: [
      { anyOf: many(1_900, (i) => ({ type: "number", minimum: i + 0.123456789, maximum: 1e14 + i })) },
      { type: "string", pattern: many(1_600, (index) => `ab${index}`).join("|") },
      { type: "object", properties: Object.fromEntries(many(1_990, (i) => [`p${i}`, { type: "string" }])) },
      { oneOf: many(1_900, (index) => ({ const: index })) },
    ],
  },
  {
    name: "7 in an ordinary schema",
    parallel: 7,
    schemas: [
      { type: "object", properties: { a: { type: "string" }, b: { type: "integer" } }, required: ["a", "b"] },
    ],
  },
  {
    name: "7 in a pattern that is refused",
    parallel: 7,
    schemas: [{ type: "string", pattern: overlapping(60) }],
  },
  {
    name: "7 in patterns that pass, together",
    parallel: 7,
    schemas: [
      { anyOf: many(20, (i) => ({ type: "string", pattern: `${"b".repeat(i)}${overlapping(10)}` })) },
    ],
  },
];

export async function benchAttack(): Promise<void> {
  const weights = await starterForBench();
  const setup = { weights, threads: undefined, sequences: 8, contextTokens: 2048 };
  const { sotto, endpoint } = await startService(setup);
  const attacker = { baseURL: endpoint.baseURL, key: await sotto.newKey() };
  try {
    const readings = new Map<string, Reading[]>(situations.map(({ name }) => [name, []]));
    for (let round = 0; round < rounds; round++) {
      for (const situation of situations) {
        const attack = startAttack(attacker, situation);
        readings.get(situation.name)?.push(await measure(endpoint));
        await attack.stop();
      }
    }
    print(readings);
    await benchFloods(endpoint, attacker);
  } finally {
    await sotto.stop();
    await closeConnections();
  }
}

/** A separate process: generating such schemas would slow down the measuring one. */
function startAttack({ baseURL, key }: ChatEndpoint, { schemas, parallel }: Situation) {
  const script = `
    let given = "";
    for await (const text of process.stdin.setEncoding("utf8")) given += text;
    const { url, headers, schemas, parallel, betweenMs } = JSON.parse(given);
    const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    // Each sends the next request after the response to the last, and no faster than its share of the plan.
    const attack = async (first) => {
      for (let turn = first; ; turn++) {
        const nextMs = performance.now() + betweenMs;
        // Never the same twice: a repeated schema is not compiled again.
        const schema = { ...schemas[turn % schemas.length], title: String(turn) };
        const body = JSON.stringify({
          model: "omega",
          messages: [{ role: "user", content: "Go." }],
          max_tokens: 64,
          response_format: { type: "json_schema", json_schema: { name: "a", schema } },
        });
        const response = await fetch(url, { method: "POST", headers, body });
        await response.text();
        await sleep(Math.max(0, nextMs - performance.now()));
      }
    };
    await Promise.all(Array.from({ length: parallel }, (_, index) => attack(index)));`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["pipe", "ignore", "inherit"],
  });
  // Without anything left to send it exits.
  const closed = once(child, "close");
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const url = `${baseURL}/chat/completions`;
  child.stdin.end(JSON.stringify({ url, headers, schemas, parallel, betweenMs: betweenAttacksMs }));
  return {
    stop: async () => {
      child.kill();
      await closed;
    },
  };
}

async function measure(endpoint: ChatEndpoint): Promise<Reading> {
  const endsMs = performance.now() + measuredMs;
  const latencies: number[] = [];
  const list = async () => {
    while (performance.now() < endsMs) {
      const sentMs = performance.now();
      const response = await fetch(`${endpoint.baseURL}/models`, {
        headers: { authorization: `Bearer ${endpoint.key}` },
      });
      await response.text();
      latencies.push(performance.now() - sentMs);
      await sleep(betweenListsMs);
    }
  };
  let gapMs = 0;
  const stream = async () => {
    while (performance.now() < endsMs) {
      const messages = [{ role: "user", content: "Tell me a long story about the sea." }];
      const { fragmentsMs } = await streamChat(endpoint, { messages, maxTokens: 48 });
      fragmentsMs.forEach((atMs, index) => {
        const before = fragmentsMs[index - 1];
        if (before !== undefined) gapMs = Math.max(gapMs, atMs - before);
      });
    }
  };
  await Promise.all([list(), stream()]);
  return { p50Ms: percentile(latencies, 0.5), p99Ms: percentile(latencies, 0.99), gapMs };
}

function print(readings: ReadonlyMap<string, readonly Reading[]>): void {
  const best = (name: string): Reading => {
    const all = readings.get(name) ?? [];
    const least = (of: (reading: Reading) => number) => Math.min(...all.map(of));
    return { p50Ms: least((r) => r.p50Ms), p99Ms: least((r) => r.p99Ms), gapMs: least((r) => r.gapMs) };
  };
  const quiet = best("quiet");
  const ordinary = best("7 in an ordinary schema");
  console.log(
    `the better of ${rounds} rounds of ${measuredMs / 1000} s each; ratios to quiet (target: at most 2)`,
  );
  for (const name of readings.keys()) {
    const { p50Ms, p99Ms, gapMs } = best(name);
    const cell = (ms: number, quietMs: number) => `${ms.toFixed(1)} ms (${(ms / quietMs).toFixed(2)})`;
    console.log(
      `${name}: models p50 ${cell(p50Ms, quiet.p50Ms)}, p99 ${cell(p99Ms, quiet.p99Ms)}; longest gap ` +
        `${cell(gapMs, quiet.gapMs)}, ${(gapMs / ordinary.gapMs).toFixed(2)} of that beside ordinary ones`,
    );
  }
}
