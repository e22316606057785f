import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Site } from "../../src/protocol/dashboard/api.js";
import type {
  FactorsView,
  NewCodesView,
  SecondStepView,
  SessionView,
} from "../../src/protocol/dashboard/factors.js";
import { SoftwarePasskey } from "../support/clients/software-passkey.js";
import { FakeClock } from "../support/inputs/fake-clock.js";
import {
  password,
  startDashboard,
  type Browser,
  type TestDashboard,
} from "../support/processes/dashboard-server.js";

interface Options {
  challenge: string;
  rpId?: string;
  rp?: { id: string };
  userVerification?: string;
  allowCredentials?: { id: string }[];
}

let dashboard: TestDashboard;
let clock: FakeClock;
let origin: string;
beforeAll(async () => {
  clock = new FakeClock();
  dashboard = await startDashboard({ clock });
  origin = dashboard.url.replace("127.0.0.1", "localhost");
});
afterAll(() => dashboard.close());

const addTo = async (browser: Browser, passkey: SoftwarePasskey) =>
  browser.post<NewCodesView>("/api/me/passkeys", {
    name: "Laptop",
    passkey: passkey.create(await browser.post<Options>("/api/me/passkeys/options")),
  });

let people = 0;
const newPerson = async () => {
  people += 1;
  const email = `person${people}@example.com`;
  const browser = await dashboard.signUp(email);
  const passkey = new SoftwarePasskey(origin);
  const { recoveryCodes } = await addTo(browser, passkey);
  return { email, browser, passkey, recoveryCodes };
};

const options = (browser: Browser) => browser.post<Options>("/api/sign-in/passkey/options");
const signIn = async (passkey: SoftwarePasskey, browser = dashboard.browser()) =>
  browser.send("POST", "/api/sign-in/passkey", { passkey: passkey.answer(await options(browser)) });

describe("a passkey", () => {
  it("signs in alone, without a password", async () => {
    const { email, passkey, recoveryCodes } = await newPerson();
    expect(recoveryCodes).toHaveLength(10);
    const visitor = dashboard.browser();
    const asked = await options(visitor);
    expect(asked).toMatchObject({ rpId: "localhost", userVerification: "required" });
    expect(asked.allowCredentials ?? []).toEqual([]);
    expect((await signIn(passkey, visitor)).json).toMatchObject({ account: { email } });
    const { sessions } = await visitor.get<{ sessions: SessionView[] }>("/api/me/sessions");
    expect(sessions.find(({ isThisOne }) => isThisOne)?.method).toBe("passkey");
    const { passkeys } = await visitor.get<FactorsView>("/api/me/factors");
    expect(passkeys).toMatchObject([{ name: "Laptop", lastUsedAt: clock.now().toISOString() }]);
    expect((await dashboard.app.store.factors.findPasskey(passkey.id))?.counter).toBe(1);
  });

  it("is the second factor after a password, then also without verifying its user", async () => {
    const { email, passkey } = await newPerson();
    passkey.verifiesUser = false;
    expect((await signIn(passkey)).status).toBe(400);
    const visitor = dashboard.browser();
    const step = await visitor.post<SecondStepView>("/api/sign-in", { email, password });
    expect(step).toEqual({ next: "second_factor", methods: ["passkey", "recovery"] });
    const asked = await visitor.post<Options>("/api/sign-in/second-factor/passkey");
    expect(asked.allowCredentials).toMatchObject([{ id: passkey.id }]);
    const proof = { passkey: passkey.answer(asked) };
    expect((await visitor.send("POST", "/api/sign-in/second-factor", proof)).json).toMatchObject({
      account: { email },
    });
  });

  it("answers a challenge once, in time, and for what it was asked", async () => {
    const { browser, passkey } = await newPerson();
    const visitor = dashboard.browser();
    const answer = { passkey: passkey.answer(await options(visitor)) };
    expect((await visitor.send("POST", "/api/sign-in/passkey", answer)).status).toBe(200);
    expect((await visitor.send("POST", "/api/sign-in/passkey", answer)).status).toBe(400);
    const late = { passkey: passkey.answer(await options(visitor)) };
    clock.advance(5 * 60_000);
    expect((await visitor.send("POST", "/api/sign-in/passkey", late)).status).toBe(400);
    const forConfirming = { passkey: passkey.answer(await browser.post("/api/me/confirm/passkey")) };
    expect((await visitor.send("POST", "/api/sign-in/passkey", forConfirming)).status).toBe(400);
    const madeUp = { passkey: passkey.answer({ challenge: "A".repeat(43) }) };
    expect((await visitor.send("POST", "/api/sign-in/passkey", madeUp)).status).toBe(400);
  });

  it("of another account, or for another account's challenge, is refused", async () => {
    const [ada, bob] = [await newPerson(), await newPerson()];
    const visitor = dashboard.browser();
    const step = async () => {
      await visitor.post("/api/sign-in", { email: ada.email, password });
      return visitor.post<Options>("/api/sign-in/second-factor/passkey");
    };
    const send = (proof: object) => visitor.send("POST", "/api/sign-in/second-factor", proof);
    expect((await send({ passkey: bob.passkey.answer(await step()) })).status).toBe(400);
    await step();
    const bobs = await bob.browser.post<Options>("/api/me/confirm/passkey");
    expect((await send({ passkey: ada.passkey.answer(bobs) })).status).toBe(400);
    expect((await send({ passkey: ada.passkey.answer(await step()) })).status).toBe(200);
    // Bob's answer to a challenge that Ada got to add a passkey.
    const adding = await ada.browser.post<Options>("/api/me/passkeys/options");
    const added = { name: "x", passkey: new SoftwarePasskey(origin).create(adding) };
    expect((await bob.browser.send("POST", "/api/me/passkeys", added)).status).toBe(400);
  });

  it.each([
    ["another origin", (passkey: SoftwarePasskey) => (passkey.origin = "https://evil.example")],
    ["the same host by its number", (passkey: SoftwarePasskey) => (passkey.origin = dashboard.url)],
    ["another relying party", (passkey: SoftwarePasskey) => (passkey.rpId = "evil.example")],
    ["a counter that went back", (passkey: SoftwarePasskey) => (passkey.counter = 0)],
  ])("is refused with %s", async (_what, change) => {
    const { passkey } = await newPerson();
    for (let use = 0; use < 2; use++) expect((await signIn(passkey)).status).toBe(200);
    change(passkey);
    expect((await signIn(passkey)).json).toMatchObject({ error: { code: "bad_request" } });
  });

  it("is refused once it was removed, by its owner alone", async () => {
    const { browser, passkey } = await newPerson();
    const { browser: other } = await newPerson();
    const [{ id } = { id: "" }] = (await browser.get<FactorsView>("/api/me/factors")).passkeys;
    expect((await other.send("DELETE", `/api/me/passkeys/${id}`)).status).toBe(404);
    expect((await other.send("PUT", `/api/me/passkeys/${id}`, { name: "Mine" })).status).toBe(404);
    await browser.must("PUT", `/api/me/passkeys/${id}`, { name: "Old laptop" });
    expect((await browser.get<FactorsView>("/api/me/factors")).passkeys).toMatchObject([
      { name: "Old laptop" },
    ]);
    await browser.must("DELETE", `/api/me/passkeys/${id}`);
    expect((await signIn(passkey)).status).toBe(400);
  });

  it("confirms who is signed in", async () => {
    const { browser, passkey } = await newPerson();
    clock.advance(11 * 60_000);
    expect((await browser.send("POST", "/api/me/recovery-codes")).status).toBe(403);
    const answer = passkey.answer(await browser.post<Options>("/api/me/confirm/passkey"));
    await browser.post("/api/me/confirm", { passkey: answer });
    await browser.post("/api/me/recovery-codes");
  });

  it("is not added twice, and not without a name", async () => {
    const { browser, passkey } = await newPerson();
    const again = { name: "x", passkey: passkey.create(await browser.post("/api/me/passkeys/options")) };
    expect((await browser.send("POST", "/api/me/passkeys", again)).status).toBe(400);
    const nameless = await browser.send("POST", "/api/me/passkeys", { ...again, name: " " });
    expect(nameless.json).toMatchObject({ error: { field: "name" } });
  });

  it("of a suspended account does not sign in", async () => {
    const { email, passkey } = await newPerson();
    const account = await dashboard.app.store.findAccountByEmail(email);
    await dashboard.app.store.setAccountSuspended(account?.id ?? "", clock.now());
    expect((await signIn(passkey)).json).toMatchObject({ error: { code: "forbidden" } });
  });
});

it("belongs to the configured address, whatever a request calls it", async () => {
  const publicUrl = "https://chat.example.com";
  const other = await startDashboard({ env: { SOTTO_PUBLIC_URL: publicUrl } });
  try {
    const visitor = other.browser();
    expect((await visitor.get<Site>("/api/site")).passkeyOrigin).toBe(publicUrl);
    const headers = { "x-forwarded-host": "evil.example" };
    const asked = await visitor.send("POST", "/api/sign-in/passkey/options", {}, headers);
    expect(asked.json).toMatchObject({ rpId: "chat.example.com" });
  } finally {
    await other.close();
  }
});
