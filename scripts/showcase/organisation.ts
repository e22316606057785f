/** What an organisation adds to the made-up service: identity providers, teams, second factors, webhooks. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { KeyWithSecret } from "../../src/protocol/dashboard/api.js";
import type { AdminTeamDetail } from "../../src/protocol/dashboard/teams.js";
import type { WebhookWithSecret } from "../../src/protocol/dashboard/webhooks.js";
import type { Browser as Visitor, TestDashboard } from "../../test/support/processes/dashboard-server.js";
import type { PastClock } from "./past.js";

const dayMs = 24 * 60 * 60_000;

/** The names are those that the lists in test/browser/support expect. */
export async function addOrganisation(
  dashboard: TestDashboard,
  clock: PastClock,
  admin: Visitor,
  others: readonly string[],
): Promise<void> {
  await addProviders(dashboard, admin);
  await addTeams(dashboard, clock, admin, others);
  await addWebhooks(admin);
  const scim = { name: "Directory of the office", scopes: ["scim"], expiresInDays: 90 };
  await admin.post("/api/admin/operator-keys", scim);
  const terraform = { name: "Terraform", scopes: ["admin:write"], expiresInDays: 90 };
  const { secret } = await admin.post<KeyWithSecret>("/api/admin/operator-keys", terraform);
  await fetch(`${dashboard.url}/api/v1/maintenance`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({
      ...{ title: "Network", body: "", startsAt: new Date(Date.now() + 60 * dayMs) },
      endsAt: new Date(Date.now() + 61 * dayMs),
    }),
  });
}

async function addProviders(dashboard: TestDashboard, admin: Visitor): Promise<void> {
  const office = { name: "Office login", issuer: "https://login.example.com", clientId: "sotto" };
  await admin.must("PUT", "/api/admin/providers/office", office);
  await admin.must("PUT", "/api/admin/providers/campus", {
    ...{
      name: "University of Example, Faculty of Science",
      issuer: "https://id.faculty.example.com/realms/a",
    },
    ...{ clientId: "sotto-production", signUp: "domains", domains: ["example.com", "faculty.example.com"] },
  });
  const { account } = await admin.get<{ account: { id: string } }>("/api/me");
  const identity = { issuer: office.issuer, subject: "admin" };
  await dashboard.app.store.singleSignOn.link(account.id, "office", identity, new Date());
}

async function addTeams(
  dashboard: TestDashboard,
  clock: PastClock,
  admin: Visitor,
  others: readonly string[],
): Promise<void> {
  const { accounts } = await admin.get<{ accounts: { id: string; email: string }[] }>("/api/admin/accounts");
  const idOf = (email: string | undefined) => accounts.find((account) => account.email === email)?.id ?? "";
  const create = async (name: string, ownerEmail: string) => {
    const team = { name, planId: "department", ownerEmail };
    return (await admin.post<AdminTeamDetail>("/api/admin/teams", team)).team.id;
  };
  clock.agoMs = 60 * dayMs;
  const office = await create("Office", "admin@example.com");
  const roles = { "ada@example.com": "member", [others[2] ?? ""]: "admin", [others[3] ?? ""]: "viewer" };
  for (const [email, role] of Object.entries({ ...roles, [others[4] ?? ""]: "member" })) {
    await admin.must("PUT", `/api/admin/teams/${office}/members/${idOf(email)}`, { role });
  }
  clock.agoMs = 0;
  await admin.must("PUT", `/api/admin/teams/${office}/quotas`, {
    ...{ requestsPerDay: 200, tokensPerDay: null, requestsPerMonth: null, tokensPerMonth: 2_000_000 },
  });
  await admin.must("PUT", `/api/admin/teams/${office}/security`, {
    ...{ allowFrom: ["127.0.0.0/8", "10.20.0.0/16", "2001:db8:42::/48"], secondFactorDays: 30 },
  });
  await admin.post(`/api/teams/${office}/members/${idOf(others[4])}/limits`, {
    limits: {
      ...{ requestsPerMinute: 10, tokensPerMinute: null, concurrentRequests: null, requestsPerDay: 50 },
      ...{ tokensPerDay: null, requestsPerMonth: null, tokensPerMonth: null },
    },
  });
  await admin.post(`/api/teams/${office}/invites`, {});
  await admin.post(`/api/teams/${office}/invites`, { email: "bartholomew@subsidiary.example.com" });
  const key = { models: null, expiresInDays: null };
  const keys = [
    await admin.post<KeyWithSecret>(`/api/teams/${office}/keys`, { ...key, name: "Laptop" }),
    await admin.post<KeyWithSecret>(`/api/teams/${office}/keys`, { ...key, name: "Robot", isService: true }),
  ];
  for (let count = 0; count < 90; count++) {
    dashboard.app.dashboard.usage.record({
      ...{ accountId: office, keyId: keys[count % 2]?.key.id ?? "", model: "omega", outcome: "ok" },
      ...{ promptTokens: 1_200, completionTokens: 300, firstTokenMs: 180 },
    });
  }
  await dashboard.app.dashboard.usage.flush();
  await create("Research and Development, Europe (North), Night Shift", "ada@example.com");
}

async function addWebhooks(admin: Visitor): Promise<void> {
  const receiver = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(204).end());
  });
  await new Promise<void>((done) => receiver.listen(0, "127.0.0.1", done));
  receiver.unref();
  const { port } = receiver.address() as AddressInfo;
  const urls = ["http://127.0.0.1:1/hook", `http://127.0.0.1:${port}/events`];
  for (const url of urls) {
    const { webhook } = await admin.post<WebhookWithSecret>("/api/admin/webhooks", {
      ...{ url, description: url === urls[0] ? "" : "Alerts of the people on call", events: null },
    });
    await admin.post(`/api/admin/webhooks/${webhook.id}/test`);
  }
}
