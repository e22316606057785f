/** A llama-server of its own for a test, on a model with random weights that it loads in a second. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../support/eventually.js";
import { freePort } from "../support/processes/free-port.js";
import { writeTinyGguf, type TinyModel } from "../support/engines/tiny-gguf.js";
import { programPath } from "./require-program.js";

export interface LlamaServer {
  origin: string;
  /** For the upstream's settings. */
  url: string;
  /** What it has written so far. */
  log(): string;
  /** As it answers, as JSON. */
  get(path: string): Promise<unknown>;
  post(path: string, body: object): Promise<unknown>;
  /** Ends it as a crash does. */
  kill(): Promise<void>;
  /** The same again, after `kill`. */
  start(): Promise<void>;
  close(): Promise<void>;
}

export interface LlamaServerOptions {
  model?: TinyModel;
  /** Writes a model of another kind instead. */
  writeModel?: (path: string) => void;
  arguments?: readonly string[];
  env?: Readonly<Record<string, string>>;
}

export async function startLlamaServer(options: LlamaServerOptions = {}): Promise<LlamaServer> {
  const folder = mkdtempSync(join(tmpdir(), "sotto-llama-server-"));
  const weights = join(folder, "tiny.gguf");
  if (options.writeModel === undefined) writeTinyGguf(weights, options.model);
  else options.writeModel(weights);
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const size = ["-np", "4", "-c", "4096", "-t", "1"];
  const place = ["-m", weights, "--host", "127.0.0.1", "--port", String(port)];
  let child: ChildProcess | null = null;
  let log = "";

  const start = async () => {
    const started = spawn(programPath(), [...place, ...size, ...(options.arguments ?? [])], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? "", ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    child = started;
    for (const stream of [started.stdout, started.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => (log += text));
    }
    await eventually(async () => {
      if (started.exitCode !== null) throw new Error(`llama-server ended with ${started.exitCode}: ${log}`);
      return await fetch(`${origin}/health`).then(
        ({ ok }) => ok,
        () => false,
      );
    });
  };
  const kill = async () => {
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  };
  await start();
  return {
    origin,
    url: `${origin}/v1`,
    log: () => log,
    get: async (path) => (await fetch(origin + path)).json(),
    post: async (path, body) =>
      (await fetch(origin + path, { method: "POST", body: JSON.stringify(body) })).json(),
    kill,
    start,
    close: async () => {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
