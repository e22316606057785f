/** A team from its creation to its end, as its people see it. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { postChat } from "../support/clients/post-chat.js";
import type { Browser } from "../support/processes/dashboard-server.js";
import type { KeyWithSecret } from "../../src/protocol/dashboard/api.js";
import type { AdminTeamDetail } from "../../src/protocol/dashboard/teams.js";
import { noQuotas } from "../../src/core/entities.js";
import { violations } from "./support/axe.js";
import { layoutErrors } from "./support/layout-faults.js";
import { setStage } from "./support/stage.js";
import { chooseAction, openPage, returningContext, shownSecret } from "./support/visit.js";

const longName = "Research and Development, Europe (North), Night Shift";
let operator: Browser;
const stage = setStage(async (dashboard) => {
  operator = await dashboard.setUp("operator@example.com");
  for (const name of ["olivia", "maximiliane.featherstonehaugh", "vera"]) {
    await dashboard.signUp(`${name}@example.com`);
  }
});

const pageOf = async (name: string) => {
  const context = await returningContext(stage.browser, stage.url, `${name}@example.com`);
  return (await openPage(context, stage.url)).page;
};

const ask = (secret: string) => postChat(stage.url, secret);

describe("a team", () => {
  it("is created, invited to, used, over its budget, and left", async () => {
    const admin = await pageOf("operator");
    await admin.goto(`${stage.url}/admin/teams`);
    await admin.getByRole("button", { name: "Create team" }).click();
    await admin.getByLabel("Name").fill("Research");
    await admin.getByLabel("Owner").fill("olivia@example.com");
    await admin.getByRole("dialog").getByRole("button", { name: "Create team" }).click();
    await admin.getByRole("heading", { name: "Research", level: 1 }).waitFor();
    await admin.getByLabel("Requests per day").fill("1");
    await admin.getByRole("button", { name: "Save", exact: true }).click();
    await admin.getByText("Plan and quotas of Research saved").waitFor();

    const owner = await pageOf("olivia");
    await owner.goto(`${stage.url}/app`);
    await owner.getByRole("button", { name: "Space: Personal" }).click();
    await owner.getByRole("menuitem", { name: "Research" }).click();
    await owner.getByRole("heading", { name: "Research", level: 1 }).waitFor();
    await owner.getByRole("button", { name: "Invite" }).first().click();
    await owner.getByRole("button", { name: "Create link" }).click();
    const link =
      (await owner
        .getByText(/\/join#token=/)
        .first()
        .textContent()) ?? "";
    expect(link).toContain("/join#token=");

    const member = await pageOf("vera");
    await member.goto(link);
    await member.getByText("You are invited to Research as a member.").waitFor();
    await member.getByRole("button", { name: "Join Research" }).click();
    await member.getByRole("heading", { name: "Research", level: 1 }).waitFor();
    await member.getByRole("link", { name: "Keys" }).click();
    await member.getByRole("button", { name: "Create key" }).first().click();
    await member.getByLabel("Name").fill("Laptop");
    await member.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
    const secret = await shownSecret(member);
    await member.getByRole("button", { name: "Done" }).click();
    expect((await ask(secret)).status).toBe(200);
    const refused = await ask(secret);
    expect(refused.status).toBe(429);
    expect(await refused.text()).toContain("1 request per day on the team 'Research'");

    await member.getByRole("link", { name: "Playground" }).click();
    await member.getByText("Requests count against the limits of Research.").waitFor();
    await member.getByRole("textbox", { name: "Message" }).fill("And here?");
    await member.keyboard.press("Enter");
    await member.getByText("1 request per day on the team 'Research'").waitFor();
    await member.getByRole("button", { name: "Clear" }).click();

    await owner.getByRole("button", { name: "Done" }).click();
    await owner.getByRole("link", { name: "Usage" }).click();
    await owner.getByRole("table", { name: "Usage by member" }).getByText("vera@example.com").waitFor();
    await member.getByRole("link", { name: "Team" }).click();
    await member.getByRole("button", { name: "Leave team…" }).click();
    await member
      .getByRole("dialog")
      .or(member.getByRole("alertdialog"))
      .getByRole("button", { name: "Leave team" })
      .click();
    await member.waitForURL(`${stage.url}/app`);
    expect((await ask(secret)).status).toBe(401);

    await owner.getByRole("link", { name: "Team", exact: true }).click();
    await owner.getByRole("button", { name: "Delete team…" }).click();
    await owner.getByText("1 membership, 1 key (0 working)").waitFor();
    await owner.getByLabel(/Type/).fill("Research");
    await owner.getByRole("button", { name: "Delete team", exact: true }).click();
    await owner.waitForURL(`${stage.url}/app`);
    for (const page of [admin, owner, member]) await page.context().close();
  });

  it("looks right on every page, at every width, in light and in dark", async () => {
    const body = { name: longName, planId: "free", ownerEmail: "operator@example.com" };
    const { team } = await operator.post<AdminTeamDetail>("/api/admin/teams", body);
    await operator.must("PUT", `/api/admin/teams/${team.id}/quotas`, {
      ...noQuotas,
      tokensPerMonth: 10_000_000_000,
    });
    const { accounts } = await operator.get<{ accounts: { id: string; email: string }[] }>(
      "/api/admin/accounts",
    );
    const long = accounts.find(({ email }) => email.startsWith("maximiliane"));
    await operator.must("PUT", `/api/admin/teams/${team.id}/members/${long?.id}`, { role: "member" });
    await operator.post(`/api/teams/${team.id}/invites`, { email: "bartholomew@subsidiary.example.com" });
    const key = { name: longName, models: null, expiresInDays: null };
    await operator.post(`/api/teams/${team.id}/keys`, { ...key, isService: true });
    const own = await operator.post<KeyWithSecret>(`/api/teams/${team.id}/keys`, key);
    stage.dashboard.app.dashboard.usage.record({
      ...{ accountId: team.id, keyId: own.key.id, model: "omega", outcome: "ok" },
      ...{ promptTokens: 1_234_567_890, completionTokens: 987_654_321, firstTokenMs: 12_345 },
    });
    await stage.dashboard.app.dashboard.usage.flush();
    const at = `/app/teams/${team.id}`;
    const paths = [
      at,
      `${at}/keys`,
      `${at}/usage`,
      `${at}/playground`,
      `${at}/limits`,
      "/admin/teams",
      `/admin/teams/${team.id}`,
      "/app/account",
    ];
    const context = await returningContext(stage.browser, stage.url, "operator@example.com", {
      locale: "en-US",
    });
    const { page, faults } = await openPage(context, stage.url);
    for (const path of paths) {
      await page.goto(stage.url + path, { waitUntil: "networkidle" });
      await page.locator("h1").first().waitFor();
      for (const width of [390, 1024, 1920]) {
        await page.setViewportSize({ width, height: 900 });
        const found = [...(await layoutErrors(page)), ...(width === 1024 ? [] : await violations(page))];
        faults.push(...found.map((fault) => `${path} at ${width}: ${fault}`));
        await pictures(page, `${path.replaceAll("/", "_")}-${width}`);
      }
    }
    for (const [member, action] of [
      [long?.email ?? "", "Change limits…"],
      [long?.email ?? "", "Change role…"],
    ] as const) {
      await page.goto(stage.url + at);
      await chooseAction(page, member, action);
      await page.getByRole("dialog").waitFor();
      faults.push(...(await violations(page)));
    }
    expect(faults).toEqual([]);
    await context.close();
  });
});

/** For people who want to look at them. */
async function pictures(page: Page, name: string): Promise<void> {
  const folder = process.env.SOTTO_TEST_PICTURES;
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true });
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`), fullPage: true });
  }
}
