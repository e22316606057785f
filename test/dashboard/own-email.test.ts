/** Verifying an address, and changing it. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Confirmed } from "../../src/core/accounts/own-email.js";
import type { EmailChangeView, KeyWithSecret, Me } from "../../src/protocol/dashboard/api.js";
import type { AccountDetail } from "../../src/protocol/dashboard/accounts.js";
import { startSmtpServer, type SmtpServer } from "../support/clients/smtp-server.js";
import { eventually } from "../support/eventually.js";
import {
  password,
  startDashboard,
  type Browser,
  type TestDashboard,
} from "../support/processes/dashboard-server.js";

let dashboard: TestDashboard;
afterEach(() => dashboard.close());

const account = async (who: Browser) => (await who.get<Me>("/api/me")).account;
const change = (who: Browser, email: string) => who.send("PUT", "/api/me/email", { email });
const actions = () =>
  (dashboard.tables().get("audit") ?? "")
    .split("\n")
    .map((line) => (JSON.parse(line) as { action: string }).action);

describe("with a mail server", () => {
  let smtp: SmtpServer;
  beforeEach(async () => {
    smtp = await startSmtpServer();
    dashboard = await startDashboard({
      env: { SOTTO_SMTP_URL: smtp.url, SOTTO_PUBLIC_URL: "https://chat.example.com" },
    });
  });
  afterEach(() => smtp.close());

  /** The link in the newest mail to the address. */
  const linkTo = async (email: string, count = 1) => {
    const mails = await eventually(() => {
      const found = smtp.mails.filter((mail) => mail.includes(`To: ${email}\r\n`));
      return found.length >= count && found;
    });
    return /https:\/\/chat\.example\.com\/confirm#\w+=([\w-]+)/.exec(mails.at(-1) ?? "")?.[1] ?? "";
  };
  const confirm = (token: string) => dashboard.browser().send("POST", "/api/confirm", { token });

  it("an address is verified by the link that is mailed at sign-up, and works before", async () => {
    const operator = await dashboard.setUp();
    const ada = await dashboard.signUp("ada@example.com");
    const { id, isEmailVerified } = await account(ada);
    expect(isEmailVerified).toBe(false);
    await ada.post("/api/keys", { name: "k", models: null, expiresInDays: null });
    const seen = async () => (await operator.get<AccountDetail>(`/api/admin/accounts/${id}`)).account;
    expect(await seen()).toMatchObject({ isEmailVerified: false, canSignIn: true });
    const token = await linkTo("ada@example.com");
    expect((await confirm(token)).json as Confirmed).toEqual({ done: "verified", email: "ada@example.com" });
    expect((await confirm(token)).status).toBe(404);
    expect((await account(ada)).isEmailVerified).toBe(true);
    expect(await seen()).toMatchObject({ isEmailVerified: true });
    expect(actions()).toContain("verified email address");
    expect(await ada.send("POST", "/api/me/verify")).toMatchObject({ status: 409 });
  });

  it("a link can be asked for again, a few times an hour", async () => {
    const ada = await dashboard.signUp("ada@example.com");
    const first = await linkTo("ada@example.com");
    await ada.post("/api/me/verify");
    const second = await linkTo("ada@example.com", 2);
    expect((await confirm(first)).status).toBe(404);
    expect((await confirm(second)).status).toBe(200);
    const bob = await dashboard.signUp("bob@example.com");
    for (let i = 0; i < 5; i++) await bob.post("/api/me/verify");
    expect(await bob.send("POST", "/api/me/verify")).toMatchObject({ status: 429 });
  });

  it("an address changes when both addresses have confirmed, and not before", async () => {
    const ada = await dashboard.signUp("ada@example.com");
    // Mails leave after a random delay: this one has to be the first.
    await linkTo("ada@example.com");
    const { secret } = await ada.post<KeyWithSecret>("/api/keys", {
      name: "k",
      models: null,
      expiresInDays: null,
    });
    const listed = () =>
      fetch(`${dashboard.url}/v1/models`, { headers: { authorization: `Bearer ${secret}` } });
    expect((await listed()).status).toBe(200);
    expect((await change(ada, "new@example.com")).json as EmailChangeView).toMatchObject({
      change: { email: "new@example.com", waitsFor: "present" },
    });
    const first = await linkTo("ada@example.com", 2);
    expect((await confirm(first)).json as Confirmed).toEqual({ done: "agreed", email: "new@example.com" });
    const second = await linkTo("new@example.com");
    expect(await ada.get<EmailChangeView>("/api/me/email")).toMatchObject({ change: { waitsFor: "new" } });
    expect((await account(ada)).email).toBe("ada@example.com");
    expect(smtp.mails.at(-1)).not.toContain("ada@example.com");
    expect((await confirm(second)).json as Confirmed).toEqual({ done: "changed", email: "new@example.com" });
    // The session and the key go on; signing in takes the new address.
    expect(await account(ada)).toMatchObject({ email: "new@example.com", isEmailVerified: true });
    expect((await listed()).status).toBe(200);
    expect(await ada.get<EmailChangeView>("/api/me/email")).toEqual({ change: null });
    const signIn = (email: string) => dashboard.browser().send("POST", "/api/sign-in", { email, password });
    expect((await signIn("ada@example.com")).status).toBe(400);
    expect((await signIn("new@example.com")).status).toBe(200);
    expect(actions()).toContain("changed email address");
  });

  it("a change can be cancelled, and one to an address of another account is refused", async () => {
    const ada = await dashboard.signUp("ada@example.com");
    await dashboard.signUp("bob@example.com");
    expect((await change(ada, "BOB@example.com")).json).toMatchObject({
      error: { code: "conflict", field: "email" },
    });
    expect((await change(ada, "no address")).json).toMatchObject({ error: { field: "email" } });
    await linkTo("ada@example.com");
    await change(ada, "new@example.com");
    const token = await linkTo("ada@example.com", 2);
    expect(await ada.must("DELETE", "/api/me/email")).toEqual({ change: null });
    expect((await confirm(token)).status).toBe(404);
    expect((await confirm("x".repeat(43))).status).toBe(404);
    expect((await account(ada)).email).toBe("ada@example.com");
  });
});

describe("without a mail server", () => {
  it("an address changes right away, and nothing is verified", async () => {
    dashboard = await startDashboard();
    const ada = await dashboard.signUp("ada@example.com");
    await dashboard.signUp("bob@example.com");
    expect((await change(ada, "ada@example.com")).status).toBe(409);
    expect((await change(ada, "bob@example.com")).status).toBe(409);
    expect((await change(ada, "new@example.com")).json).toEqual({ change: null });
    expect(await account(ada)).toMatchObject({ email: "new@example.com", isEmailVerified: false });
    expect(await ada.send("POST", "/api/me/verify")).toMatchObject({ status: 409 });
    expect(actions()).toContain("changed email address");
  });
});
