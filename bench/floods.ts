/**
 * What floods that are refused cost everyone else: sign-ins with wrong passwords from many addresses, well-formed
 * keys that nobody has, malformed keys, and bodies of almost 4 MB that are no requests. Meanwhile an account asks for
 * `/v1/key`, forty times a second. Its latencies are shown beside those of a quiet service in the same run.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { mintKey } from "../src/core/keys/key-format.js";
import { startPacedSotto } from "../test/support/engines/paced-service.js";
import { noLimits } from "./load.js";
import { percentile } from "./statistics.js";

const connections = 16;
const rounds = 2;
const measuredMs = 5_000;
const probeEveryMs = 25;

interface Flood {
  path: string;
  /** Sent in turns. */
  headers: Record<string, string>[];
  body: string;
}

const json = { "content-type": "application/json" };

export async function benchFloods(): Promise<void> {
  const env = { ...noLimits, SOTTO_TRUST_PROXY: "127.0.0.1" };
  const sotto = await startPacedSotto({ tokenMs: 0, capacity: 100 }, { env });
  try {
    const [key, attacker] = [await sotto.newKey(), await sotto.newKey()];
    const bearer = (text: string) => ({ ...json, authorization: `Bearer ${text}` });
    const chat = "/v1/chat/completions";
    const floods: Record<string, Flood | null> = {
      quiet: null,
      "sign-ins": {
        path: "/api/sign-in",
        headers: Array.from({ length: 2_000 }, (_, i) => ({
          ...json,
          "sec-fetch-site": "same-origin",
          "x-forwarded-for": `10.${i >> 8}.${i & 255}.1`,
        })),
        body: "",
      },
      "unknown keys": {
        path: chat,
        headers: Array.from({ length: 2_000 }, () => bearer(mintKey())),
        body: "{}",
      },
      "malformed keys": { path: chat, headers: [bearer("sk-sotto-nobody")], body: "{}" },
      "4 MB bodies": {
        path: chat,
        headers: [bearer(attacker)],
        body: `{"x":[${"{},".repeat((4 * 1024 * 1024 - 1024) / 3)}0]}`,
      },
    };
    const readings = new Map<string, number[][]>();
    await measure(sotto.baseURL, key);
    for (let round = 0; round < rounds; round++) {
      for (const [name, flood] of Object.entries(floods)) {
        const sender = flood === null ? null : startFlood(sotto.url, flood);
        await sender?.begun;
        const times = await measure(sotto.baseURL, key);
        readings.set(name, [...(readings.get(name) ?? []), times]);
        await sender?.stop();
      }
    }
    print(readings);
  } finally {
    await sotto.stop();
  }
}

function print(readings: ReadonlyMap<string, readonly number[][]>): void {
  const best = (name: string, share: number) =>
    Math.min(...(readings.get(name) ?? []).map((times) => percentile(times, share)));
  console.log(`/v1/key beside ${connections} connections of each flood, the better of ${rounds} rounds`);
  for (const name of readings.keys()) {
    const cells = [0.5, 0.95].map((share) => {
      const ms = best(name, share);
      return `${ms.toFixed(1)} ms (${(ms / best("quiet", share)).toFixed(1)})`.padStart(18);
    });
    console.log(name.padEnd(16), "p50", cells[0], "  p95", cells[1]);
  }
}

/** Open loop, so that a stall affects every request that falls into it. */
async function measure(baseURL: string, key: string): Promise<number[]> {
  const times: number[] = [];
  const asked: Promise<void>[] = [];
  const endsAt = performance.now() + measuredMs;
  const ask = async () => {
    const began = performance.now();
    const response = await fetch(`${baseURL}/key`, { headers: { authorization: `Bearer ${key}` } });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`the request failed with ${response.status}`);
    times.push(performance.now() - began);
  };
  while (performance.now() < endsAt) {
    asked.push(ask());
    await sleep(probeEveryMs);
  }
  await Promise.all(asked);
  return times;
}

/** A process of its own: sending would slow down the one that measures. */
function startFlood(url: string, flood: Flood) {
  const script = `
    let given = "";
    for await (const text of process.stdin.setEncoding("utf8")) given += text;
    const { url, headers, body, connections } = JSON.parse(given);
    let turn = 0;
    const send = async () => {
      for (;;) {
        const own = turn++;
        const text = body === "" ? JSON.stringify({ email: own + "@example.com", password: "wrong password" }) : body;
        await fetch(url, { method: "POST", headers: headers[own % headers.length], body: text })
          .then((response) => response.arrayBuffer())
          .catch(() => undefined);
        if (own === 0) console.log("begun");
      }
    };
    await Promise.all(Array.from({ length: connections }, send));`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  const { path, headers, body } = flood;
  child.stdin.end(JSON.stringify({ url: url + path, headers, body, connections }));
  return {
    begun: once(child.stdout, "data"),
    stop: async () => {
      child.kill();
      await closed;
    },
  };
}
