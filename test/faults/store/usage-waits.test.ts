/** The server ends while its database is unreachable, with usage that is not written yet. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, statSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { usageSpillPath } from "../../../src/store/usage-spill.js";
import { postChat } from "../../support/clients/post-chat.js";
import { eventually } from "../../support/eventually.js";
import { TestPostgres } from "../../support/stores/postgres.js";
import { startPacedSotto } from "../../support/engines/paced-service.js";
import { newDataDir, type SottoProcess } from "../../support/processes/sotto-process.js";

let postgres: TestPostgres;
let database: string;
let sotto: SottoProcess | undefined;
beforeAll(async () => {
  postgres = await TestPostgres.start();
});
afterAll(() => postgres.dispose());
beforeEach(async () => {
  database = await postgres.createDatabase();
});
afterEach(async () => {
  await sotto?.stop();
});

const start = async (dataDir: string, drainMs = 200): Promise<SottoProcess> => {
  const env = { SOTTO_DATABASE_URL: postgres.url(database), SOTTO_DRAIN_MS: String(drainMs) };
  return startPacedSotto({ tokenMs: 0, capacity: 8 }, { dataDir, env });
};

const ask = async (server: SottoProcess, key: string): Promise<void> => {
  const response = await postChat(server.url, key, {
    max_tokens: 4,
    messages: [{ role: "user", content: "a question" }],
  });
  expect([response.status, typeof (await response.json())]).toEqual([200, "object"]);
};

/** Of all accounts. */
const countedRequests = async (): Promise<number> => {
  const rows = await postgres.query("select coalesce(sum(requests), 0)::int as total from usage", database);
  return Number(rows[0]?.total);
};

describe("usage that waits when the server ends", () => {
  /** One request in the database, then as many as told while it is gone. */
  const askWhileGone = async (server: SottoProcess, count: number): Promise<void> => {
    const key = await server.newKey();
    await ask(server, key);
    await eventually(async () => (await countedRequests()) === 1);
    await postgres.kill();
    for (let i = 0; i < count; i++) await ask(server, key);
  };

  it.each([
    ["SIGTERM", 1, 0],
    ["SIGTERM twice", 2, 1],
  ])("is saved after %s, is told, and is counted once at the next start", async (_how, signals, code) => {
    const dataDir = newDataDir();
    // Twice: the second comes while the first still drains.
    const first = await start(dataDir, signals === 1 ? 200 : 60_000);
    sotto = first;
    await askWhileGone(first, 3);
    first.kill("SIGTERM");
    if (signals === 2) {
      await eventually(async () => (await fetch(`${first.url}/readyz`)).status === 503);
      first.kill("SIGTERM");
    }
    expect(await first.exited()).toBe(code);
    expect(first.output()).toContain("usage is not in it yet (3 requests, ");
    expect(first.output()).toMatch(/"count":3,.*"usage saved for the next start"/);
    const file = usageSpillPath(dataDir);
    expect((statSync(file).mode & 0o777).toString(8)).toBe("600");
    expect(readFileSync(file, "utf8")).not.toContain("question");

    await postgres.start();
    sotto = await start(dataDir);
    await eventually(async () => (await countedRequests()) === 4);
    await eventually(() => !existsSync(file));
    await sotto.stop();
    sotto = await start(dataDir);
    await sotto.stop();
    expect(await countedRequests()).toBe(4);
  });

  it("is written within the drain time when the database recovers", async () => {
    sotto = await start(newDataDir(), 60_000);
    await askWhileGone(sotto, 2);
    sotto.kill("SIGTERM");
    await postgres.start();
    expect(await sotto.exited()).toBe(0);
    expect(sotto.output()).not.toContain("usage is not in it yet");
    expect(await countedRequests()).toBe(3);
  });

  it("is reported as lost if saving fails too", async () => {
    const dataDir = newDataDir();
    sotto = await start(dataDir);
    await askWhileGone(sotto, 2);
    // A folder in its place: nothing can be written there, whoever tries.
    mkdirSync(usageSpillPath(dataDir));
    sotto.kill("SIGTERM");
    await sotto.exited();
    rmdirSync(usageSpillPath(dataDir));
    expect(sotto.output()).toContain("Usage was LOST: 2 requests, ");
    expect(sotto.output()).toMatch(/"count":2,.*"usage lost"/);
    await postgres.start();
  });
});
