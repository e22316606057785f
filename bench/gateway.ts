/**
 * What forwarding a chat to an engine costs: the time that Sotto adds to a streamed reply, beside two that check and count
 * nothing, HAProxy and a bare pass-through (node:http and undici), and two gateways from npm, @portkey-ai/gateway and
 * @musistudio/llms (the server of claude-code-router), all in one run and in front of the same scripted engine. Each has
 * one thread that serves, but for `sotto x 4`, which has four processes.
 *
 * `encrypted` is the same Sotto, asked with encrypted bodies: what that adds is measured in its processor time.
 *
 * Added time is the difference to asking the engine directly with the same number of connections. The gateways are
 * fetched from npm into a temporary folder: `npm run bench -- gateway`; SOTTO_BENCH_GATEWAYS=off leaves them out.
 * SOTTO_BENCH_EARLIER=<folder of another checkout> adds that build, to see whether a change costs anything.
 */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Pool } from "undici";
import { fetchPublicKey, sealRequest } from "../test/support/clients/encrypting-client.js";
import { eventually } from "../test/support/eventually.js";
import { childrenOf } from "../test/support/processes/children.js";
import { startSotto, type SottoProcess } from "../test/support/processes/sotto-process.js";
import { freePort, processorMs } from "./contenders.js";
import { noLimits } from "./load.js";

const fragments = 20;
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
  pids: number[];
  headers: Record<string, string>;
  /** How it calls the model; omega unless said. */
  model?: string;
  /** What requests are encrypted to, where they are. */
  publicKey?: Buffer;
}

interface Measured {
  p50: number;
  p99: number;
  requestsPerSecond: number;
  /** Of the contender's processes, for each request: more meaningful than time on a busy machine. */
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
      ...(await startHaproxy(folder, engine.port, children)),
      { ...(await start("bare", { ENGINE: engineUrl })), name: "bare" },
      plain,
      { ...plain, name: "encrypted", publicKey: await fetchPublicKey(sotto.url) },
    ];
    const four = await startBefore(engineUrl, { processes: 4 });
    started.push(four);
    await eventually(() => childrenOf(four.pid).length === 4);
    contenders.push({ ...(await asContender(four)), name: "sotto x 4" });
    const earlier = process.env.SOTTO_BENCH_EARLIER;
    if (earlier !== undefined) {
      const before = await startBefore(engineUrl, { program: join(earlier, "dist/main.js") });
      started.push(before);
      contenders.push({ ...(await asContender(before)), name: "earlier" });
    }
    for (const gateway of process.env.SOTTO_BENCH_GATEWAYS === "off" ? [] : gateways)
      contenders.push(...(await startGateway(gateway, folder, engineUrl, children)));

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
    for (const { name, pids } of contenders.slice(1))
      console.log(`memory after it all: ${name} ${pids.map(megabytes).join(" + ")} MB`);
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
  // The added time of one that adds next to nothing is noise.
  if (results.has("haproxy")) console.log(`  Sotto's CPU: ${cpu("haproxy")} of HAProxy's`);
  const [before, after] = [results.get("sotto")?.cpuMs ?? NaN, results.get("encrypted")?.cpuMs ?? NaN];
  const addedCpu = ((after / before - 1) * 100).toFixed(0);
  console.log(`  Encryption adds ${addedCpu} % to a request's CPU (target: at most 15 %)`);
  for (const { name } of gateways)
    if (results.has(name))
      console.log(`  Sotto adds ${ratio(name)} of ${name} (target: below 0.33), CPU ${cpu(name)}`);
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
  { port, pids, headers, publicKey, model = "omega" }: Contender,
  connections: number,
  seconds: number,
  sample: Sample,
): Promise<void> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections });
  const body = JSON.stringify({
    model,
    messages: [{ role: "user", content: "Tell me something about the sea, in a few sentences." }],
    max_tokens: 200,
    stream: true,
  });
  const startedAt = performance.now();
  const cpuBefore = processorMs(pids);
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
  sample.cpuMs += processorMs(pids) - cpuBefore;
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

/** The program as users run it, with limits that are never reached, in front of the engine at this address. */
function startBefore(
  url: string,
  { program, processes = 1 }: { program?: string; processes?: number } = {},
): Promise<SottoProcess> {
  const members = JSON.stringify([{ url, profile: "openai", acceptSharedCache: true, maxConcurrent: 512 }]);
  return startSotto({
    env: {
      NODE_ENV: "production",
      SOTTO_PROCESSES: String(processes),
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
  const pids = [sotto.pid, ...childrenOf(sotto.pid)];
  return { name: "sotto", port: Number(new URL(sotto.url).port), pids, headers };
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
  return { port, pids: [child.pid ?? 0], headers: {} };
}

/** The floor for any proxy. None, with a printed reason, when it is not installed. */
async function startHaproxy(
  folder: string,
  enginePort: number,
  children: ChildProcess[],
): Promise<Contender[]> {
  const port = await freePort();
  const file = join(folder, "haproxy.cfg");
  writeFileSync(
    file,
    `global
  nbthread 1
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
listen gateway
  bind 127.0.0.1:${port}
  http-reuse always
  server engine 127.0.0.1:${enginePort}
`,
  );
  // Debian has it where only root looks.
  const env = { ...process.env, PATH: `${process.env.PATH ?? ""}:/usr/sbin` };
  const child = spawn("haproxy", ["-db", "-f", file], { env, stdio: "ignore" });
  children.push(child);
  const contender = { name: "haproxy", port, pids: [child.pid ?? 0], headers: {} };
  return (await untilListening(child, port)) ? [contender] : without("haproxy");
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

interface Gateway {
  name: string;
  package: string;
  /** Within the installed package: given to Node, with these options before it and arguments after it. */
  command: (installed: string, port: number, engineUrl: string) => string[];
  headers: (engineUrl: string) => Record<string, string>;
  model?: string;
}

const asModule = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;

const gateways: readonly Gateway[] = [
  {
    name: "portkey",
    package: "@portkey-ai/gateway@1.15.2",
    command: (installed, port) => [
      ...["--import", asModule(mutableHeaders)],
      ...[join(installed, "@portkey-ai/gateway/build/start-server.js"), "--headless", `--port=${port}`],
    ],
    headers: (engineUrl) => ({
      authorization: "Bearer anything",
      "x-portkey-provider": "openai",
      "x-portkey-custom-host": engineUrl,
    }),
  },
  {
    name: "llms",
    package: "@musistudio/llms@1.0.53",
    command: (installed, port, engineUrl) => [
      ...["--input-type=module", "--eval"],
      `import { createRequire } from "node:module";
const { default: Server } = createRequire(${JSON.stringify(`${installed}/`)})("@musistudio/llms");
const provider = { name: "bench", api_base_url: "${engineUrl}/chat/completions", api_key: "none", models: ["omega"] };
new Server({ useJsonFile: false, logger: false, initialConfig: { HOST: "127.0.0.1", PORT: ${port}, providers: [provider] } }).start();`,
    ],
    headers: () => ({ authorization: "Bearer anything" }),
    model: "bench,omega",
  },
];

/** None, with a printed reason, when it is not available here. */
async function startGateway(
  { name, package: wanted, command, headers, model }: Gateway,
  folder: string,
  engineUrl: string,
  children: ChildProcess[],
): Promise<Contender[]> {
  console.log(`fetching ${wanted} …`);
  const install = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder, wanted];
  try {
    await promisify(execFile)("npm", install, { timeout: 300_000 });
  } catch {
    return without(name);
  }
  const port = await freePort();
  const child = spawn(process.execPath, command(join(folder, "node_modules"), port, engineUrl), {
    env: { ...process.env, NODE_ENV: "production" },
    stdio: "ignore",
  });
  children.push(child);
  if (!(await untilListening(child, port))) return without(name);
  const named = model === undefined ? {} : { model };
  return [{ name, port, pids: [child.pid ?? 0], headers: headers(engineUrl), ...named }];
}

function without(name: string): [] {
  console.log(`${name} is not available here; measured without it.`);
  return [];
}

/** False when it ended instead, or could not be started. */
async function untilListening(child: ChildProcess, port: number): Promise<boolean> {
  const gone = new AbortController();
  for (const end of ["error", "exit"]) child.once(end, () => gone.abort());
  for (let tries = 0; tries < 300 && !gone.signal.aborted; tries++) {
    if ((await fetch(`http://127.0.0.1:${port}/`).catch(() => null)) !== null) return true;
    await sleep(100);
  }
  return false;
}

function megabytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Math.round(Number(kilobytes ?? 0) / 1024);
}
