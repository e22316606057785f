/**
 * Requests a second of a gateway with one process and with several (`SOTTO_PROCESSES`), and the processor time of a
 * request in those that serve and in the one that owns what they share: the latter is the ceiling. Whole replies and
 * streams, closed loop. Engine and load have processes of their own, on other cores where there are enough (`taskset`).
 *
 * `BENCH_PROCESSES=1,4,8 npm run bench -- processes`
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { childrenOf } from "../test/support/processes/children.js";
import { eventually } from "../test/support/eventually.js";
import { type SottoProcess, startSotto } from "../test/support/processes/sotto-process.js";
import { processorMs } from "./contenders.js";
import { inMegabytes, noLimits, residentBytes } from "./load.js";
import type { RawLoad, RawResult } from "./raw-load.js";
import { percentile } from "./statistics.js";

const counts = (process.env.BENCH_PROCESSES ?? "1,4").split(",").map(Number);
const seconds = Number(process.env.BENCH_SECONDS ?? 4);
const rounds = 2;
const loads = [
  { stream: false, connections: 64 },
  { stream: true, connections: 64 },
  { stream: true, connections: 256 },
];

const cores = availableParallelism();
const hasRoom = cores >= 12;
/** The first half and one more for Sotto, the rest for the engine and the load. */
const [half, quarter] = [Math.floor(cores / 2), Math.floor(cores / 4)];
const places = {
  sotto: `0-${half}`,
  engine: `${half + 1}-${half + quarter}`,
  load: `${half + quarter + 1}-${cores - 1}`,
};
const loadProcesses = hasRoom ? 3 : 1;

interface Contender {
  count: number;
  sotto: SottoProcess;
  key: string;
}

export async function benchProcesses(): Promise<void> {
  const engine = startRole("engine");
  const contenders: Contender[] = [];
  try {
    const [line] = (await once(engine.stdout ?? engine, "data")) as [Buffer];
    const { port } = JSON.parse(line.toString()) as { port: number };
    for (const count of counts) contenders.push(await startWith(count, `http://127.0.0.1:${port}/v1`));
    for (const contender of contenders)
      for (const load of loads) await measure(contender, { ...load, seconds: 2 });
    for (let round = 0; round < rounds; round++)
      for (const load of loads)
        for (const contender of contenders)
          report(contender, load, await measure(contender, { ...load, seconds }));
    for (const { count, sotto } of contenders) {
      const bytes = [sotto.pid, ...childrenOf(sotto.pid)].map(residentBytes);
      console.log(`memory of ${count}: ${bytes.map(inMegabytes).join(", ")}`);
    }
  } finally {
    await Promise.all(contenders.map(({ sotto }) => sotto.stop()));
    engine.kill("SIGKILL");
  }
}

async function startWith(count: number, url: string): Promise<Contender> {
  const members = JSON.stringify([{ url, profile: "openai", acceptSharedCache: true, maxConcurrent: 1024 }]);
  const sotto = await startSotto({
    env: {
      NODE_ENV: "production",
      SOTTO_PROCESSES: String(count),
      SOTTO_MODELS_OMEGA_UPSTREAMS: members,
      SOTTO_MODELS_PRISM_UPSTREAMS: members,
      SOTTO_MODELS_LAMBDA_UPSTREAMS: members,
      SOTTO_QUEUE_LENGTH: "10000",
      ...noLimits,
    },
  });
  await eventually(() => (sotto.output().match(/"msg":"listening"/g)?.length ?? 0) === count);
  if (hasRoom) {
    for (const pid of [sotto.pid, ...childrenOf(sotto.pid)])
      await once(spawn("taskset", ["-a", "-p", "-c", places.sotto, String(pid)]), "close");
  }
  return { count, sotto, key: await sotto.newKey() };
}

interface Measured {
  requests: number;
  perSecond: number;
  times: number[];
  failures: number;
  ownerUs: number;
  servingUs: number;
}

async function measure(
  { count, sotto, key }: Contender,
  load: Omit<RawLoad, "port" | "key">,
): Promise<Measured> {
  const serving = count === 1 ? [sotto.pid] : childrenOf(sotto.pid);
  const before = [processorMs([sotto.pid]), processorMs(serving)] as const;
  const connections = Math.ceil(load.connections / loadProcesses);
  const given: RawLoad = { ...load, connections, key, port: Number(new URL(sotto.url).port) };
  const results = await Promise.all(
    Array.from({ length: loadProcesses }, () => resultOf(startRole("load", given))),
  );
  const times = results.flatMap((result) => result.times).sort((a, b) => a - b);
  const took = Math.max(...results.map((result) => result.seconds));
  const perRequest = (ms: number) => (ms * 1000) / times.length;
  return {
    requests: times.length,
    perSecond: times.length / took,
    times,
    failures: results.reduce((sum, { failures }) => sum + failures, 0),
    ownerUs: count === 1 ? 0 : perRequest(processorMs([sotto.pid]) - before[0]),
    servingUs: perRequest(processorMs(serving) - before[1]),
  };
}

function report(
  { count }: Contender,
  { stream, connections }: (typeof loads)[number],
  { perSecond, times, failures, ownerUs, servingUs }: Measured,
): void {
  console.log(
    [
      `${stream ? "streams" : "whole"}, ${connections} connections`.padEnd(24),
      `${count} processes`.padEnd(12),
      `${perSecond.toFixed(0)}/s`.padStart(9),
      `p50 ${percentile(times, 0.5).toFixed(1)} ms`,
      `p99 ${percentile(times, 0.99).toFixed(1)} ms`,
      `serving ${servingUs.toFixed(0)} µs`,
      `owner ${ownerUs.toFixed(1)} µs`,
      `failed ${failures}`,
    ].join("  "),
  );
}

async function resultOf(child: ChildProcess): Promise<RawResult> {
  let text = "";
  child.stdout?.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  await once(child, "close");
  return JSON.parse(text) as RawResult;
}

function startRole(role: "engine" | "load", given: object = {}): ChildProcess {
  const file = fileURLToPath(new URL("gateway-roles.ts", import.meta.url));
  const command = [process.execPath, "--import", "tsx", file, role, JSON.stringify(given)];
  const [program = "", ...args] = hasRoom ? ["taskset", "-c", places[role], ...command] : command;
  return spawn(program, args, {
    env: { ...process.env, NODE_ENV: "production" },
    stdio: ["ignore", "pipe", "inherit"],
  });
}
