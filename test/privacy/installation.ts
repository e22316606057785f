/** The built program with the real engine on a tiny model, on one kind of stores, and every place it writes to. */
import { Redis } from "ioredis";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { templates } from "../support/inputs/chat-templates.js";
import { writeTinyEmbedder } from "../support/engines/tiny-embedder.js";
import { writeTinyGguf } from "../support/engines/tiny-gguf.js";
import { Browser, password, tokenOf } from "../support/processes/dashboard-server.js";
import { metricsToken, startSotto, type SottoProcess } from "../support/processes/sotto-process.js";
import { TestPostgres } from "../support/stores/postgres.js";
import { noRedis, TestRedis } from "../support/stores/redis.js";
import { findCanary, SearchedFiles, type Finding, type Skip } from "./search.js";

export interface Installation {
  sotto: SottoProcess;
  key: string;
  /** Signed in to the dashboard. */
  ada: Browser;
  /** An admin, signed in to the dashboard. */
  operator: Browser;
  chat: (body: unknown, headers?: Record<string, string>, signal?: AbortSignal) => Promise<Response>;
  /** Looks through everything the service has written anywhere. */
  search(canary: string | readonly string[]): Promise<Finding[]>;
  /** The same, but for files that have not changed since the last call: for a canary that was sent after it. */
  searchNew(canary: string): Promise<Finding[]>;
  /** Looks through what it has written outside of the database: the log, Redis, the metrics. */
  searchOutside(canary: string | readonly string[]): Promise<Finding[]>;
  stop(): Promise<void>;
}

/** Stores beside the data directory: what a server is told about them, and what they were given. */
export interface Stores {
  env: Record<string, string>;
  texts(): Promise<Record<string, string>>;
  folders: string[];
  close(): Promise<void>;
}

/** Replies that last until they are ended. */
const contextTokens = 32_768;

export async function startInstallation(stores: Stores): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), "sotto-weights-"));
  const weightsOf = (name: string, chatTemplate?: string) => {
    const path = join(folder, `${name}.gguf`);
    writeTinyGguf(path, { contextTokens, ...(chatTemplate === undefined ? {} : { chatTemplate }) });
    return path;
  };
  const taskWeights = (name: string, ranks: boolean) => {
    const path = join(folder, `${name}.gguf`);
    writeTinyEmbedder(path, { contextTokens: 512, ranks, name });
    return { weights: path };
  };
  const sotto = await startSotto({
    env: {
      ...stores.env,
      SOTTO_LOG_LEVEL: "trace",
      SOTTO_LIMIT_REQUESTS_PER_MINUTE: "100000",
      SOTTO_LIMIT_TOKENS_PER_MINUTE: "100000000",
      SOTTO_ENGINE_SEQUENCES: "4",
      SOTTO_ENGINE_CONTEXT_TOKENS: String(contextTokens),
      SOTTO_QUEUE_LENGTH: "1",
      // One whose template knows no tools, one whose template does, and one that thinks as well.
      SOTTO_MODELS_OMEGA_WEIGHTS: weightsOf("plain"),
      SOTTO_MODELS_PRISM_WEIGHTS: weightsOf("tools", templates.qwen25),
      SOTTO_MODELS_LAMBDA_WEIGHTS: weightsOf("thoughts", templates.qwen3),
      // One that embeds and one that ranks, as a pool.
      SOTTO_MODELS_IOTA_UPSTREAMS: JSON.stringify([
        taskWeights("embedder", false),
        taskWeights("reranker", true),
      ]),
    },
  });
  const key = await sotto.newKey();
  const ada = new Browser(sotto.url);
  await ada.post("/api/sign-up", { email: "ada@example.com", password });
  const operator = new Browser(sotto.url);
  // The set-up link is printed when the server starts.
  const token = tokenOf(sotto.output());
  await operator.must("POST", "/api/setup", { token, email: "operator@example.com", password });
  const searched = new SearchedFiles();
  const search = async (canary: string | readonly string[], skip: Skip = () => false): Promise<Finding[]> =>
    findCanary(
      canary,
      { output: sotto.output(), ...(await stores.texts()) },
      [sotto.dataDir, sotto.tempDir, ...stores.folders],
      (path, file) => path.endsWith(".gguf") || skip(path, file),
    );
  return {
    sotto,
    key,
    ada,
    operator,
    chat: (body, headers = {}, signal) =>
      fetch(`${sotto.baseURL}/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
        ...(signal === undefined ? {} : { signal }),
      }),
    search: (canary) => search(canary),
    searchNew: (canary) => search(canary, (path, file) => searched.isUnchanged(path, file)),
    searchOutside: async (canary) => {
      const { redis = "" } = await stores.texts();
      const headers = { authorization: `Bearer ${metricsToken}` };
      const metrics = await (await fetch(`${sotto.url}/metrics`, { headers })).text();
      return findCanary(canary, { output: sotto.output(), redis, metrics }, [sotto.tempDir]);
    },
    stop: async () => {
      await sotto.stop();
      await stores.close();
    },
  };
}

/** SQLite in the data directory, counters in memory. */
export const ownStores = (): Promise<Stores> =>
  Promise.resolve({ env: {}, texts: () => Promise.resolve({}), folders: [], close: () => Promise.resolve() });

/** Postgres, and Redis where this machine has one. Every command that Redis is sent is kept. */
export async function sharedStores(): Promise<Stores & { postgres: TestPostgres; redis: TestRedis | null }> {
  const postgres = await TestPostgres.start();
  const database = await postgres.createDatabase();
  const redis = noRedis ? null : await TestRedis.start();
  const commands: string[] = [];
  const connection = redis === null ? null : new Redis(redis.url, { retryStrategy: () => null });
  const monitor = await connection?.monitor();
  monitor?.on("monitor", (_time: string, command: string[]) => commands.push(command.join(" ")));
  return {
    postgres,
    redis,
    env: {
      SOTTO_DATABASE_URL: postgres.url(database),
      ...(redis === null ? {} : { SOTTO_REDIS_URL: redis.url }),
    },
    texts: async () => {
      // What is only in its memory is written to the files that are searched.
      await postgres.query("checkpoint");
      return { postgres: await allRows(postgres, database), redis: commands.join("\n") };
    },
    folders: [postgres.dataDir],
    close: async () => {
      connection?.disconnect();
      monitor?.disconnect();
      await redis?.kill();
      await postgres.dispose();
    },
  };
}

/** As text, since large values are compressed in the files. All in one query: every other one would be a connection. */
async function allRows(postgres: TestPostgres, database: string): Promise<string> {
  const tables = await postgres.query(
    "select table_name as name from information_schema.tables where table_schema = 'public'",
    database,
  );
  const parts = tables.map(({ name }) => `select row_to_json(t)::text as row from "${String(name)}" t`);
  if (parts.length === 0) return "";
  const rows = await postgres.query(parts.join(" union all "), database);
  return rows.map(({ row }) => String(row)).join("\n");
}
