/** The privacy page says everything that admins can read about an account. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dashboardRoutes } from "../../../src/http/dashboard/routes.js";
import type { DashboardParts } from "../../../src/http/dashboard/parts.js";
import { adminVisible, fieldsText } from "../../../src/protocol/dashboard/admin-visible.js";
import type { KeyWithSecret, Me } from "../../../src/protocol/dashboard/api.js";
import type { AdminTeamDetail } from "../../../src/protocol/dashboard/teams.js";
import type { DeliveryPage, WebhookWithSecret } from "../../../src/protocol/dashboard/webhooks.js";
import {
  startDashboard,
  type Browser,
  type TestDashboard,
} from "../../support/processes/dashboard-server.js";

/** Every address below /api that only admins can read, with what its reply has about accounts. */
const adminReads: Readonly<Record<string, readonly (keyof typeof adminVisible)[]>> = {
  "/admin/home": [],
  "/admin/operator": [],
  "/admin/accounts": ["account"],
  "/admin/accounts/:id": ["account", "plan", "sessions", "factors"],
  "/admin/accounts/:id/keys": ["keys"],
  "/admin/accounts/:id/usage": ["usage"],
  "/admin/keys": ["keys"],
  "/admin/keys/:id": ["keys"],
  "/admin/accounts/:id/month": ["month"],
  "/admin/teams": ["teams"],
  "/admin/teams/:id": ["teams", "plan"],
  "/admin/teams/:id/usage": ["usage"],
  "/admin/teams/:id/month": ["month"],
  "/admin/alerts": ["alerts"],
  "/admin/usage": ["usage", "account"],
  "/admin/usage/top": ["usage"],
  "/admin/usage.csv": ["usage"],
  "/admin/audit": ["audit"],
  "/admin/audit.csv": ["audit"],
  "/admin/invites": ["invitations"],
  "/admin/invites/:id": ["invitations"],
  "/admin/plans": ["plan"],
  "/admin/plans/:id": ["plan"],
  "/admin/plans/month": ["plan", "month"],
  "/admin/changelog": [],
  "/admin/changelog/:id": [],
  "/admin/changelog/drafts": [],
  "/admin/maintenance": [],
  "/admin/maintenance/:id": [],
  "/admin/engines": [],
  "/admin/models": [],
  "/admin/models/:id": [],
  "/admin/models/choices": [],
  "/admin/pulls/:id": [],
  "/admin/model-suggestion": [],
  "/admin/second-factor": [],
  "/admin/providers": [],
  "/admin/providers/:id": [],
  "/admin/webhooks": [],
  "/admin/webhooks/:id": [],
  "/admin/webhook-deliveries": [],
  "/admin/webhook-deliveries/:id": [],
};

/** Routes are listed without anything behind them. */
const nothing: unknown = new Proxy(() => undefined, { get: () => nothing, apply: () => nothing });
const adminPaths = dashboardRoutes(nothing as DashboardParts)
  .filter(({ access, method }) => access === "admin" && method === "GET")
  .map(({ path }) => path);

/** Names of lists, pages and groups; columns of the CSV files, which repeat fields under other names. */
const frame = [
  ...["accounts", "account", "next", "total", "plan", "sessions", "keys", "key", "invites", "entries"],
  ...["buckets", "totals", "byModel", "byKey", "causes", "code", "status", "plans", "planId", "alerts"],
  ...["requestsPerMinute", "tokensPerMinute", "concurrentRequests"],
  ...["requestsPerDay", "tokensPerDay", "requestsPerMonth", "tokensPerMonth"],
];
const columns: Record<string, readonly string[]> = {
  "/admin/usage.csv": ["account", "key_id", "key", "key_last_four", "model", "start"],
  "/admin/audit.csv": [
    "time",
    "actor",
    "actor_account",
    "actor_key",
    "action",
    "target",
    "target_account",
    "key_owner",
  ],
};

let dashboard: TestDashboard;
let operator: Browser;
let id: string;
let teamId: string;
/** What `:id` stands for below each path that is about neither an account nor a team. */
let ids: Record<string, string>;
let traces: string[];
beforeAll(async () => {
  dashboard = await startDashboard();
  operator = await dashboard.setUp();
  await operator.post("/api/admin/invites", { email: "invited-canary@example.com" });
  const ada = await dashboard.signUp("ada-canary@example.com");
  ({ id } = (await ada.get<Me>("/api/me")).account);
  const { key } = await ada.post<KeyWithSecret>("/api/keys", {
    ...{ name: "key-canary", models: null, expiresInDays: 3, tags: ["tag-canary"] },
  });
  const team = { name: "team-canary", planId: "free", ownerEmail: "ada-canary@example.com" };
  teamId = (await operator.post<AdminTeamDetail>("/api/admin/teams", team)).team.id;
  traces = ["canary", id, key.id, teamId];
  const { invites } = await operator.get<{ invites: { id: string }[] }>("/api/admin/invites");
  const post = async (path: string, body: object) => (await operator.post<{ id: string }>(path, body)).id;
  const soon = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const { webhook } = await operator.post<WebhookWithSecret>("/api/admin/webhooks", {
    ...{ url: "http://127.0.0.1:9/", events: null },
  });
  await operator.post(`/api/admin/webhooks/${webhook.id}/test`);
  const { deliveries } = await operator.get<DeliveryPage>("/api/admin/webhook-deliveries");
  ids = {
    "/admin/keys/:id": key.id,
    "/admin/invites/:id": invites[0]?.id ?? "",
    "/admin/plans/:id": "free",
    "/admin/models/:id": "omega",
    "/admin/webhooks/:id": webhook.id,
    "/admin/webhook-deliveries/:id": deliveries[0]?.id ?? "",
    "/admin/changelog/:id": await post("/api/admin/changelog", { title: "News", body: "Text" }),
    "/admin/maintenance/:id": await post("/api/admin/maintenance", {
      ...{ title: "Disks", body: "Text", startsAt: soon(1), endsAt: soon(2) },
    }),
    "/admin/providers/:id": await post("/api/admin/providers", {
      ...{ id: "okta", name: "Okta", issuer: "https://login.example.com", clientId: "sotto" },
    }),
  };
  dashboard.app.dashboard.usage.record({
    ...{ accountId: id, keyId: key.id, model: "omega", outcome: "ok", promptTokens: 5, completionTokens: 7 },
  });
  await dashboard.app.dashboard.usage.flush();
});
afterAll(() => dashboard.close());

const read = (path: string) => {
  const now = Date.now();
  const [from, to] = [now - 86_400_000, now + 3_600_000].map((time) => new Date(time).toISOString());
  const period = path.includes("/usage") ? `?from=${from}&to=${to}&step=hour&measure=requests` : "";
  const query = path === "/admin/keys" ? `?account=${id}` : period;
  const named = ids[path] ?? (path.startsWith("/admin/teams") ? teamId : id);
  return operator.send("GET", `/api${path.replace(":id", named)}${query}`);
};

it("knows every address that only admins can read", () => {
  expect(adminPaths.length).toBeGreaterThan(10);
  expect(Object.keys(adminReads).sort()).toEqual([...adminPaths].sort());
});

describe.each(adminPaths)("%s", (path) => {
  it("has no field about an account without its words", async () => {
    const { status, json, text } = await read(path);
    // Nothing is downloaded here, and a download says nothing about an account.
    if (path === "/admin/pulls/:id") return;
    expect(`${status} ${status === 200 ? "" : text}`).toBe("200 ");
    const groups = (adminReads[path] ?? []).map((group) => adminVisible[group]);
    if (groups.length === 0) {
      for (const trace of traces) expect(text).not.toContain(trace);
      return;
    }
    const known = new Set([...frame, ...groups.flatMap(({ fields }) => Object.keys(fields))]);
    const csvColumns = columns[path];
    if (csvColumns === undefined) {
      expect([...namesIn(json)].filter((name) => !known.has(name))).toEqual([]);
      return;
    }
    const camel = (name: string) => name.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase());
    const heading = text.split(/\r?\n/)[0]?.split(",") ?? [];
    expect(heading.length).toBeGreaterThan(3);
    expect(heading.filter((name) => !csvColumns.includes(name) && !known.has(camel(name)))).toEqual([]);
  });
});

it("says it in words", () => {
  for (const group of Object.values(adminVisible)) expect(fieldsText(group)).toMatch(/\w/);
  expect(fieldsText(adminVisible.keys)).toContain("last four characters");
});

function* namesIn(value: unknown): Generator<string> {
  if (typeof value !== "object" || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    if (!Array.isArray(value)) yield name;
    yield* namesIn(inner);
  }
}
