/**
 * How the size of the database affects the dashboard: each page's calls, all at once as the page makes them, on an
 * empty and on a full database (see full-store.ts). The target is at most twice the time of the
 * new one plus 100 ms. On SQLite, which answers on the thread of the event loop, and on Postgres.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Me } from "../../src/protocol/dashboard/api.js";
import {
  startDashboard,
  type Browser,
  type TestDashboard,
} from "../../test/support/processes/dashboard-server.js";
import { median } from "../statistics.js";
import { TestPostgres } from "../../test/support/stores/postgres-server.js";
import { busyAccount, fillPostgres, fillStore } from "./full-store.js";

const rounds = 7;
/** Half a gigabyte is written at once and then discarded. */
const postgresFlags = ["wal_level=minimal", "max_wal_senders=0", "max_wal_size=4GB", "full_page_writes=off"];
const dayMs = 24 * 3_600_000;

interface Service {
  dashboard: TestDashboard;
  operator: Browser;
  owner: Browser;
  /** The account whose pages are measured. */
  accountId: string;
}

interface Page {
  name: string;
  who: "operator" | "owner";
  calls: (service: Service) => string[];
}

const usage = (days: number, step: "hour" | "day"): string => {
  const end = Math.ceil(Date.now() / dayMs) * dayMs;
  const query = { from: new Date(end - days * dayMs).toISOString(), to: new Date(end).toISOString(), step };
  return new URLSearchParams(query).toString();
};
const lastDays = (days: number): string => new Date(Date.now() - days * dayMs).toISOString();
const keys = (query: Record<string, string>): string =>
  `/api/keys/page?${new URLSearchParams(query).toString()}`;
const accounts = (search: string): string =>
  `/api/admin/accounts?${new URLSearchParams({ search }).toString()}`;
const ofAccount = ({ accountId }: Service): string => `/api/admin/accounts/${accountId}`;

const pages: readonly Page[] = [
  { name: "site", who: "owner", calls: () => ["/api/site"] },
  {
    name: "overview",
    who: "owner",
    calls: () => ["/api/keys", "/api/limits", `/api/usage?${usage(1, "hour")}`],
  },
  { name: "keys", who: "owner", calls: () => [keys({}), "/api/keys/usage"] },
  { name: "keys, searched", who: "owner", calls: () => [keys({ search: "service 4", sort: "name" })] },
  { name: "keys, all, last page", who: "owner", calls: () => [keys({ status: "all", page: "9" })] },
  { name: "usage, a day", who: "owner", calls: () => ["/api/keys", `/api/usage?${usage(1, "hour")}`] },
  { name: "usage, 90 days", who: "owner", calls: () => ["/api/keys", `/api/usage?${usage(90, "day")}`] },
  { name: "usage, 400 days", who: "owner", calls: () => [`/api/usage?${usage(399, "day")}`] },
  {
    name: "usage of a key, 90 days",
    who: "owner",
    calls: () => [`/api/usage?${usage(90, "day")}&key=key_0000000007`],
  },
  { name: "limits", who: "owner", calls: () => ["/api/limits", "/api/keys"] },
  { name: "stored about me", who: "owner", calls: () => ["/api/me/stored"] },
  {
    name: "accounts",
    who: "operator",
    calls: () => [accounts(""), "/api/admin/invites", "/api/admin/plans"],
  },
  { name: "accounts, beginning", who: "operator", calls: () => [accounts("user9999")] },
  { name: "accounts, inside, rare", who: "operator", calls: () => [accounts("er99999@")] },
  { name: "accounts, inside, common", who: "operator", calls: () => [accounts("example")] },
  { name: "accounts, none", who: "operator", calls: () => [accounts("nobody")] },
  {
    name: "account",
    who: "operator",
    calls: (service) => [
      ofAccount(service),
      `${ofAccount(service)}/keys`,
      `${ofAccount(service)}/usage?${usage(7, "hour")}`,
      `/api/admin/audit?account=${service.accountId}`,
    ],
  },
  { name: "operator's home", who: "operator", calls: () => ["/api/admin/home"] },
  ...[1, 7, 30, 90, 399].map((days): Page => ({
    name: `service usage, ${days === 1 ? "a day" : `${days} days`}`,
    who: "operator",
    calls: () => {
      const query = usage(days, days > 7 ? "day" : "hour");
      return [`/api/admin/usage?${query}`, `/api/admin/usage/top?${query}&measure=tokens`];
    },
  })),
  { name: "status", who: "owner", calls: () => ["/api/status", "/api/status/history"] },
  { name: "plans", who: "operator", calls: () => ["/api/admin/plans"] },
  { name: "audit", who: "operator", calls: () => ["/api/admin/audit"] },
  {
    name: "audit, by action and time",
    who: "operator",
    calls: () => [
      `/api/admin/audit?${new URLSearchParams({ what: "rotated key", from: lastDays(30) }).toString()}`,
    ],
  },
  {
    name: "audit, by actor",
    who: "operator",
    calls: ({ accountId }) => [`/api/admin/audit?who=${accountId}`],
  },
];

export async function benchDashboard(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "sotto-bench-dashboard-"));
  try {
    console.log("## SQLite\n");
    await benchOn(async (name, isFull) => {
      const dataDir = join(folder, name);
      if (isFull) await fillStore(dataDir, new Date());
      return { SOTTO_DATA_DIR: dataDir };
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  console.log("\n## Postgres\n");
  const postgres = await TestPostgres.start(postgresFlags.flatMap((setting) => ["-c", setting]));
  try {
    await benchOn(async (_name, isFull) => {
      const url = postgres.url(await postgres.createDatabase());
      if (isFull) await fillPostgres(url, new Date());
      return { SOTTO_DATABASE_URL: url };
    });
  } finally {
    await postgres.dispose();
  }
}

type OpenStore = (name: string, isFull: boolean) => Promise<Record<string, string>>;

async function benchOn(open: OpenStore): Promise<void> {
  const full = await startDashboardOn(open, true);
  const empty = await startDashboardOn(open, false);
  try {
    console.log("page                            empty       full     target      first");
    for (const page of pages) {
      const first = await timeOf(page, full);
      const took = { empty: [] as number[], full: [] as number[] };
      // Alternating, so that other load on the machine affects both.
      for (let round = 0; round < rounds; round++) {
        took.empty.push(await timeOf(page, empty));
        took.full.push(await timeOf(page, full));
      }
      const [small, large] = [median(took.empty), median(took.full)];
      const target = 2 * small + 100;
      console.log(
        [
          page.name.padEnd(26),
          ms(small).padStart(10),
          ms(large).padStart(10),
          ms(target).padStart(10),
          ms(first).padStart(10),
          large > target ? "  missed" : "",
        ].join(" "),
      );
    }
  } finally {
    await empty.dashboard.close();
    await full.dashboard.close();
  }
}

async function startDashboardOn(open: OpenStore, isFull: boolean): Promise<Service> {
  const began = performance.now();
  const env = await open(isFull ? "full" : "empty", isFull);
  if (isFull) console.log(`filled a store in ${((performance.now() - began) / 1000).toFixed(1)} s\n`);
  const dashboard = await startDashboard({ env });
  const operator = await dashboard.setUp();
  if (!isFull) {
    const owner = await dashboard.signUp("owner@example.com");
    return { dashboard, operator, owner, accountId: (await owner.get<Me>("/api/me")).account.id };
  }
  const owner = dashboard.browser();
  const { token } = await dashboard.app.dashboard.sessions.open(busyAccount, { method: "password" });
  owner.cookies.set("sotto_session", token);
  return { dashboard, operator, owner, accountId: busyAccount };
}

/** Until all of a page's calls are answered. */
async function timeOf({ who, calls }: Page, service: Service): Promise<number> {
  const began = performance.now();
  await Promise.all(calls(service).map((path) => service[who].get(path)));
  return performance.now() - began;
}

const ms = (value: number): string => `${value.toFixed(1)} ms`;
