/** The built program as its users run it: a process of its own, with its own folders. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../eventually.js";
import { Browser, password } from "./browser-requests.js";

export interface SottoProcess {
  url: string;
  baseURL: string;
  pid: number;
  dataDir: string;
  tempDir: string;
  /** Everything it has printed so far, both streams. */
  output(): string;
  /** Runs a command on the same data directory; rejects when it fails. */
  run(...args: string[]): Promise<string>;
  /** Signs up, creates a key, with these options of the command where there are any, and returns it. */
  newKey(...options: string[]): Promise<string>;
  metric(name: string, model?: string): Promise<number>;
  kill(signal: NodeJS.Signals): void;
  /** The exit code once it has ended by itself; null after a signal. */
  exited(): Promise<number | null>;
  stop(): Promise<number | null>;
}

export interface SottoOptions {
  env?: Record<string, string>;
  dataDir?: string;
  /** What to start instead of the built program, with Node's own options before it. */
  program?: readonly string[];
  /** Most files it may have open; by default as many as this process. */
  openFiles?: number;
}

export const newDataDir = (): string => mkdtempSync(join(tmpdir(), "sotto-test-"));

export const metricsToken = "metrics-token-of-the-tests";

export async function startSotto(options: SottoOptions = {}): Promise<SottoProcess> {
  const dataDir = options.dataDir ?? newDataDir();
  const tempDir = mkdtempSync(join(tmpdir(), "sotto-temp-"));
  const env = {
    PATH: process.env.PATH,
    HOME: tempDir,
    TMPDIR: tempDir,
    SOTTO_DATA_DIR: dataDir,
    SOTTO_PORT: "0",
    SOTTO_METRICS_TOKEN: metricsToken,
    ...options.env,
  };
  let output = "";
  const command = [process.execPath, ...(options.program ?? ["dist/main.js", "serve"])];
  const child = spawn(...withOpenFiles(options.openFiles, command), {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const url = await eventually(() => {
    if (child.exitCode !== null) throw new Error(`sotto ended at start:\n${output}`);
    return /^API +(https?:\/\/\S+)\/v1$/m.exec(output)?.[1];
  }, 240_000);

  let accounts = 0;
  const run = (...args: string[]) => runSotto(args, env);
  return {
    url,
    baseURL: `${url}/v1`,
    pid: child.pid ?? 0,
    dataDir,
    tempDir,
    output: () => output,
    run,
    newKey: async (...options) => {
      accounts += 1;
      const email = `user${accounts}-${Date.now()}@example.com`;
      const user = new Browser(url);
      await user.post("/api/sign-up", { email, password });
      if (options.length === 0) {
        const body = { name: "of a test", models: null, expiresInDays: null };
        return (await user.post<{ secret: string }>("/api/keys", body)).secret;
      }
      const created = JSON.parse(await run("keys", "create", email, ...options, "--json")) as { key: string };
      return created.key;
    },
    metric: async (name, model) => {
      const response = await fetch(`${url}/metrics`, {
        headers: { authorization: `Bearer ${metricsToken}` },
      });
      const labels = model === undefined ? "" : `\\{model="${model}"\\}`;
      const value = new RegExp(`^${name}${labels} (\\S+)$`, "m").exec(await response.text())?.[1];
      if (value === undefined) throw new Error(`there is no metric ${name}`);
      return Number(value);
    },
    kill: (signal) => {
      child.kill(signal);
    },
    exited: async () => {
      if (child.exitCode === null && child.signalCode === null) await once(child, "close");
      return child.exitCode;
    },
    stop: () => stop(child),
  };
}

/** The shell sets the limit for itself and becomes the program. */
function withOpenFiles(openFiles: number | undefined, command: string[]): [string, string[]] {
  if (openFiles === undefined) return [command[0] ?? "", command.slice(1)];
  return ["sh", ["-c", 'ulimit -n "$0" && exec "$@"', String(openFiles), ...command]];
}

/** Runs one command to its end. */
export async function runSotto(args: string[], env: NodeJS.ProcessEnv, input = ""): Promise<string> {
  const child = spawn(process.execPath, ["dist/main.js", ...args], { env, stdio: ["pipe", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  child.stdin.end(input);
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`sotto ${args.join(" ")} ended with ${code ?? "a signal"}:\n${stderr}`);
  return stdout;
}

async function stop(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const closed = once(child, "close");
  child.kill("SIGTERM");
  const force = setTimeout(() => child.kill("SIGKILL"), 20_000);
  await closed;
  clearTimeout(force);
  return child.exitCode;
}
