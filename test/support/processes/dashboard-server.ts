/** The whole service on a real SQLite and a fake engine, and browsers that talk to it. */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hash } from "@node-rs/argon2";
import { startApp, type App } from "../../../src/app/app.js";
import { loadConfig } from "../../../src/config.js";
import { defaultPlan } from "../../../src/core/accounts/accounts.js";
import { ensureSetupLink } from "../../../src/core/sign-in/one-time-links.js";
import { systemClock, type Clock } from "../../../src/core/clock.js";
import { createLog } from "../../../src/log.js";
import { databasePath } from "../../../src/store/sql/sqlite.js";
import { connect } from "../../../src/store/sql/sqlite/connection.js";
import { eventually } from "../eventually.js";
import { FakeEngine } from "../engines/fake-engine.js";
import { newDatabase } from "../stores/temporary-store.js";
import { Browser, password } from "./browser-requests.js";
import { newDatabaseFolder } from "./run-folder.js";

export { Browser, password, type Answer } from "./browser-requests.js";

export interface TestDashboard {
  app: App;
  dataDir: string;
  url: string;
  engine: FakeEngine;
  /** Everything that was logged, at the most verbose level. */
  log(): string;
  /** One that is not signed in. */
  browser(): Browser;
  /** Signs up and stays signed in. */
  signUp(email: string): Promise<Browser>;
  /** Creates the operator's account by the set-up link. */
  setUp(email?: string): Promise<Browser>;
  /** Resolves when usage with so many requests in all is in the database. */
  usageWritten(requests: number): Promise<void>;
  /** Every row of every table as text, the rows of a table on lines of their own. */
  tables(): Map<string, string>;
  close(): Promise<void>;
}

export interface TestDashboardOptions {
  env?: Record<string, string>;
  clock?: Clock;
  /** Without it, there are no pages: reading them takes longer than most tests. */
  webDir?: string;
  /** Whether the database is in threads, as a server's is. Without, a test starts four times as fast. */
  databaseThreads?: boolean;
  /** The file that the engine passes for. */
  engineWeights?: string;
  /** For each request to an identity provider. */
  providerTimeoutMs?: number;
}

/** The least that argon2 takes: most of the time of tests that sign in went into it. */
export const cheapHash = (secret: string): Promise<string> =>
  hash(secret, { memoryCost: 8, timeCost: 1, parallelism: 1 });

export async function startDashboard(options: TestDashboardOptions = {}): Promise<TestDashboard> {
  const dataDir = await newDatabaseFolder("sotto-dashboard-");
  const engine = new FakeEngine();
  const lines: string[] = [];
  const config = loadConfig({ env: { SOTTO_DATA_DIR: dataDir, SOTTO_PORT: "0", ...options.env } });
  if (config.service.dataDir === dataDir && config.storage.databaseUrl === undefined) {
    await writeFile(databasePath(dataDir), await newDatabase(defaultPlan(config.limits)), { mode: 0o600 });
  }
  const { clock = systemClock } = options;
  const log = createLog("trace", { write: (line) => void lines.push(line) });
  const app = await startApp(config, {
    engine,
    clock,
    log,
    webDir: options.webDir ?? join(dataDir, "no-pages"),
    hashPassword: cheapHash,
    databaseThreads: options.databaseThreads ?? false,
    ...(options.providerTimeoutMs === undefined ? {} : { providerTimeoutMs: options.providerTimeoutMs }),
    ...(options.engineWeights === undefined ? {} : { engineWeights: options.engineWeights }),
  });
  const browser = () => new Browser(app.url);
  return {
    app,
    dataDir,
    url: app.url,
    engine,
    log: () => lines.join(""),
    browser,
    signUp: async (email) => {
      const visitor = browser();
      await visitor.must("POST", "/api/sign-up", { email, password });
      return visitor;
    },
    setUp: async (email = "operator@example.com") => {
      const link = await ensureSetupLink(app.store, clock, app.url);
      const visitor = browser();
      await visitor.must("POST", "/api/setup", { token: tokenOf(link ?? ""), email, password });
      return visitor;
    },
    usageWritten: async (requests) => {
      await eventually(async () => {
        await app.dashboard.usage.flush();
        const rows = readTables(databasePath(dataDir)).get("usage") ?? "";
        return sumOf([...rows.matchAll(/"requests":(\d+)/g)].map(([, count]) => Number(count))) === requests;
      });
    },
    tables: () => readTables(databasePath(dataDir)),
    close: async () => {
      await app.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export const tokenOf = (link: string): string => /#(?:token|invite)=([\w-]+)/.exec(link)?.[1] ?? "";

function readTables(path: string): Map<string, string> {
  const database = connect(path);
  const names = database.prepare("select name from sqlite_master where type = 'table'").all([]) as {
    name: string;
  }[];
  const tables = new Map(
    names.map(({ name }) => {
      const rows = database.prepare(`select * from "${name}"`).all([]) as object[];
      return [name, rows.map((row) => JSON.stringify(row)).join("\n")];
    }),
  );
  database.close();
  return tables;
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);
