import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../support/inputs/fake-clock.js";
import {
  password,
  startDashboard,
  type Answer,
  type TestDashboard,
} from "../support/processes/dashboard-server.js";

describe("signing in", () => {
  let dashboard: TestDashboard;
  let clock: FakeClock;
  beforeEach(async () => {
    clock = new FakeClock();
    dashboard = await startDashboard({ clock });
    await dashboard.signUp("ada@example.com");
  });
  afterEach(() => dashboard.close());

  const signIn = (email: string, text: string, headers?: Record<string, string>): Promise<Answer> =>
    dashboard.browser().send("POST", "/api/sign-in", { email, password: text }, headers);

  it("answers the same for a wrong password, an unknown address and an account without a password", async () => {
    await dashboard.app.store.createAccount({
      email: "keys-only@example.com",
      passwordHash: null,
      role: "user",
      planId: "free",
    });
    const answers = [
      await signIn("ada@example.com", "wrong password"),
      await signIn("nobody@example.com", "wrong password"),
      await signIn("keys-only@example.com", "wrong password"),
    ].map(comparable);
    expect(answers[0]).toMatchObject({ status: 400, text: expect.stringContaining("is wrong") as unknown });
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });

  it("refuses the right password too, once too many were tried, until time has passed", async () => {
    for (let i = 0; i < 10; i++) expect((await signIn("Ada@example.com", `guess ${i}`)).status).toBe(400);
    const refused = await signIn("ada@example.com", password);
    expect(refused).toMatchObject({ status: 429, json: { error: { code: "throttled" } } });
    expect(refused.text).toContain("Try again in 15 minutes.");
    const seconds = Number(refused.headers.get("retry-after"));
    expect((await signIn("other@example.com", "guess")).status).toBe(400);

    clock.advance((seconds - 1) * 1000);
    expect((await signIn("ada@example.com", password)).status).toBe(429);
    clock.advance(1_000);
    expect((await signIn("ada@example.com", password)).status).toBe(200);
  });

  it("throttles an address that has no account in the same way", async () => {
    for (let i = 0; i < 10; i++) await signIn("nobody@example.com", `guess ${i}`);
    const unknown = comparable(await signIn("nobody@example.com", "guess"));
    for (let i = 0; i < 10; i++) await signIn("ada@example.com", `guess ${i}`);
    expect(unknown).toEqual(comparable(await signIn("ada@example.com", "guess")));
    expect(unknown.status).toBe(429);
  });

  it("does not count what turned out to be right", async () => {
    for (let i = 0; i < 15; i++) expect((await signIn("ada@example.com", password)).status).toBe(200);
  });

  it("throttles one network address that tries many accounts, whatever it says about itself", async () => {
    const tries = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        signIn(`user${i}@example.com`, "guess", { "x-forwarded-for": `10.0.0.${i}` }),
      ),
    );
    expect(tries.filter(({ status }) => status === 400)).toHaveLength(50);
    expect(tries.filter(({ status }) => status === 429)).toHaveLength(10);
    expect((await signIn("ada@example.com", password)).status).toBe(429);
  });

  it("throttles guesses at a password from inside a session", async () => {
    const ada = dashboard.browser();
    await ada.post("/api/sign-in", { email: "ada@example.com", password });
    const confirm = (guess: string) => ada.send("POST", "/api/me/confirm", { password: guess });
    for (let i = 0; i < 10; i++) expect((await confirm(`guess ${i}`)).status).toBe(400);
    expect((await confirm(password)).status).toBe(429);
  });

  it("says that an account is suspended only when the password is right", async () => {
    const account = await dashboard.app.store.findAccountByEmail("ada@example.com");
    await dashboard.app.store.setAccountSuspended(account?.id ?? "", clock.now());
    const wrong = comparable(await signIn("ada@example.com", "wrong password"));
    expect(wrong).toEqual(comparable(await signIn("nobody@example.com", "wrong password")));
    expect(await signIn("ada@example.com", password)).toMatchObject({
      status: 403,
      json: { error: { code: "forbidden" } },
    });
  });

  it("throttles sign-ups from one network address", async () => {
    const tries: Answer[] = [];
    for (let i = 0; i < 30; i++) {
      const body = { email: "ada@example.com", password };
      tries.push(await dashboard.browser().send("POST", "/api/sign-up", body));
    }
    expect(tries.map(({ status }) => status).filter((status) => status === 409)).toHaveLength(29);
    expect(tries.at(-1)?.status).toBe(429);
  });

  it("writes neither addresses nor passwords nor tokens into the log", async () => {
    await signIn("secret-person@example.com", "secret-password");
    const ada = dashboard.browser();
    await ada.post("/api/sign-in", { email: "ada@example.com", password });
    await ada.post("/api/reset/request", { email: "secret-person@example.com" });
    await ada.send("GET", "/api/secret-person?x=secret-person");
    const log = dashboard.log();
    expect(log).toContain('"route":"/api/sign-in"');
    expect(ada.cookies.size).toBe(2);
    for (const secret of ["secret", password, "ada@", ...ada.cookies.values()]) {
      expect(log).not.toContain(secret);
    }
  });
});

/** Without what differs from one answer to the next by nature. */
function comparable({ status, headers, text }: Answer) {
  const rest = Object.fromEntries(
    [...headers].filter(([name]) => name !== "date" && name !== "x-request-id"),
  );
  return { status, text, headers: rest };
}
