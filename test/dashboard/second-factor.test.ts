import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type {
  FactorsView,
  NewCodesView,
  NewTotp,
  SecondStepView,
} from "../../src/protocol/dashboard/factors.js";
import type { Me, OneTimeLink } from "../../src/protocol/dashboard/api.js";
import { addPhoneApp, PhoneApp } from "../support/clients/factors.js";
import { FakeClock } from "../support/inputs/fake-clock.js";
import {
  password,
  startDashboard,
  tokenOf,
  type Browser,
  type TestDashboard,
} from "../support/processes/dashboard-server.js";

const minuteMs = 60_000;

let dashboard: TestDashboard;
let clock: FakeClock;
let operator: Browser;
let people = 0;
beforeAll(async () => {
  clock = new FakeClock();
  dashboard = await startDashboard({ clock });
  operator = await dashboard.setUp();
});
afterAll(() => dashboard.close());
// A step of time of its own for each test.
beforeEach(() => clock.advance(15 * minuteMs));

const newPerson = async () => {
  people += 1;
  const email = `person${people}@example.com`;
  const browser = await dashboard.signUp(email);
  return { email, browser, ...(await addPhoneApp(browser, clock)) };
};

/** As far as the second step. */
const enterPassword = async (email: string, typed = password) => {
  const browser = dashboard.browser();
  return { browser, step: await browser.post<SecondStepView>("/api/sign-in", { email, password: typed }) };
};

const finish = (browser: Browser, proof: object) => browser.send("POST", "/api/sign-in/second-factor", proof);

describe("an authenticator app", () => {
  it("is asked for after the password, and the password alone opens nothing", async () => {
    const { email, app } = await newPerson();
    const { browser, step } = await enterPassword(email);
    expect(step).toEqual({ next: "second_factor", methods: ["totp", "recovery"] });
    expect([...browser.cookies.keys()]).toEqual(["sotto_step"]);
    expect((await browser.send("GET", "/api/me")).status).toBe(401);
    const answer = await finish(browser, { code: app.code() });
    expect(answer.json).toMatchObject({ account: { email }, recoveryCodesLeft: null });
    expect((await browser.get<Me>("/api/me")).account.email).toBe(email);
    expect(browser.cookies.has("sotto_step")).toBe(false);
  });

  it("is not on before its first code, and a wrong one leaves it off", async () => {
    const ada = await dashboard.signUp("not-on@example.com");
    const { secret, address } = await ada.post<NewTotp>("/api/me/totp");
    expect(address).toContain(`secret=${secret}`);
    expect(address).toContain("not-on%40example.com");
    const app = new PhoneApp(secret, clock);
    const wrong = await ada.send("POST", "/api/me/totp/confirm", { code: app.code(5) });
    expect(wrong.json).toMatchObject({ error: { code: "bad_request", field: "code" } });
    expect((await ada.get<FactorsView>("/api/me/factors")).totpSince).toBeNull();
    expect((await enterPassword("not-on@example.com")).step).toMatchObject({ account: {} });
  });

  it("refuses a code that was used, for the same step, and again for the next sign-in", async () => {
    const { email, app } = await newPerson();
    const code = app.code();
    expect((await finish((await enterPassword(email)).browser, { code })).status).toBe(200);
    const replay = await finish((await enterPassword(email)).browser, { code });
    expect(replay.json).toMatchObject({ error: { code: "bad_request", field: "code" } });
    const earlier = await finish((await enterPassword(email)).browser, { code: app.code(-1) });
    expect(earlier.status).toBe(400);
    expect((await finish((await enterPassword(email)).browser, { code: app.code(1) })).status).toBe(200);
  });

  it("says what is wrong with a code that cannot be one, and names the field", async () => {
    const { email, browser } = await newPerson();
    const { browser: visitor } = await enterPassword(email);
    const tries = [
      [{ code: "12" }, "code"],
      [{ recoveryCode: "" }, "recoveryCode"],
      [{}, "code"],
    ] as const;
    for (const [proof, field] of tries)
      expect((await finish(visitor, proof)).json).toMatchObject({ error: { code: "bad_request", field } });
    expect((await browser.send("POST", "/api/me/confirm", {})).json).toMatchObject({
      error: { code: "bad_request", field: "password" },
    });
  });

  it("accepts a code of the step before and after, and none further away", async () => {
    const { email, app } = await newPerson();
    clock.advance(5 * minuteMs);
    for (const steps of [-2, 2])
      expect((await finish((await enterPassword(email)).browser, { code: app.code(steps) })).status).toBe(
        400,
      );
    for (const steps of [-1, 1])
      expect((await finish((await enterPassword(email)).browser, { code: app.code(steps) })).status).toBe(
        200,
      );
  });

  it("throttles guesses by account, also the right code then, whatever browser it comes from", async () => {
    const { email, app } = await newPerson();
    for (let guess = 0; guess < 10; guess++) {
      const { browser } = await enterPassword(email);
      expect((await finish(browser, { code: app.code(20 + guess) })).status).toBe(400);
    }
    const { browser } = await enterPassword(email);
    expect((await finish(browser, { code: app.code() })).json).toMatchObject({
      error: { code: "throttled" },
    });
    clock.advance(16 * minuteMs);
    expect((await finish((await enterPassword(email)).browser, { code: app.code() })).status).toBe(200);
  });

  it("has five minutes for the second step, and none without the cookie", async () => {
    const { email, app } = await newPerson();
    expect((await finish(dashboard.browser(), { code: app.code() })).status).toBe(409);
    const { browser } = await enterPassword(email);
    clock.advance(5 * minuteMs);
    expect((await finish(browser, { code: app.code() })).json).toMatchObject({
      error: { code: "conflict", message: "This took too long. Enter your password again." },
    });
  });

  it("is asked for after a new password was chosen by a link, too", async () => {
    const { browser } = await newPerson();
    const { id } = (await browser.get<Me>("/api/me")).account;
    await operator.post("/api/me/confirm", { password });
    const { link } = await operator.post<OneTimeLink>(`/api/admin/accounts/${id}/reset-link`);
    const thief = dashboard.browser();
    const entry = await thief.post("/api/reset", { token: tokenOf(link), password: "a brand new one" });
    expect(entry).toMatchObject({ next: "second_factor" });
    expect((await thief.send("GET", "/api/me")).status).toBe(401);
  });

  it("leaves no secret, code or token in a table or the log", async () => {
    const { email, app, recoveryCodes } = await newPerson();
    const { browser } = await enterPassword(email);
    const step = browser.cookies.get("sotto_step") ?? "";
    await finish(browser, { code: app.code() });
    const stored = [...dashboard.tables().values(), dashboard.log()].join("\n");
    for (const secret of [app.secret, step, ...recoveryCodes]) {
      expect(secret.length).toBeGreaterThan(15);
      expect(stored).not.toContain(secret);
    }
    const rows = JSON.stringify(await browser.get("/api/me/stored"));
    expect(rows).toContain("(encrypted, not shown)");
  });

  it("can be removed by its owner, and then the password is enough and no recovery code is left", async () => {
    const { email, browser } = await newPerson();
    await browser.must("DELETE", "/api/me/totp");
    const { browser: later, step } = await enterPassword(email);
    expect(step).toMatchObject({ account: { email } });
    expect(await later.get<FactorsView>("/api/me/factors")).toMatchObject({
      totpSince: null,
      recoveryCodes: 0,
    });
    expect((await later.send("DELETE", "/api/me/totp")).status).toBe(404);
  });

  it("is one: a second one is refused while it is on", async () => {
    const { browser } = await newPerson();
    expect((await browser.send("POST", "/api/me/totp")).status).toBe(409);
  });

  it("of another account is of no use", async () => {
    const [ada, bob] = [await newPerson(), await newPerson()];
    const { browser } = await enterPassword(ada.email);
    expect((await finish(browser, { code: bob.app.code() })).status).toBe(400);
    expect((await finish(browser, { recoveryCode: bob.recoveryCodes[0] })).status).toBe(400);
  });

  it("ends a sign-in in progress when the account is suspended", async () => {
    const { email, app } = await newPerson();
    const { browser } = await enterPassword(email);
    const account = await dashboard.app.store.findAccountByEmail(email);
    await dashboard.app.store.setAccountSuspended(account?.id ?? "", clock.now());
    expect((await finish(browser, { code: app.code() })).status).toBe(409);
  });
});

describe("a recovery code", () => {
  it("signs in once, however it is typed, and says how many are left", async () => {
    const { email, recoveryCodes } = await newPerson();
    expect(recoveryCodes).toHaveLength(10);
    expect(new Set(recoveryCodes).size).toBe(10);
    const [first = "", second = ""] = recoveryCodes;
    const answer = await finish((await enterPassword(email)).browser, { recoveryCode: first });
    expect(answer.json).toMatchObject({ recoveryCodesLeft: 9 });
    const again = await finish((await enterPassword(email)).browser, { recoveryCode: first });
    expect(again.json).toMatchObject({ error: { code: "bad_request", field: "recoveryCode" } });
    const typed = second.toUpperCase().replaceAll("-", " ");
    expect((await finish((await enterPassword(email)).browser, { recoveryCode: typed })).json).toMatchObject({
      recoveryCodesLeft: 8,
    });
  });

  it("stops working when new ones are created", async () => {
    const { email, browser, recoveryCodes } = await newPerson();
    const { recoveryCodes: fresh } = await browser.post<NewCodesView>("/api/me/recovery-codes");
    const old = await finish((await enterPassword(email)).browser, { recoveryCode: recoveryCodes[0] });
    expect(old.status).toBe(400);
    const current = await finish((await enterPassword(email)).browser, { recoveryCode: fresh?.[0] });
    expect(current.status).toBe(200);
  });

  it("is for an account with a second factor only", async () => {
    const ada = await dashboard.signUp("without@example.com");
    expect((await ada.send("POST", "/api/me/recovery-codes")).status).toBe(409);
  });
});

describe("what is sensitive", () => {
  it("asks again after ten minutes, and takes a password or a code, once for ten minutes more", async () => {
    const { browser, app } = await newPerson();
    clock.advance(10 * minuteMs);
    const refused = await browser.send("POST", "/api/me/recovery-codes");
    expect(refused.status).toBe(403);
    expect(refused.json).toMatchObject({ error: { code: "confirmation_required" } });
    expect((await browser.send("POST", "/api/me/confirm", { password: "not this one" })).status).toBe(400);
    expect((await browser.send("POST", "/api/me/recovery-codes")).status).toBe(403);
    await browser.post("/api/me/confirm", { password });
    await browser.post("/api/me/recovery-codes");
    clock.advance(10 * minuteMs);
    expect((await browser.send("DELETE", "/api/me/totp")).status).toBe(403);
    await browser.post("/api/me/confirm", { code: app.code() });
    await browser.must("DELETE", "/api/me/totp");
  });

  it("is not asked about where nothing is changed, and admins are asked as well", async () => {
    const { browser } = await newPerson();
    const { id } = (await browser.get<Me>("/api/me")).account;
    clock.advance(11 * minuteMs);
    expect((await browser.send("GET", "/api/me/factors")).status).toBe(200);
    const refused = { error: { code: "confirmation_required" } };
    const sensitive = [
      ["DELETE", `/api/admin/accounts/${id}`],
      ["POST", `/api/admin/accounts/${id}/role`],
      ["POST", `/api/admin/accounts/${id}/reset-link`],
      ["POST", `/api/admin/accounts/${id}/reset-factors`],
      ["PUT", "/api/admin/second-factor"],
    ] as const;
    const own = [
      ["POST", "/api/me/password"],
      ["PUT", "/api/me/email"],
      ["POST", "/api/me/identities"],
      ["DELETE", "/api/me/identities/any"],
      ["DELETE", "/api/me"],
    ] as const;
    for (const [method, path] of [...sensitive, ...own])
      expect((await operator.send(method, path)).json, path).toMatchObject(refused);
    await operator.post("/api/me/confirm", { password });
    await operator.must("DELETE", `/api/admin/accounts/${id}`);
  });
});
