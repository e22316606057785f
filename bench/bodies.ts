/**
 * What large request bodies of one account cost another: four connections send bodies of almost 4 MB in a loop,
 * from a process of their own, while another account lists models and asks for one token, forty times a second.
 * Three kinds of bodies: one long message, in ASCII and not, which does not fit the context, and a field that is
 * ignored, with a million empty objects, which is the most work for its bytes.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { startTinySotto } from "../test/support/processes/tiny-sotto.js";
import { chatTarget, noLimits, type Target } from "./load.js";
import { percentile } from "./statistics.js";

const bodyBytes = 4 * 1024 * 1024 - 1024;
const connections = 4;
const probeMs = 8_000;
const probeEveryMs = 25;

const shapes = {
  "one long message": `{"model":"omega","messages":[{"role":"user","content":"${"word ".repeat(bodyBytes / 5)}"}]}`,
  "a text without ASCII": `{"model":"omega","messages":[{"role":"user","content":"${"漢字".repeat(bodyBytes / 6)}"}]}`,
  "a million empty objects": `{"model":"omega","messages":[{"role":"user","content":"hi"}],"x":[${"{},".repeat(bodyBytes / 3)}0]}`,
};

export async function benchBodies(): Promise<void> {
  const sotto = await startTinySotto(noLimits);
  try {
    const [attacker, other] = [await sotto.newKey(), await sotto.newKey()];
    const probes = {
      models: () => get(`${sotto.baseURL}/models`, other),
      "one token": () => post(chatTarget(sotto.baseURL, other, { max_tokens: 1 })),
    };
    console.log(
      "large bodies             another's     p50        p99      responses per second to the sender",
    );
    const measure = async (name: string, sent: () => string) => {
      for (const [probe, ask] of Object.entries(probes)) {
        const times = await timesOf(ask);
        const figures = [percentile(times, 0.5), percentile(times, 0.99)].map((ms) =>
          `${ms.toFixed(1)} ms`.padStart(9),
        );
        console.log(name.padEnd(24), probe.padEnd(10), ...figures, " ", sent());
      }
    };
    // The first requests compile code.
    for (const ask of Object.values(probes)) await timesOf(ask, 1_000);
    await measure("none", () => "");
    for (const [name, body] of Object.entries(shapes)) {
      const sender = startSender(chatTarget(sotto.baseURL, attacker).url, attacker, body);
      await measure(name, sender.rate);
      await sender.stop();
    }
  } finally {
    await sotto.stop();
  }
}

/**
 * Open loop: one request at a fixed interval, whether or not the last was answered, so that a stall affects every
 * request that falls into it.
 */
async function timesOf(ask: () => Promise<void>, forMs = probeMs): Promise<number[]> {
  const times: number[] = [];
  const asked: Promise<void>[] = [];
  const endsAt = performance.now() + forMs;
  while (performance.now() < endsAt) {
    const began = performance.now();
    asked.push(
      ask().then(() => {
        times.push(performance.now() - began);
      }),
    );
    await sleep(probeEveryMs);
  }
  await Promise.all(asked);
  return times;
}

async function get(url: string, key: string): Promise<void> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`the request failed with ${response.status}`);
}

async function post({ url, headers, body }: Target): Promise<void> {
  const response = await fetch(url, { method: "POST", headers, body });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`the request failed with ${response.status}`);
}

/** A separate process: sending that much would slow down the measuring one. */
function startSender(url: string, key: string, body: string) {
  const script = `
    let body = "";
    for await (const text of process.stdin.setEncoding("utf8")) body += text;
    const bytes = Buffer.from(body);
    const headers = { authorization: "Bearer ${key}", "content-type": "application/json" };
    const loop = async () => {
      for (;;) {
        const response = await fetch("${url}", { method: "POST", headers, body: bytes });
        await response.arrayBuffer();
        console.log(response.status);
      }
    };
    await Promise.all(Array.from({ length: ${connections} }, loop));`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.end(body);
  const statuses = new Map<string, number>();
  let began = performance.now();
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    for (const status of text.trim().split("\n")) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  });
  return {
    /** Since the last call. */
    rate: () => {
      const seconds = (performance.now() - began) / 1000;
      const rates = [...statuses].map(([status, count]) => `${(count / seconds).toFixed(1)} × ${status}`);
      began = performance.now();
      statuses.clear();
      return rates.join(", ");
    },
    stop: async () => {
      const closed = once(child, "close");
      child.kill();
      await closed;
    },
  };
}
