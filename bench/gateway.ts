/**
 * What forwarding a chat to an engine costs: the time that Sotto adds to a streamed reply, beside a bare pass-through
 * (node:http and undici, which checks and counts nothing) and the npm package @portkey-ai/gateway, all in one run and
 * each in a process of its own, in front of the same scripted engine.
 *
 * `encrypted` is the same Sotto, asked with encrypted bodies: what that adds is measured in its processor time.
 *
 * Added time is the difference to asking the engine directly with the same number of connections. Portkey is fetched
 * from npm into a temporary folder: `npm run bench -- gateway`; SOTTO_BENCH_PORTKEY=off leaves it out.
 * SOTTO_BENCH_EARLIER=<folder of another checkout> adds that build, to see whether a change costs anything.
 */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Pool } from "undici";
import { fetchPublicKey, sealRequest } from "../test/support/clients/encrypting-client.js";
import { startSotto, type SottoProcess } from "../test/support/processes/sotto-process.js";
import { freePort, processorMs } from "./contenders.js";
import { noLimits } from "./load.js";

const fragments = 20;
const portkeyPackage = "@portkey-ai/gateway@1.15.2";
const turns = 4;
const warmUpRequests = 4_000;
const warmUpMs = 20_000;
const rounds = [
  { connections: 1, seconds: 3 },
  { connections: 32, seconds: 4 },
  { connections: 256, seconds: 4 },
];

interface Contender {
  name: string;
  port: number;
  pid: number;
  headers: Record<string, string>;
  /** What requests are encrypted to, where they are. */
  publicKey?: Buffer;
}

interface Measured {
  p50: number;
  p99: number;
  requestsPerSecond: number;
  /** Of the contender's process, for each request: more meaningful than time on a busy machine. */
  cpuMs: number;
  failures: number;
}

export async function benchGateway(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "sotto-bench-gateway-"));
  const children: ChildProcess[] = [];
  const started: SottoProcess[] = [];
  const start = (role: string, env: Record<string, string> = {}) => startRole(role, env, children);
  try {
    const engine = await start("engine");
    const engineUrl = `http://127.0.0.1:${engine.port}/v1`;
    const sotto = await startBefore(engineUrl);
    started.push(sotto);
    const plain = await asContender(sotto);
    const contenders: Contender[] = [
      { ...engine, name: "direct" },
      { ...(await start("bare", { ENGINE: engineUrl })), name: "bare" },
      plain,
      { ...plain, name: "encrypted", publicKey: await fetchPublicKey(sotto.url) },
    ];
    const earlier = process.env.SOTTO_BENCH_EARLIER;
    if (earlier !== undefined) {
      const before = await startBefore(engineUrl, join(earlier, "dist/main.js"));
      started.push(before);
      contenders.push({ ...(await asContender(before)), name: "earlier" });
    }
    const portkey = await startPortkey(folder, engineUrl, children);
    if (portkey !== null) contenders.push(portkey);

    for (const contender of contenders) await warmUp(contender);
    console.log(`a streamed reply of ${fragments} fragments; times in ms\n`);
    console.log(
      "connections  contender      p50      p99   added p50   added p99   requests/s   chunks/s   CPU ms   failed",
    );
    for (const { connections, seconds } of rounds) {
      const samples = new Map(contenders.map((contender) => [contender, newSample()]));
      for (const contender of contenders) await load(contender, connections, 1, newSample());
      // Alternating, so that other load on the machine affects all of them.
      for (let turn = 0; turn < turns; turn++) {
        for (const [contender, sample] of samples)
          await load(contender, connections, seconds / turns, sample);
      }
      report(connections, new Map([...samples].map(([{ name }, sample]) => [name, measured(sample)])));
    }
    console.log("");
    for (const { name, pid } of contenders.slice(1))
      console.log(`memory after it all: ${name} ${megabytes(pid)} MB`);
  } finally {
    for (const child of children) child.kill("SIGKILL");
    await Promise.all(started.map((sotto) => sotto.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

function report(connections: number, results: ReadonlyMap<string, Measured>): void {
  const direct = results.get("direct");
  const added = (name: string, part: "p50" | "p99") =>
    (results.get(name)?.[part] ?? NaN) - (direct?.[part] ?? NaN);
  for (const [name, { p50, p99, requestsPerSecond, cpuMs, failures }] of results) {
    const isDirect = name === "direct";
    console.log(
      [
        String(connections).padStart(11),
        ` ${name.padEnd(9)}`,
        p50.toFixed(2).padStart(8),
        p99.toFixed(2).padStart(8),
        (isDirect ? "" : added(name, "p50").toFixed(2)).padStart(11),
        (isDirect ? "" : added(name, "p99").toFixed(2)).padStart(11),
        requestsPerSecond.toFixed(0).padStart(12),
        (requestsPerSecond * fragments).toFixed(0).padStart(10),
        cpuMs.toFixed(2).padStart(8),
        String(failures).padStart(8),
      ].join(" "),
    );
  }
  const ratio = (other: string) => (added("sotto", "p50") / added(other, "p50")).toFixed(2);
  const cpu = (other: string) =>
    ((results.get("sotto")?.cpuMs ?? NaN) / (results.get(other)?.cpuMs ?? NaN)).toFixed(2);
  console.log(
    `  Sotto adds ${ratio("bare")} of the bare pass-through (target: at most 1.5), CPU ${cpu("bare")}`,
  );
  const [before, after] = [results.get("sotto")?.cpuMs ?? NaN, results.get("encrypted")?.cpuMs ?? NaN];
  const addedCpu = ((after / before - 1) * 100).toFixed(0);
  console.log(`  Encryption adds ${addedCpu} % to a request's CPU (target: at most 15 %)`);
  if (!results.has("portkey")) return;
  console.log(`  Sotto adds ${ratio("portkey")} of Portkey (target: below 0.33), CPU ${cpu("portkey")}`);
}

interface Sample {
  times: number[];
  elapsedMs: number;
  cpuMs: number;
  failures: number;
}

const newSample = (): Sample => ({ times: [], elapsedMs: 0, cpuMs: 0, failures: 0 });

/** Until the code is compiled, by requests rather than by time: on a busy machine a second is too few of them. */
async function warmUp(contender: Contender): Promise<void> {
  const sample = newSample();
  const endsAt = performance.now() + warmUpMs;
  while (sample.times.length < warmUpRequests && performance.now() < endsAt)
    await load(contender, 32, 1, sample);
}

/** Closed loop: every connection sends its next request as soon as it has the response. */
async function load(
  { port, pid, headers, publicKey }: Contender,
  connections: number,
  seconds: number,
  sample: Sample,
): Promise<void> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections });
  const body = JSON.stringify({
    model: "omega",
    messages: [{ role: "user", content: "Tell me something about the sea, in a few sentences." }],
    max_tokens: 200,
    stream: true,
  });
  const startedAt = performance.now();
  const cpuBefore = processorMs([pid]);
  const worker = async () => {
    while (performance.now() < startedAt + seconds * 1000) {
      const askedAt = performance.now();
      const sealed = publicKey === undefined ? null : sealRequest(publicKey, [body]);
      const response = await pool.request({
        method: "POST",
        path: "/v1/chat/completions",
        headers: {
          "content-type": "application/json",
          ...headers,
          ...(sealed === null ? {} : { "ehbp-encapsulated-key": sealed.encapsulated }),
        },
        body: sealed === null ? body : Buffer.concat(sealed.frames),
      });
      const bytes = Buffer.from(await response.body.arrayBuffer());
      const nonce = response.headers["ehbp-response-nonce"];
      const text = sealed === null ? bytes.toString() : sealed.openReply(String(nonce), bytes);
      if (response.statusCode !== 200 || !text.includes("[DONE]")) sample.failures += 1;
      sample.times.push(performance.now() - askedAt);
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  sample.elapsedMs += performance.now() - startedAt;
  sample.cpuMs += processorMs([pid]) - cpuBefore;
  await pool.close();
}

function measured({ times, elapsedMs, cpuMs, failures }: Sample): Measured {
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? NaN;
  return {
    p50: at(0.5),
    p99: at(0.99),
    requestsPerSecond: (times.length / elapsedMs) * 1000,
    cpuMs: cpuMs / times.length,
    failures,
  };
}

/** The program as users run it, with limits that are never reached. */
/** In front of the engine at this address. */
function startBefore(url: string, program?: string): Promise<SottoProcess> {
  const members = JSON.stringify([{ url, profile: "openai", acceptSharedCache: true, maxConcurrent: 512 }]);
  return startSotto({
    env: {
      NODE_ENV: "production",
      SOTTO_MODELS_OMEGA_UPSTREAMS: members,
      SOTTO_MODELS_PRISM_UPSTREAMS: members,
      SOTTO_MODELS_LAMBDA_UPSTREAMS: members,
      SOTTO_LOG_LEVEL: "warn",
      ...noLimits,
      SOTTO_QUEUE_LENGTH: "10000",
    },
    ...(program === undefined ? {} : { program: [program, "serve"] }),
  });
}

async function asContender(sotto: SottoProcess): Promise<Contender> {
  const headers = { authorization: `Bearer ${await sotto.newKey()}` };
  return { name: "sotto", port: Number(new URL(sotto.url).port), pid: sotto.pid, headers };
}

async function startRole(
  role: string,
  env: Record<string, string>,
  children: ChildProcess[],
): Promise<Omit<Contender, "name">> {
  const child = spawn(
    process.execPath,
    ["--import", "tsx", fileURLToPath(new URL("gateway-roles.ts", import.meta.url)), role],
    {
      env: { ...process.env, NODE_ENV: "production", ...env },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  children.push(child);
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const { port } = JSON.parse(line.toString()) as { port: number };
  return { port, pid: child.pid ?? 0, headers: {} };
}

/**
 * Run as npm installs it, Portkey fails every stream on Node 20: it adds headers to an answer of `fetch`, which
 * are immutable under the version of Hono that its range resolves to. A response with its own headers fixes
 * that, at negligible cost.
 */
const mutableHeaders = `const real = fetch, Answer = Response;
globalThis.fetch = async (...args) => {
  const answer = await real(...args);
  const { status, statusText } = answer;
  return new Answer(answer.body, { status, statusText, headers: new Headers(answer.headers) });
};`;

/** Null, with a printed reason, when it is not available here. */
async function startPortkey(
  folder: string,
  engineUrl: string,
  children: ChildProcess[],
): Promise<Contender | null> {
  if (process.env.SOTTO_BENCH_PORTKEY === "off") return null;
  console.log(`fetching ${portkeyPackage} …`);
  try {
    await promisify(execFile)(
      "npm",
      ["install", "--no-audit", "--no-fund", "--prefix", folder, portkeyPackage],
      {
        timeout: 300_000,
      },
    );
  } catch {
    console.log("It could not be fetched; measured without it.\n");
    return null;
  }
  const program = join(folder, "node_modules/@portkey-ai/gateway/build/start-server.js");
  if (!existsSync(program)) {
    console.log("It has no server where it was expected; measured without it.\n");
    return null;
  }
  const port = await freePort();
  const child = spawn(
    process.execPath,
    [
      "--import",
      `data:text/javascript,${encodeURIComponent(mutableHeaders)}`,
      program,
      "--headless",
      `--port=${port}`,
    ],
    {
      env: { ...process.env, NODE_ENV: "production" },
      stdio: "ignore",
    },
  );
  children.push(child);
  const headers = {
    authorization: "Bearer anything",
    "x-portkey-provider": "openai",
    "x-portkey-custom-host": engineUrl,
  };
  for (let tries = 0; tries < 100; tries++) {
    await sleep(100);
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => null);
    if (answer !== null) return { name: "portkey", port, pid: child.pid ?? 0, headers };
  }
  console.log("It did not start; measured without it.\n");
  return null;
}

function megabytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Math.round(Number(kilobytes ?? 0) / 1024);
}
