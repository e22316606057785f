/**
 * A real Redis of the test's own, without a file. Where there is no `redis-server`, tests that need it are
 * skipped, which the last lines of the run say (processes/count-reporter.ts).
 */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { Redis } from "ioredis";
import { eventually } from "../eventually.js";
import { freePort } from "../processes/free-port.js";

const program = ["redis-server", "valkey-server"].find((name) => spawnSync(name, ["--version"]).status === 0);

/** For `describe.skipIf`. */
export const noRedis = program === undefined;

export class TestRedis {
  #child: ChildProcess | null = null;

  private constructor(
    readonly port: number,
    private readonly password: string,
  ) {}

  /** With a password, Redis refuses commands of those who do not give it. */
  static async start({ password = "" }: { password?: string } = {}): Promise<TestRedis> {
    const redis = new TestRedis(await freePort(), password);
    await redis.start();
    return redis;
  }

  get url(): string {
    return this.urlWith(this.password);
  }

  urlWith(password: string): string {
    return `redis://${password === "" ? "" : `:${password}@`}127.0.0.1:${this.port}/0`;
  }

  /** Empty, on the same port as before. */
  async start(): Promise<void> {
    const flags = ["--port", String(this.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
    if (this.password !== "") flags.push("--requirepass", this.password);
    this.#child = spawn(program ?? "redis-server", flags, { stdio: "ignore", cwd: tmpdir() });
    await eventually(() => this.command((redis) => redis.ping()).catch(() => false as const));
  }

  /** Ends it as a crash would. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }

  /** It keeps its connections and answers nothing. */
  freeze(): void {
    this.#child?.kill("SIGSTOP");
  }

  thaw(): void {
    this.#child?.kill("SIGCONT");
  }

  async command<T>(work: (redis: Redis) => Promise<T>): Promise<T> {
    const redis = new Redis(this.url, { lazyConnect: true, retryStrategy: () => null });
    redis.on("error", () => {});
    try {
      await redis.connect();
      return await work(redis);
    } finally {
      redis.disconnect();
    }
  }
}
