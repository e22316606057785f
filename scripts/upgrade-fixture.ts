/**
 * Writes test data of this version, which later versions are tested against: `tsx scripts/upgrade-fixture.ts <version>`,
 * once, before a release (MAINTAINING.md). The service writes it, through its API, to SQLite.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { noKeyLimits, noQuotas } from "../src/core/entities.js";
import type { UsageReport } from "../src/core/usage/usage-views.js";
import type { KeyWithSecret, OneTimeLink } from "../src/protocol/dashboard/api.js";
import type { AdminTeamDetail } from "../src/protocol/dashboard/teams.js";
import { backUpSqlite } from "../src/store/sql/backup.js";
import { lastNumber, migrations } from "../src/store/sql/migrate.js";
import { primaryKeys } from "../src/store/sql/schema.js";
import { databasePath } from "../src/store/sql/sqlite.js";
import { connect } from "../src/store/sql/sqlite/connection.js";
import { question } from "../test/support/clients/chat.js";
import { addPhoneApp } from "../test/support/clients/factors.js";
import { FakeClock } from "../test/support/inputs/fake-clock.js";
import {
  type Browser,
  password,
  startDashboard,
  tokenOf,
} from "../test/support/processes/dashboard-server.js";
import { type Expected, rowsOf } from "../test/support/stores/upgrade-fixture.js";

const [version = ""] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+$/.test(version))
  throw new Error("Name the version: tsx scripts/upgrade-fixture.ts 0.1.0");

const newKey = { name: "k", models: null, expiresInDays: null };
const dayMs = 24 * 60 * 60_000;
const clock = new FakeClock(new Date("2026-10-01T09:00:00Z"));
const secretKey = "a-secret-key-of-the-test-data-only";
const dashboard = await startDashboard({ clock, env: { SOTTO_SECRET_KEY: secretKey } });
try {
  const expected = await fill();
  await dashboard.app.close();
  const folder = join("test/fixtures", version);
  mkdirSync(folder, { recursive: true });
  await backUpSqlite(databasePath(dashboard.dataDir), join(dashboard.dataDir, "copy.db"), clock.now());
  writeFileSync(join(folder, "database.db.gz"), gzipSync(readFileSync(join(dashboard.dataDir, "copy.db"))));
  writeFileSync(
    join(folder, "expected.json"),
    `${JSON.stringify({ ...expected, rows: countRows() }, null, 2)}\n`,
  );
} finally {
  rmSync(dashboard.dataDir, { recursive: true, force: true });
}

/** People, keys, limits, a team, a webhook and requests on two days. */
async function fill(): Promise<Omit<Expected, "rows">> {
  const operator = await dashboard.setUp();
  const plan = { id: "research", requestsPerDay: 1_000, tokensPerMonth: 900_000_000_000 };
  await operator.post("/api/admin/plans", {
    ...noQuotas,
    ...plan,
    name: "Research",
    requestsPerMinute: 600,
    tokensPerMinute: 200_000,
    concurrentRequests: 8,
    maxKeys: 20,
    maxTokens: 4_000,
    models: ["omega", "prism"],
  });
  await operator.post("/api/admin/webhooks", { url: "https://events.example.com/sotto", events: null });
  const changelog = ["Larger contexts"];
  await operator.post("/api/admin/changelog", { title: changelog[0], body: "All models read **more**." });

  const [ada, bob] = [await dashboard.signUp("ada@example.com"), await dashboard.signUp("bob@example.com")];
  const { app: phone } = await addPhoneApp(bob, clock);
  await ada.post("/api/keys", { ...newKey, name: "Zoë's 🔑", tags: ["ci"] });
  const team = await operator.post<AdminTeamDetail>("/api/admin/teams", {
    name: "Research",
    planId: plan.id,
    ownerEmail: "ada@example.com",
  });
  const teamPath = `/api/teams/${team.team.id}`;
  const { link } = await ada.post<OneTimeLink>(`${teamPath}/invites`, { role: "member" });
  await bob.post("/api/team-invitation/accept", { token: tokenOf(link) });

  const limits = { ...noKeyLimits, requestsPerMinute: 60, tokensPerMonth: 5_000_000_000 };
  const plain = await create(ada, "/api/keys", {});
  const limited = await create(ada, "/api/keys", { limits, models: ["omega"] });
  const revoked = await create(ada, "/api/keys", {});
  await ada.post(`/api/keys/${revoked.key.id}/revoke`);
  const bobs = await create(bob, "/api/keys", {});
  const service = await create(ada, `${teamPath}/keys`, { isService: true });
  const members = await create(bob, `${teamPath}/keys`, {});

  for (const { secret } of [plain, limited, bobs]) await ask(secret, 3);
  clock.advance(dayMs);
  for (const { secret } of [plain, limited, service, members]) await ask(secret, 5);
  await dashboard.usageWritten(29);

  const now = clock.now();
  const usage = async (browser: Browser, path: string) => {
    const [from, to] = [-30, 1].map((days) => new Date(now.getTime() + days * dayMs).toISOString());
    const { totals } = await browser.get<UsageReport>(`${path}?from=${from}&to=${to}&step=day`);
    return {
      requests: totals.requests,
      promptTokens: totals.promptTokens,
      completionTokens: totals.completionTokens,
    };
  };
  const keys = (status: number, ...created: KeyWithSecret[]) =>
    created.map(({ secret }) => ({ secret, status }));
  return {
    steps: lastNumber(migrations),
    now,
    secretKey,
    password,
    accounts: [
      {
        email: "ada@example.com",
        ...{ role: "user", planId: "free", totpSecret: null },
        usage: await usage(ada, "/api/usage"),
        keys: [...keys(200, plain, limited), ...keys(401, revoked)],
      },
      {
        email: "bob@example.com",
        ...{ role: "user", planId: "free", totpSecret: phone.secret },
        usage: await usage(bob, "/api/usage"),
        keys: keys(200, bobs, service, members),
      },
      {
        email: "operator@example.com",
        ...{ role: "admin", planId: "free", totpSecret: null },
        usage: await usage(operator, "/api/usage"),
        keys: [],
      },
    ],
    team: {
      id: team.team.id,
      name: "Research",
      members: ["ada@example.com", "bob@example.com"],
      usage: await usage(ada, `${teamPath}/usage`),
    },
    plan,
    quotaUsed: { requests: 10, tokens: 90 },
    webhooks: 1,
    changelog,
  };
}

function create(browser: Browser, path: string, more: object): Promise<KeyWithSecret> {
  return browser.post<KeyWithSecret>(path, { ...newKey, ...more });
}

async function ask(secret: string, times: number): Promise<void> {
  for (let count = 0; count < times; count++) {
    const response = await fetch(`${dashboard.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify(question),
    });
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
  }
}

function countRows(): Record<string, number> {
  const database = connect(join(dashboard.dataDir, "copy.db"));
  try {
    const names = Object.keys(primaryKeys);
    return Object.fromEntries(names.map((table) => [table, rowsOf(database, table).length]));
  } finally {
    database.close();
  }
}
