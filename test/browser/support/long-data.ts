/** Something of everything, with names, addresses and numbers as long as they come. */
import type { TestDashboard } from "../../support/processes/dashboard-server.js";

const hourMs = 60 * 60_000;
const longName = "Research and Development, Europe (North)";
export const operatorEmail = "maximiliane.featherstonehaugh@engineering.example.com";

export async function furnishWithLongData(dashboard: TestDashboard): Promise<void> {
  const operator = await dashboard.setUp(operatorEmail);
  await operator.must("PUT", "/api/admin/plans/research-and-development-europe", {
    ...{
      name: longName,
      requestsPerMinute: 100_000,
      tokensPerMinute: 100_000_000,
      concurrentRequests: 1_000,
    },
    ...{ maxKeys: 1_000, maxTokens: null, models: ["omega", "lambda"] },
    ...{ requestsPerDay: 10_000_000, tokensPerDay: 10_000_000_000, tokensPerMonth: 100_000_000_000 },
  });
  const limits = { requestsPerMinute: 100_000, tokensPerMinute: 10_000_000, concurrentRequests: 100 };
  for (const name of [`${longName} 1`, "CI"]) {
    await operator.post("/api/keys", { name, models: ["omega", "prism"], expiresInDays: 30, limits: null });
  }
  await operator.post("/api/keys", { name: longName, models: null, expiresInDays: null, limits: null });
  const { keys } = await operator.get<{ keys: { id: string }[] }>("/api/keys");
  const { account } = await operator.get<{ account: { id: string } }>("/api/me");
  await operator.must("PUT", "/api/admin/plans/free", {
    ...{ name: "Free", ...limits, concurrentRequests: 4, maxKeys: 10, maxTokens: 100_000, models: null },
  });
  for (const { id: keyId } of [...keys, { id: "playground" }]) {
    dashboard.app.dashboard.usage.record({
      ...{ accountId: account.id, keyId, model: "omega", outcome: keyId === "playground" ? "error" : "ok" },
      ...{ promptTokens: 1_234_567_890, completionTokens: 987_654_321, firstTokenMs: 12_345 },
    });
  }
  await dashboard.app.dashboard.usage.flush();
  for (const email of ["bartholomew.montgomery-fitzgerald@subsidiary.example.com", "ada@example.com"]) {
    const { account: one } = await (
      await dashboard.signUp(email)
    ).get<{ account: { id: string } }>("/api/me");
    await operator.post(`/api/admin/accounts/${one.id}/plan`, { planId: "research-and-development-europe" });
  }
  const { webhook } = await operator.post<{ webhook: { id: string } }>("/api/admin/webhooks", {
    url: `http://127.0.0.1:1/integrations/monitoring/${"research-and-development-europe/".repeat(3)}`,
    description: longName,
    events: ["quota.reached", "maintenance.announced"],
  });
  await operator.post(`/api/admin/webhooks/${webhook.id}/test`);
  const title = "Faster replies for everyone who writes long prompts";
  await operator.post("/api/admin/changelog", { title, body: "By **a lot**: `max_completion_tokens`." });
  const at = (hours: number) => new Date(Date.now() + hours * hourMs).toISOString();
  const maintenance = { title: "New disks in the Frankfurt data centre", body: "", startsAt: at(2) };
  await operator.post("/api/admin/maintenance", { ...maintenance, endsAt: at(3) });
}
