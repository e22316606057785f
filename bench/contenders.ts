/** What is compared: the whole service, a bare loop on the same binding, and llama-server where there is one. */
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { loadConfig } from "../src/config.js";
import { engineEnvironment } from "../src/engines/llama/child-environment.js";
import { ownLibrary } from "../src/engines/llama/gpu/library/own-library.js";
import { lookForGpu } from "../src/engines/llama/gpu/presence.js";
import type { LoadRequest } from "../src/engines/llama/messages.js";
import { ensureStarterWeights } from "../src/models/starter/starter.js";
import { eventually } from "../test/support/eventually.js";
import { startSotto, type SottoProcess } from "../test/support/processes/sotto-process.js";
import type { BareResult, BareRun } from "./engine/bare-loop.js";
import type { ChatEndpoint } from "./chat-stream.js";
import { timeStream } from "./engine/timed-stream.js";
import { noLimits } from "./load.js";
import { median } from "./statistics.js";

export interface BenchSetup {
  weights: string;
  /** Undefined: each contender's own default. */
  threads: number | undefined;
  sequences: number;
  contextTokens: number;
  /** The data directory with the GPU library and its test result; undefined: an empty one, so that the CPU is used. */
  dataDir?: string | undefined;
}

export interface Rates {
  tokensPerSecond: number;
  /** The median of the streams. */
  firstTokenMs: number;
}

export interface Contender {
  name: string;
  /** Its processes. */
  pids: number[];
  /** Runs one stream for each prompt, all at once. */
  run: (prompts: string[], tokens: number) => Promise<Rates>;
  close: () => Promise<unknown>;
}

/** In the usual data directory, so that the next run finds them there. */
export const starterForBench = (): Promise<string> =>
  ensureStarterWeights(resolve(loadConfig({ env: {} }).service.dataDir), {});

export async function startService(
  setup: BenchSetup,
  env: Record<string, string> = {},
): Promise<{ sotto: SottoProcess; endpoint: ChatEndpoint }> {
  const perModel = ["OMEGA", "PRISM", "LAMBDA"].flatMap((model) => [
    [`SOTTO_MODELS_${model}_WEIGHTS`, setup.weights],
    [`SOTTO_MODELS_${model}_SYSTEM_PROMPT`, ""],
    [`SOTTO_MODELS_${model}_REPEAT_PENALTY`, "1"],
  ]);
  const sotto = await startSotto({
    ...(setup.dataDir === undefined ? {} : { dataDir: setup.dataDir }),
    env: {
      ...libraryPath(),
      ...(Object.fromEntries(perModel) as Record<string, string>),
      SOTTO_ENGINE_THREADS: String(setup.threads ?? ""),
      SOTTO_ENGINE_SEQUENCES: String(setup.sequences),
      SOTTO_ENGINE_CONTEXT_TOKENS: String(setup.contextTokens),
      ...noLimits,
      SOTTO_ENGINE_FIRST_TOKEN_TIMEOUT_MS: "600000",
      SOTTO_ENGINE_NEXT_TOKEN_TIMEOUT_MS: "600000",
      SOTTO_LOG_LEVEL: "error",
      ...env,
    },
  });
  return { sotto, endpoint: { baseURL: sotto.baseURL, key: await sotto.newKey() } };
}

/** The folder of a toolkit's libraries that are not on the system's library path. */
const libraryPath = (): Record<string, string> => {
  const path = process.env.LD_LIBRARY_PATH;
  return path === undefined ? {} : { LD_LIBRARY_PATH: path };
};

/** Over HTTP, any service that speaks the protocol. */
export const overHttp = (
  name: string,
  endpoint: ChatEndpoint,
  pids: number[],
  close: () => Promise<unknown>,
): Contender => ({
  name,
  pids,
  run: async (prompts, tokens) => {
    const startedMs = performance.now();
    const streams = await Promise.all(prompts.map((prompt) => timeStream(endpoint, prompt, tokens)));
    const wallMs = performance.now() - startedMs;
    const total = streams.reduce((sum, stream) => sum + stream.tokens, 0);
    const firstMs = streams.map((stream) => stream.firstMs);
    return { tokensPerSecond: (total / wallMs) * 1000, firstTokenMs: median(firstMs) };
  },
  close,
});

export async function startBareLoop(setup: BenchSetup): Promise<Contender> {
  const file = fileURLToPath(new URL("./engine/bare-loop.ts", import.meta.url));
  const child = fork(file, {
    serialization: "advanced",
    execArgv: process.execArgv,
    env: engineEnvironment(),
  });
  const { dataDir, ...sizes } = setup;
  const library = dataDir === undefined ? undefined : ownLibrary(dataDir, "cuda")?.folder;
  const [gpu = "off"] =
    library === undefined ? lookForGpu({ env: engineEnvironment() }).candidates : ["cuda" as const];
  const request: LoadRequest = {
    ...sizes,
    gpu,
    library,
    prefillChunkTokens: undefined,
    prefixReuse: "off",
    speculation: "off",
    savedStateBytes: undefined,
    cacheType: "f16",
  };
  child.send(request);
  await once(child, "message");
  return {
    name: "bare loop",
    pids: [child.pid ?? 0],
    run: async (prompts, tokens) => {
      const run: BareRun = { prompts: prompts.map(asChat), tokens };
      child.send(run);
      const [{ firstTokenMs, wallMs }] = (await once(child, "message")) as [BareResult];
      return {
        tokensPerSecond: ((prompts.length * tokens) / wallMs) * 1000,
        firstTokenMs: median(firstTokenMs),
      };
    },
    close: async () => {
      child.kill();
      await once(child, "exit");
    },
  };
}

/** About as long as the chat templates make it. */
const asChat = (prompt: string): string => `<|user|>\n${prompt}</s>\n<|assistant|>\n`;

export async function startLlamaServer(binary: string, setup: BenchSetup): Promise<Contender> {
  const { weights, threads, sequences, contextTokens } = setup;
  const sizes = ["-np", sequences, "-c", sequences * contextTokens].map(String);
  const { url, pid, close } = await spawnLlamaServer(binary, weights, threads, sizes);
  return overHttp("llama-server", { baseURL: `${url}/v1`, key: "none" }, [pid], close);
}

export async function spawnLlamaServer(
  binary: string,
  weights: string,
  threads: number | undefined,
  args: readonly string[],
): Promise<{ url: string; pid: number; close: () => Promise<unknown> }> {
  const port = await freePort();
  const more = (process.env.LLAMA_SERVER_ARGS ?? "").split(" ").filter((arg) => arg !== "");
  const ownThreads = threads === undefined ? [] : ["-t", String(threads)];
  const listen = ["--host", "127.0.0.1", "--port", String(port)];
  const child = spawn(binary, ["-m", weights, ...ownThreads, ...args, ...more, ...listen], {
    stdio: "ignore",
  });
  const url = `http://127.0.0.1:${port}`;
  await eventually(async () => (await fetch(`${url}/health`).catch(() => null))?.ok === true, 120_000);
  const close = async () => {
    child.kill();
    await once(child, "exit");
  };
  return { url, pid: child.pid ?? 0, close };
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** CPU time of these processes so far, where the system reports it (Linux); waiting does not count. */
export function processorMs(pids: readonly number[]): number {
  const ticks = pids.map((pid) => {
    const [user = "", system = ""] = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/.*\) /s, "")
      .split(" ")
      .slice(11);
    return Number(user) + Number(system);
  });
  // A tick is a hundredth of a second.
  return ticks.reduce((sum, own) => sum + own, 0) * 10;
}
