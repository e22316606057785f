/** A stranger's guesses do not lock out a browser in which the owner signed in before. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../support/inputs/fake-clock.js";
import {
  password,
  startDashboard,
  type Browser,
  type TestDashboard,
} from "../support/processes/dashboard-server.js";
import { startSmtpServer, type SmtpServer } from "../support/clients/smtp-server.js";

const email = "ada@example.com";
const dayMs = 24 * 60 * 60_000;

let dashboard: TestDashboard;
let clock: FakeClock;
let smtp: SmtpServer;
let ada: Browser;
beforeEach(async () => {
  clock = new FakeClock();
  smtp = await startSmtpServer();
  dashboard = await startDashboard({
    clock,
    env: { SOTTO_SMTP_URL: smtp.url, SOTTO_TRUST_PROXY: "loopback" },
  });
  ada = await dashboard.signUp(email);
});
afterEach(async () => {
  await dashboard.close();
  await smtp.close();
});

/** From a network of its own, unless told otherwise. */
const signIn = async (
  browser: Browser,
  text: string,
  who = email,
  network = "203.0.113.7",
): Promise<number> => {
  const headers = { "x-forwarded-for": network };
  return (await browser.send("POST", "/api/sign-in", { email: who, password: text }, headers)).status;
};

async function guessUntilRefused(browser = dashboard.browser()): Promise<number> {
  for (let guesses = 0; ; guesses++) {
    if ((await signIn(browser, `guess ${guesses}`)) === 429) return guesses;
  }
}

describe("a browser that signed in before", () => {
  it("signs in while a stranger has used up the account's attempts", async () => {
    await ada.post("/api/sign-out");
    expect(await guessUntilRefused()).toBe(10);
    expect(await signIn(dashboard.browser(), password)).toBe(429);
    expect(await signIn(ada, password)).toBe(200);
  });

  it("signs in while a stranger on the same network has used up the network's attempts", async () => {
    for (let i = 0; i < 60; i++) await signIn(dashboard.browser(), "guess", `user${i}@example.com`);
    expect(await signIn(dashboard.browser(), password)).toBe(429);
    expect(await signIn(ada, password)).toBe(200);
  });

  it("has a tight limit of its own, which does not affect others", async () => {
    expect(await guessUntilRefused(ada)).toBe(10);
    expect(await signIn(ada, password)).toBe(429);
    expect(await signIn(dashboard.browser(), password)).toBe(200);
  });

  it("is known to the accounts that were signed in to, and to no other", async () => {
    const bob = await dashboard.signUp("bob@example.com");
    await guessUntilRefused();
    expect(await signIn(bob, password)).toBe(429);
    // One browser, two accounts: it is known to both.
    clock.advance(dayMs);
    expect(await signIn(bob, password)).toBe(200);
    for (const who of [email, "bob@example.com"]) {
      for (let i = 0; i < 11; i++) await signIn(dashboard.browser(), `guess ${i}`, who);
      expect(await signIn(dashboard.browser(), password, who)).toBe(429);
      expect(await signIn(bob, password, who)).toBe(200);
    }
  });

  it("is known by a cookie that cannot be forged, changed or kept indefinitely", async () => {
    const cookie = ada.cookies.get("sotto_device") ?? "";
    const [name = "", day = "", mac = ""] = cookie.split(".");
    const forged = [
      "",
      name,
      `${name}.${day}.${mac.replace(/^./, (first) => (first === "A" ? "B" : "A"))}`,
      `${"A".repeat(22)}.${day}.${mac}`,
      `${name}.${Number(day) + 1}.${mac}`,
      `${cookie}.${day}`,
      `${cookie}${`.${day}.${mac}`.repeat(500)}`,
    ];
    await guessUntilRefused();
    for (const value of forged) {
      const browser = dashboard.browser();
      browser.cookies.set("sotto_device", value);
      expect(await signIn(browser, password)).toBe(429);
    }
    clock.advance(401 * dayMs);
    await guessUntilRefused();
    expect(await signIn(ada, password)).toBe(429);
  });

  it("is recognised by a cookie that scripts cannot read and the server does not store", async () => {
    const answer = await ada.send("POST", "/api/sign-in", { email, password });
    const cookie = answer.headers.getSetCookie().find((one) => one.startsWith("sotto_device=")) ?? "";
    expect(cookie).toMatch(/^sotto_device=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict; Expires=[^;]+$/);
    const parts = (ada.cookies.get("sotto_device") ?? "").split(".").filter((part) => part.length > 10);
    for (const [, rows] of dashboard.tables()) for (const part of parts) expect(rows).not.toContain(part);
    expect(cookie).not.toContain("ada");
  });

  it("forgets the account with it", async () => {
    await ada.must("DELETE", "/api/me");
    expect(ada.cookies.size).toBe(0);
  });

  it("can have its password reset while a stranger asks for resets all the time", async () => {
    const ask = (browser: Browser) => browser.send("POST", "/api/reset/request", { email });
    const stranger = dashboard.browser();
    while ((await ask(stranger)).status !== 429);
    expect((await ask(ada)).status).toBe(200);
  });
});

it("a signed-in owner can change the password while a stranger guesses", async () => {
  await guessUntilRefused();
  const change = { next: "another password" };
  expect((await ada.send("POST", "/api/me/password", change)).status).toBe(200);
});
