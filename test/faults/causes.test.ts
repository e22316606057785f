/** What an operator reads when a dependency fails: the cause with its code, and what to do, wherever they look. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CommandLine, type CommandResult } from "../cli/run.js";
import { eventually } from "../support/eventually.js";
import { writeTinyGguf } from "../support/engines/tiny-gguf.js";
import { startDashboard } from "../support/processes/dashboard-server.js";
import { TestPostgres } from "../support/stores/postgres.js";
import { noRedis, TestRedis } from "../support/stores/redis.js";

let line: CommandLine;
beforeEach(async () => {
  line = await CommandLine.open();
});
afterEach(() => line.dispose());

/** Models that load at once. */
function tinyModels(): Record<string, string> {
  const weights = join(line.dataDir, "tiny.gguf");
  writeTinyGguf(weights);
  return Object.fromEntries(
    ["OMEGA", "PRISM", "LAMBDA"].map((model) => [`SOTTO_MODELS_${model}_WEIGHTS`, weights]),
  );
}

const doctor = async (env: Record<string, string>): Promise<string> =>
  (await line.start(["doctor"], { env: { SOTTO_PORT: "0", ...env } })).stdout;

describe("no permission on the data directory", () => {
  /**
   * Root may write anywhere, by a capability that it can give up. Another user could not read a checkout that only
   * root may enter.
   */
  const asItself = ["env"];
  const withoutOverride = ["setpriv", "--bounding-set=-dac_override"];
  const [wrapper = "env", ...options] = process.getuid?.() === 0 ? withoutOverride : asItself;

  const restricted = async (...args: string[]): Promise<CommandResult> => {
    const program = [process.execPath, "dist/main.js", ...args, "--data-dir", line.dataDir];
    const child = spawn(wrapper, [...options, ...program], {
      env: { PATH: process.env.PATH, SOTTO_PORT: "0" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const result: CommandResult = { code: null, stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => (result.stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (result.stderr += text));
    await once(child, "close");
    return { ...result, code: child.exitCode };
  };

  it("is reported at start and by the doctor, with the remedy", async ({ skip }) => {
    const canRead = spawnSync(wrapper, [...options, "test", "-r", "dist/main.js"]).status === 0;
    skip(!canRead, "root cannot give up its right to write anywhere: setpriv or a capability is missing");
    chmodSync(line.dataDir, 0o555);
    const reason = `The data directory ${line.dataDir} cannot be written to: this user has no permission (EACCES)`;
    const next = "Give the directory to the user that runs Sotto, or choose another directory";
    const served = await restricted("serve");
    expect(served.code).toBe(1);
    expect(served.stderr).toContain(`${reason}. ${next}`);
    const { stdout } = await restricted("doctor");
    expect(stdout).toMatch(/BROKEN +data directory/);
    expect(stdout).toContain(reason);
    expect(stdout).toContain(`→ ${next}`);
  });
});

describe("a Postgres that refuses the password", () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await TestPostgres.start();
  });
  afterAll(() => postgres.dispose());

  const reason = "the server refused the user name or password (28P01)";
  const next = "Correct them in SOTTO_DATABASE_URL";

  it("is named at the start and by the doctor, without the password", async () => {
    const env = { SOTTO_DATABASE_URL: postgres.url("postgres").replace(":password@", ":hunter2@") };
    const served = await line.start(["serve"], { env: { SOTTO_PORT: "0", ...env } });
    expect(served.code).toBe(1);
    expect(served.stderr).toContain(`${reason}. ${next}`);
    const found = await doctor(env);
    expect(found).toMatch(/BROKEN +database/);
    expect(found).toContain(reason);
    expect(found).toContain(`→ ${next}`);
    expect(served.stderr + found).not.toContain("hunter2");
  });

  it("while the server runs is in the log and on /readyz", async () => {
    await postgres.query("create role sotto login password 'password'");
    await postgres.query("create database rows owner sotto");
    const service = await startDashboard({ env: { SOTTO_DATABASE_URL: postgres.url("rows", "sotto") } });
    await postgres.query("alter role sotto password 'another'");
    await postgres.query("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'sotto'");
    const logged = (text: string) => eventually(() => service.log().includes(text));
    await logged('"msg":"database unavailable"');
    const failing = async () => {
      const { failing } = (await (await fetch(`${service.url}/readyz`)).json()) as { failing?: object };
      return failing !== undefined && "database" in failing && failing.database === "28P01";
    };
    await eventually(failing);
    await postgres.query("alter role sotto password 'password'");
    await logged('"msg":"database recovered"');
    const log = service.log();
    await service.close();
    expect(log).toMatch(/"cause":"(57P01|28P01|ECONNRESET)","msg":"database unavailable"/);
  });
});

describe.skipIf(noRedis)("a Redis that wants a password", () => {
  it("is named at the start, in the log and by the doctor", async () => {
    const redis = await TestRedis.start({ password: "open-sesame" });
    const reason = `Redis at 127.0.0.1:${redis.port} requires a password (NOAUTH)`;
    const next = "Put it into SOTTO_REDIS_URL";
    const env = { ...tinyModels(), SOTTO_PORT: "0", SOTTO_REDIS_URL: redis.urlWith("") };
    const child = spawn(process.execPath, ["dist/main.js", "serve"], {
      env: { SOTTO_DATA_DIR: line.dataDir, ...env },
      stdio: ["ignore", "ignore", "pipe"],
    });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    await eventually(() => stderr.includes('"listening"'));
    const closed = once(child, "close");
    child.kill("SIGKILL");
    await closed;
    const found = await doctor(env);
    await redis.kill();
    expect(stderr).toContain(`${reason}. ${next}`);
    expect(stderr).toContain('"cause":"NOAUTH"');
    expect(found).toMatch(/BROKEN +redis/);
    expect(found).toContain(reason);
    expect(found).toContain(`→ ${next}`);
  });
});

describe("a port in use", () => {
  it("is named at the start and by the doctor", async () => {
    const other = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const env = { ...tinyModels(), SOTTO_PORT: String(port) };
    const served = await line.start(["serve"], { env });
    const found = await doctor(env);
    other.close();
    expect(served.code).toBe(1);
    expect(served.stderr).toContain(`port ${port} is in use (EADDRINUSE). Stop the program that uses it`);
    // Found before anything was loaded.
    expect(served.stderr).not.toContain("engine");
    expect(found).toContain(`127.0.0.1:${port} is used by another program (EADDRINUSE)`);
    expect(found).toContain("→ Stop the program that uses it");
  });
});
