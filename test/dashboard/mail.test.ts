import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { smtpMailer } from "../../src/adapters/smtp.js";
import type { Me, OneTimeLink, Site } from "../../src/protocol/dashboard/api.js";
import { type SmtpServer, startSmtpServer } from "../support/clients/smtp-server.js";
import { eventually } from "../support/eventually.js";
import { startDashboard, type TestDashboard, tokenOf } from "../support/processes/dashboard-server.js";

describe("with a mail server", () => {
  let dashboard: TestDashboard;
  let smtp: SmtpServer;
  beforeEach(async () => {
    smtp = await startSmtpServer();
    dashboard = await startDashboard({
      env: {
        SOTTO_SMTP_URL: smtp.url,
        SOTTO_MAIL_FROM: "Acme <chat@example.com>",
        SOTTO_PUBLIC_URL: "https://chat.example.com/",
      },
    });
  });
  afterEach(async () => {
    await dashboard.close();
    await smtp.close();
  });

  const ask = (email: string, headers: Record<string, string> = {}) =>
    dashboard.browser().send("POST", "/api/reset/request", { email }, headers);
  const resetMails = () => smtp.mails.filter((mail) => mail.includes("Choose a new password"));
  const linkIn = (mail: string) => /https:\S+/.exec(mail)?.[0];

  it("a person who forgot their password is mailed a link that works", async () => {
    await dashboard.signUp("Ada@example.com");
    expect((await dashboard.browser().get<Site>("/api/site")).canMail).toBe(true);
    expect((await ask("ada@example.com")).text).toBe("{}");
    const mail = await eventually(() => resetMails()[0]);
    expect(mail).toMatch(/^From: Acme <chat@example\.com>\r$/m);
    expect(mail).toMatch(/^To: Ada@example\.com\r$/m);
    const link = linkIn(mail) ?? "";
    expect(link).toMatch(/^https:\/\/chat\.example\.com\/reset#token=/);
    const reset = { token: tokenOf(link), password: "a brand new one" };
    expect((await dashboard.browser().send("POST", "/api/reset", reset)).status).toBe(200);
  });

  it("no mail is sent to an address without an account, or a suspended one", async () => {
    const eve = await dashboard.signUp("eve@example.com");
    const { id } = (await eve.get<Me>("/api/me")).account;
    await dashboard.app.store.setAccountSuspended(id, new Date());
    await dashboard.signUp("ada@example.com");
    await ask("nobody@example.com");
    await ask("eve@example.com");
    await ask("ada@example.com");
    await eventually(() => resetMails().length === 1);
    await dashboard.app.dashboard.outbox.close();
    expect(resetMails()).toEqual([expect.stringContaining("To: ada@example.com")]);
  });

  it("the link leads to the configured address, not to where a request says it went", async () => {
    await dashboard.signUp("ada@example.com");
    const spoofed = { "x-forwarded-host": "evil.example", forwarded: "host=evil.example" };
    expect((await ask("ada@example.com", spoofed)).status).toBe(200);
    const mail = await eventually(() => resetMails()[0]);
    expect(mail).not.toContain("evil");
  });

  it("an address cannot name more people than one", async () => {
    const mailer = smtpMailer({ url: smtp.url, from: "Acme <chat@example.com>" });
    await mailer
      .send({ kind: "reset", to: "ada@example.com,eve@example.com", subject: "x", text: "x" })
      .catch(() => undefined);
    await mailer.close();
    expect(smtp.recipients.filter((line) => /<eve@example\.com>/.test(line))).toEqual([]);
  });

  it("invitations and the operator's reset links are mailed too", async () => {
    const operator = await dashboard.setUp();
    const ada = await dashboard.signUp("ada@example.com");
    const { id } = (await ada.get<Me>("/api/me")).account;
    const invite = await operator.post<OneTimeLink>("/api/admin/invites", { email: "bob@example.com" });
    const reset = await operator.post<OneTimeLink>(`/api/admin/accounts/${id}/reset-link`);
    const links = () => smtp.mails.map(linkIn).filter((link) => link?.includes("/confirm#") === false);
    await eventually(() => links().length === 2);
    expect(links().sort()).toEqual([invite.link, reset.link].sort());
  });
});

describe("with a mail server that refuses", () => {
  it("the answer is the same, and the log has the error", async () => {
    const smtp = await startSmtpServer({ refuses: true });
    const dashboard = await startDashboard({ env: { SOTTO_SMTP_URL: smtp.url } });
    await dashboard.signUp("ada@example.com");
    const answer = await dashboard.browser().send("POST", "/api/reset/request", { email: "ada@example.com" });
    expect(answer).toMatchObject({ status: 200, text: "{}" });
    await eventually(() => dashboard.log().includes("unexpected error"));
    expect(dashboard.log()).not.toContain("ada@");
    await dashboard.close();
    await smtp.close();
  });
});
