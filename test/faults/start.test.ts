/** What the operator reads when the server cannot start, has to wait, or is stopped while it starts. */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import Database from "libsql";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { starterFileNames } from "../../src/models/starter/starter.js";
import { databasePath } from "../../src/store/sql/sqlite.js";
import { CommandLine, type CommandResult } from "../cli/run.js";
import { eventually } from "../support/eventually.js";
import { fillDisk, mountSmallDisk } from "../support/stores/small-disk.js";
import { writeTinyGguf } from "../support/engines/tiny-gguf.js";
import { servedBy } from "../support/processes/tiny-sotto.js";

let line: CommandLine;
beforeEach(async () => {
  line = await CommandLine.open();
});
afterEach(async () => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
  await line.dispose();
});

const started: ChildProcess[] = [];

const serve = (dataDir = line.dataDir, env: Record<string, string> = {}): Promise<CommandResult> =>
  line.start(["serve", "--data-dir", dataDir], { env: { SOTTO_PORT: "0", ...env } });

/** The program, as far as it has come. */
const startServe = (env: Record<string, string>) => startProgram(["serve"], env);

function startProgram(args: readonly string[], env: Record<string, string>) {
  const child = spawn(process.execPath, ["dist/main.js", ...args], {
    env: { SOTTO_DATA_DIR: line.dataDir, SOTTO_PORT: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  started.push(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  return {
    says: (text: string) => eventually(() => output.includes(text)),
    output: () => output,
    exitCode: () => eventually(() => child.exitCode ?? undefined),
    /** Its exit code; null when the signal itself ended it. */
    end: async (signal: NodeJS.Signals): Promise<number | null> => {
      child.kill(signal);
      await once(child, "close");
      return child.exitCode;
    },
  };
}

const disk = mountSmallDisk();

describe.skipIf(disk === null)("a start on a disk that cannot be written to", () => {
  const folder = disk ?? "";
  const ballast = join(folder, "ballast");
  afterEach(() => {
    execFileSync("mount", ["-o", "remount,rw", folder]);
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
  });
  afterAll(() => {
    execFileSync("umount", [folder]);
  });

  const full = "its disk is full (ENOSPC). Make room on that disk, or choose another directory";
  const readOnly = "its file system is read-only (EROFS). Mount it for writing, or choose another directory";

  it.each([
    ["full", full, () => fillDisk(ballast)],
    ["read-only", readOnly, () => void execFileSync("mount", ["-o", "remount,ro", folder])],
  ])("says that it is %s, and what to do", async (_what, sentence, spoil) => {
    const installed = join(folder, "installed");
    // In a process of its own: this one would keep the file open for a while.
    await line.start(["accounts", "create", "ada@example.com", "--data-dir", installed]);
    spoil();
    for (const dataDir of [installed, join(folder, "new")]) {
      const { code, stderr } = await serve(dataDir);
      expect(code).toBe(1);
      expect(stderr).toContain(`The data directory ${dataDir} cannot be written to: ${sentence}`);
      expect(stderr).not.toContain("unexpected");
    }
    const command = await line.start(["accounts", "create", "bob@example.com", "--data-dir", installed]);
    expect(command.stderr).toContain(`The data directory ${installed} cannot be written to: ${sentence}`);
    const { stdout } = await line.start(["doctor", "--data-dir", installed]);
    expect(stdout).toMatch(/BROKEN +data directory +The data directory \S+ cannot be written to/);
  });
});

describe("a start that cannot succeed says why, and what to do", () => {
  it("when the data directory is a file", async () => {
    const file = join(line.dataDir, "file");
    writeFileSync(file, "");
    for (const dataDir of [file, join(file, "below")]) {
      const { code, stderr } = await serve(dataDir);
      expect(code).toBe(1);
      expect(stderr).toContain(`${file} is not a directory (ENOTDIR). Remove that file, or choose another`);
    }
  });

  it.skipIf(!existsSync("/proc/self"))(
    "when nothing can be created where the data directory should be",
    async () => {
      const dataDir = "/proc/nope/below";
      for (const args of [["serve"], ["accounts", "list"]]) {
        const program = startProgram(args, { SOTTO_DATA_DIR: dataDir });
        expect(await program.exitCode()).toBe(1);
        expect(program.output()).toContain(
          `The data directory ${dataDir} cannot be written to: nothing can be created in /proc (ENOENT). Choose another directory`,
        );
      }
      const doctor = startProgram(["doctor"], { SOTTO_DATA_DIR: dataDir });
      expect(await doctor.exitCode()).toBe(1);
      expect(doctor.output()).toMatch(/BROKEN +data directory +The data directory \S+ cannot be written to/);
    },
  );

  it("when the data directory is a link to nowhere", async () => {
    const link = join(line.dataDir, "link");
    symlinkSync(join(line.dataDir, "nowhere"), link);
    for (const dataDir of [link, join(link, "below")]) {
      const server = startServe({ SOTTO_DATA_DIR: dataDir });
      expect(await server.exitCode()).toBe(1);
      expect(server.output()).toContain(
        `${link} is a link that leads nowhere (ENOENT). Correct that link, or choose another`,
      );
    }
  });

  it("when the database is damaged", async () => {
    writeFileSync(databasePath(line.dataDir), "this is no database".repeat(500));
    const { code, stderr } = await serve();
    expect(code).toBe(1);
    expect(stderr).toContain("the file is damaged, or is not a database. Keep a copy of it, then restore");
  });

  it("when the database is of a newer version", async () => {
    await line.run("accounts", "list");
    const database = new Database(databasePath(line.dataDir));
    database.exec("insert into migrations (number, name, applied_at) values (99, 'later', 0)");
    database.close();
    expect((await serve()).stderr).toContain("by a newer version of Sotto");
  });

  it("when the port is in use, or the address is not one of this machine", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const weights = join(line.dataDir, "tiny.gguf");
    writeTinyGguf(weights);
    const models = {
      ...servedBy(weights),
    };
    const taken = await serve(line.dataDir, { ...models, SOTTO_PORT: String(port) });
    other.close();
    expect(taken).toMatchObject({ code: 1 });
    expect(taken.stderr).toContain(`port ${port} is in use (EADDRINUSE).`);
    const elsewhere = await serve(line.dataDir, { ...models, SOTTO_HOST: "192.0.2.1" });
    expect(elsewhere).toMatchObject({ code: 1 });
    expect(elsewhere.stderr).toContain(
      "192.0.2.1 is not an address of this machine (EADDRNOTAVAIL). Choose one with --host",
    );
  });

  it("when the configuration file cannot be read or understood", async () => {
    const file = join(line.dataDir, "sotto.yaml");
    const read = async () => (await line.run("serve", "--config", file)).stderr;
    expect(await read()).toContain(`${file} cannot be read: ENOENT`);
    mkdirSync(file);
    expect(await read()).toContain(`${file} cannot be read: EISDIR`);
    rmSync(file, { recursive: true });
    writeFileSync(file, "port: [8080\n");
    expect(await read()).toMatch(/sotto\.yaml cannot be read: .*line 2/);
  });
});

describe("a start that has to wait", () => {
  it("says for which database, and for how long, without the password", async () => {
    const server = startServe({ SOTTO_DATABASE_URL: "postgres://sotto:hunter2@127.0.0.1:1/rows" });
    await server.says("Waiting for the database rows on 127.0.0.1:1 (up to 30 s) ...");
    expect(await server.end("SIGTERM")).toBe(0);
    expect(server.output()).toContain("Stopping: the server had not started yet.");
    expect(server.output()).not.toContain("hunter2");
  });

  it("reports that it continues without Redis, without printing the password", async () => {
    const server = startServe({ SOTTO_REDIS_URL: "redis://:hunter2@127.0.0.1:1/0" });
    await server.says("Redis at 127.0.0.1:1 cannot be reached (ECONNREFUSED). Check SOTTO_REDIS_URL");
    await server.end("SIGKILL");
    expect(server.output()).not.toContain("hunter2");
  });
});

describe("Ctrl-C", () => {
  it("while models are loading ends the server without an error", async () => {
    const weights = join(line.dataDir, "tiny.gguf");
    writeTinyGguf(weights, { scale: 4 });
    const server = startServe({
      ...servedBy(weights),
    });
    await server.says("is loading its models ...");
    expect(await server.end("SIGINT")).toBe(0);
    expect(server.output()).toContain("Stopping: running replies may finish.");
    expect(server.output()).not.toMatch(/error|in time|could not be loaded|Ready/);
  });
});

describe("a start on the starter", () => {
  const startOn = async (fileName: string) => {
    const path = join(line.dataDir, "weights", fileName);
    writeTinyGguf(path);
    for (const model of ["omega", "prism", "lambda"]) await line.run("models", "use", model, path);
    const server = startServe({});
    await server.says("Dashboard ");
    await server.says("Your API key, shown only once");
    return server.output();
  };

  it("says that it is a demonstration, and how to get a better model", async () => {
    expect(await startOn(starterFileNames[0] ?? "")).toMatch(
      /^The starter is a demonstration model\. .+: .+ models (use omega [a-z0-9.-]+|catalog)$/m,
    );
  });

  it("says nothing of it when another model answers", async () => {
    expect(await startOn("mine.gguf")).not.toContain("demonstration");
  });
});
