/** A real Postgres in a temporary folder. */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmod, chown, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";
import { isAlive } from "../processes/children.js";
import { eventually } from "../eventually.js";
import { freePort } from "../processes/free-port.js";
import { createOpenFolder } from "../processes/run-folder.js";
import { copyPostgresPrograms } from "./postgres-programs.js";

/** Postgres refuses to run as root, so root runs it as `nobody`. */
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** They end with this process, however it ends. */
const running = new Set<ChildProcess>();
const endAll = (): void => running.forEach((server) => server.kill("SIGQUIT"));
process.once("exit", endAll);
process.once("SIGTERM", () => {
  endAll();
  process.kill(process.pid, "SIGTERM");
});

export class TestPostgres {
  #server: ChildProcess | null = null;

  private constructor(
    private readonly folder: string,
    private readonly programs: string,
    readonly port: number,
    private readonly flags: readonly string[],
  ) {}

  /**
   * `flags` are settings of the server, such as `-c`, `max_connections=20`. Rejects at once with what Postgres says.
   */
  static async start(flags: readonly string[] = []): Promise<TestPostgres> {
    const folder = createOpenFolder("sotto-postgres-");
    try {
      const programs = await copyPostgresPrograms(folder);
      const postgres = new TestPostgres(folder, programs, await freePort(), flags);
      await postgres.#initialise();
      await postgres.start();
      return postgres;
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  get dataDir(): string {
    return join(this.folder, "data");
  }

  url(database: string, user = "postgres"): string {
    return `postgres://${user}:password@127.0.0.1:${this.port}/${database}`;
  }

  async createDatabase(copyOf = "template1"): Promise<string> {
    const name = `t_${randomUUID().replaceAll("-", "")}`;
    await this.query(`create database ${name} template ${copyOf} strategy file_copy`);
    return name;
  }

  async dropDatabase(name: string): Promise<void> {
    await this.query(`drop database ${name} with (force)`);
  }

  async query(text: string, database = "postgres"): Promise<Record<string, unknown>[]> {
    const client = new Client({ connectionString: this.url(database) });
    client.on("error", () => {});
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** Also after `kill`, whose orphans may take a moment to let go of the folder. */
  async start(): Promise<void> {
    let error = "";
    const isSettled = async () => {
      error = await this.#launch();
      return error === "" || !/already exists|in use/.test(error);
    };
    await eventually(isSettled).catch(() => {});
    if (error !== "") throw new Error(`Postgres did not start: ${error}`);
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null || !running.has(server)) return;
    const exited = once(server, "exit");
    server.kill("SIGINT");
    await exited;
  }

  /** Ends the server as a crash would. */
  async kill(): Promise<void> {
    const pid = Number((await readFile(join(this.dataDir, "postmaster.pid"), "utf8")).split("\n")[0]);
    process.kill(pid, "SIGKILL");
    await eventually(() => !isAlive(pid));
    this.#server = null;
  }

  async dispose(): Promise<void> {
    await this.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  async #initialise(): Promise<void> {
    await mkdir(this.dataDir);
    if (user.uid !== undefined) await chown(this.dataDir, user.uid, user.gid);
    const passwordFile = join(this.folder, "password");
    await writeFile(passwordFile, "password\n");
    await chmod(passwordFile, 0o644);
    const who = ["--username=postgres", "--auth=password", `--pwfile=${passwordFile}`];
    const flags = ["--encoding=UTF8", "--locale=C", "--no-sync"];
    const options = { ...user, cwd: this.folder, timeout: 60_000 };
    const initdb = join(this.programs, "initdb");
    await promisify(execFile)(initdb, [`--pgdata=${this.dataDir}`, ...who, ...flags], options);
  }

  /** Resolves to an empty text when the server accepts connections, or else to what it said before it ended. */
  async #launch(): Promise<string> {
    const flags = ["-c", "fsync=off", "-c", "listen_addresses=127.0.0.1", "-k", "", ...this.flags];
    const server = spawn(
      join(this.programs, "postgres"),
      ["-D", this.dataDir, "-p", String(this.port), ...flags],
      { ...user, cwd: this.folder, stdio: ["ignore", "ignore", "pipe"] },
    );
    running.add(server);
    server.once("exit", () => running.delete(server));
    const tooLong = setTimeout(() => server.kill("SIGKILL"), 30_000);
    const error = await new Promise<string>((resolve) => {
      let said = "";
      server.stderr.setEncoding("utf8").on("data", (text: string) => {
        said = (said + text).slice(-4_000);
        if (said.includes("database system is ready to accept connections")) resolve("");
      });
      server.once("error", ({ message }) => resolve(message));
      server.once("close", (code, signal) => resolve(`${said}(${signal ?? code ?? "no exit code"})`));
    });
    clearTimeout(tooLong);
    if (error === "") this.#server = server;
    else running.delete(server);
    return error;
  }
}
