/**
 * A service as it is after a year of use, for pictures of its pages: accounts, keys with tags, usage over all the days
 * that are kept, an incident, refusals, past and planned maintenance, invitations. Every name and number is made up.
 * It has what the lists in test/browser/support open, so that the same steps lead to the same dialogs.
 */
import { join } from "node:path";
import type { KeyWithSecret } from "../../src/protocol/dashboard/api.js";
import type { ModelId } from "../../src/core/models.js";
import { writeTinyGguf } from "../../test/support/engines/tiny-gguf.js";
import { uniformNumbers } from "../../test/support/inputs/uniform-numbers.js";
import {
  startDashboard,
  type Browser as Visitor,
  type TestDashboard,
} from "../../test/support/processes/dashboard-server.js";
import { newDataDir } from "../../test/support/processes/sotto-process.js";
import { addOrganisation } from "./organisation.js";
import { answer, longAnswer, longQuestion, PastClock } from "./past.js";
import { recordYear, type UsedKey } from "./year-of-usage.js";

export const people = {
  admin: "admin@example.com",
  /** Many keys, and a plan with quotas. */
  returning: "ada@example.com",
  newcomer: "newcomer@example.com",
  /** Whose plan allows one request a minute. */
  limited: "limited@example.com",
} as const;

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
const setUpDaysAgo = 300;
const noQuotas = { requestsPerDay: null, tokensPerDay: null, requestsPerMonth: null, tokensPerMonth: null };

const others = [
  ...["eve@example.com", "grace.hopper@navy.example", "linus@kernel.example", "margaret@apollo.example"],
  ...["bartholomew.montgomery-fitzgerald@subsidiary.engineering.example.com", "zuse@z3.example"],
  ...["barbara@liskov.example", "donald@tex.example", "radia@bridge.example", "ken@unix.example"],
  ...["søren.ågård@københavn.example", "ö@example.com", "frances@allen.example", "tony@null.example"],
];

const keyNames = [
  ...["Website chat", "Support bot", "CI", "Nightly evaluation", "Invoice reader", "Search summaries"],
  ...["Translation", "Release notes", "Incident assistant", "Data labelling", "Mobile app", "Sales emails"],
  ...["Research and Development, Europe (North), second evaluation cluster", "Code review", "x"],
];
const tags = ["production", "staging", "team search", "team support", "ci"];

export async function startMadeUpService(env: Record<string, string> = {}): Promise<TestDashboard> {
  const clock = new PastClock();
  // Before the service starts: its first round of housekeeping would delete a set-up link that has expired by today.
  clock.agoMs = setUpDaysAgo * dayMs;
  const dashboard = await startDashboard({
    ...{ webDir: "dist/web", clock },
    env: { SOTTO_HF_ENDPOINT: "http://127.0.0.1:1", ...env },
  });
  dashboard.engine.options = { ...dashboard.engine.options, contextTokens: 32_768 };
  dashboard.engine.script = ({ messages }) => {
    const text = messages.at(-1)?.content === longQuestion ? longAnswer : answer;
    return { fragments: text.split(/(?<= )/) };
  };
  await furnish(dashboard, clock);
  return dashboard;
}

async function furnish(dashboard: TestDashboard, clock: PastClock): Promise<void> {
  const draw = uniformNumbers(16);
  const first = await dashboard.setUp(people.admin);
  await addPlans(first);
  const accounts: Visitor[] = [];
  for (const [index, email] of [people.returning, people.limited, ...others].entries()) {
    clock.agoMs = (280 - 18 * index) * dayMs;
    accounts.push(await dashboard.signUp(email));
  }
  const idOf = async (visitor: Visitor) =>
    (await visitor.get<{ account: { id: string } }>("/api/me")).account.id;
  clock.agoMs = 0;
  const admin = dashboard.browser();
  await admin.post("/api/sign-in", { email: people.admin, password: "correct horse battery" });
  const [ada, limited, eve, grace] = await Promise.all(
    [people.returning, people.limited, others[0], others[1]].map(async (email) => {
      const visitor = dashboard.browser();
      await visitor.post("/api/sign-in", { email, password: "correct horse battery" });
      return visitor;
    }),
  );
  if (ada === undefined || limited === undefined || eve === undefined || grace === undefined) return;
  await admin.post(`/api/admin/accounts/${await idOf(ada)}/plan`, { planId: "business" });
  await admin.post(`/api/admin/accounts/${await idOf(limited)}/plan`, { planId: "trial" });
  await admin.post(`/api/admin/accounts/${await idOf(grace)}/plan`, { planId: "business" });

  const used: UsedKey[] = [];
  const secrets: string[] = [];
  const keysOf = async (visitor: Visitor, names: readonly string[]) => {
    const accountId = await idOf(visitor);
    for (const [index, name] of names.entries()) {
      clock.agoMs = Math.max(0, 120 - 2 * index) * dayMs;
      const { key, secret } = await visitor.post<KeyWithSecret>("/api/keys", {
        ...{ name, models: index % 5 === 4 ? ["omega", "prism"] : null },
        ...{ expiresInDays: index % 6 === 5 ? 365 : null },
        tags: tags.filter(() => draw() < 0.3),
        limits:
          index % 7 === 3
            ? { requestsPerMinute: 30, tokensPerMinute: null, concurrentRequests: 2, ...noQuotas }
            : null,
      });
      used.push({ accountId, keyId: key.id });
      secrets.push(secret);
    }
    clock.agoMs = 0;
  };
  await keysOf(ada, [...keyNames, ...Array.from({ length: 49 }, (_, n) => `Worker ${n + 1}`)]);
  await keysOf(admin, ["My program", "Old program"]);
  await keysOf(grace, ["COBOL compiler"]);
  const { keys } = await ada.get<{ keys: { id: string; name: string }[] }>("/api/keys");
  const named = (name: string) => keys.find((key) => key.name === name)?.id ?? "";
  await ada.post(`/api/keys/${named("CI")}/rotate`, { graceHours: 168 });
  await ada.post(`/api/keys/${named("Sales emails")}/disable`);
  await ada.post(`/api/keys/${named("Translation")}/revoke`);

  await recordYear(dashboard, clock, draw, used);
  await admin.post(`/api/admin/accounts/${await idOf(eve)}/suspend`);
  await addNews(admin, clock);
  for (const [email, planId] of [
    ["invited@example.com", "team"],
    ["maximiliane.featherstonehaugh@engineering.example.com", "business"],
  ] as const) {
    await admin.post("/api/admin/invites", { email, planId, expiresInDays: 14 });
  }
  await admin.post("/api/admin/invites", {});
  const weights = join(newDataDir(), "own.gguf");
  writeTinyGguf(weights);
  await admin.post("/api/admin/models/prism/weights", { file: weights });
  // Nobody listens there.
  await admin.post("/api/admin/pulls", { reference: "hf:acme/tiny-GGUF" });
  await dashboard.signUp(people.newcomer);
  for (const [index, secret] of secrets.slice(0, 40).entries()) {
    clock.agoMs = (40 - index) * dayMs * 0.5;
    await chat(dashboard, secret, models[index % 2] ?? "omega");
  }
  clock.agoMs = 0;
  await addOrganisation(dashboard, clock, admin, others);
  await useToday(dashboard, ada);
  await raiseAlert(dashboard, await idOf(grace), grace);
  dashboard.engine.kept.set(await idOf(ada), {
    conversations: { count: 2, lastMs: 462_000 },
    routes: { count: 3, lastMs: 591_000 },
    isElsewhere: true,
  });
  for (const item of ["signUp", "mail", "address"]) {
    await admin.post(`/api/admin/checklist/${item}`, { ticked: true });
  }
}

async function addPlans(admin: Visitor): Promise<void> {
  const plan = { concurrentRequests: 8, maxKeys: 100, maxTokens: null, models: null, ...noQuotas };
  await admin.must("PUT", "/api/admin/plans/team", {
    ...{ ...plan, name: "Team", requestsPerMinute: 60, tokensPerMinute: 60_000, models: ["omega"] },
  });
  // Nobody is on the one before: it can be deleted.
  await admin.must("PUT", "/api/admin/plans/department", {
    ...{ ...plan, name: "Department", requestsPerMinute: 60, tokensPerMinute: 60_000, models: ["omega"] },
  });
  await admin.must("PUT", "/api/admin/plans/business", {
    ...{ ...plan, name: "Business", requestsPerMinute: 600, tokensPerMinute: 1_000_000 },
    ...{ requestsPerDay: 60, tokensPerDay: 4_000_000, tokensPerMonth: 80_000_000 },
  });
  await admin.must("PUT", "/api/admin/plans/trial", {
    ...{ ...plan, name: "Trial", requestsPerMinute: 1, tokensPerMinute: 20_000, maxTokens: 2_048 },
  });
}

async function addNews(admin: Visitor, clock: PastClock): Promise<void> {
  const at = (hours: number) => new Date(clock.now().getTime() + hours * hourMs).toISOString();
  const entries = [
    [90, "Tools in the playground", "Write a function's schema, and see the call that the model makes."],
    [34, "Two models side by side", "Send one message to **two models** and compare replies and speed."],
    [
      2,
      "Faster replies",
      "The first token arrives in *half the time* for long prompts.\n\n- `omega`\n- `prism`",
    ],
  ] as const;
  for (const [daysAgo, title, body] of entries) {
    clock.agoMs = daysAgo * dayMs;
    await admin.post("/api/admin/changelog", { title, body });
  }
  clock.agoMs = 12 * dayMs;
  const past = { title: "Database upgrade", body: "About ten minutes without service." };
  await admin.post("/api/admin/maintenance", { ...past, startsAt: at(0.01), endsAt: at(1) });
  clock.agoMs = 0;
  const planned = { title: "New disks", body: "Replies pause while they are fitted." };
  await admin.post("/api/admin/maintenance", { ...planned, startsAt: at(30), endsAt: at(31) });
}

/** Real requests: they count against quotas, which made-up usage does not. */
async function useToday(dashboard: TestDashboard, visitor: Visitor): Promise<void> {
  const body = { name: "Today", models: null, expiresInDays: null };
  const { secret } = await visitor.post<KeyWithSecret>("/api/keys", body);
  for (let request = 0; request < 51; request++) {
    await chat(dashboard, secret, models[request % 3] ?? "omega");
  }
}

/** Far more in the present hour than usual. */
async function raiseAlert(dashboard: TestDashboard, accountId: string, visitor: Visitor): Promise<void> {
  const { keys } = await visitor.get<{ keys: { id: string }[] }>("/api/keys");
  const { usage } = dashboard.app.dashboard;
  const used = { accountId, keyId: keys[0]?.id ?? "", model: "omega", completionTokens: 0 } as const;
  for (let count = 0; count < 2_340; count++) usage.record({ ...used, outcome: "ok", promptTokens: 700 });
  for (let count = 0; count < 415; count++)
    usage.record({ ...used, outcome: "rate_limited", promptTokens: 0 });
  await usage.flush();
}

const models: readonly ModelId[] = ["omega", "prism", "lambda"];

async function chat({ url }: TestDashboard, secret: string, model: ModelId): Promise<void> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hello" }] }),
  });
  await response.text();
}
