/** Signing in and out with a provider, and the end of someone's access, across replicas on one Postgres and one Redis. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { KeyWithSecret, Site } from "../../../src/protocol/dashboard/api.js";
import { postChat } from "../../support/clients/post-chat.js";
import { ScimClient } from "../../support/clients/scim.js";
import { eventually } from "../../support/eventually.js";
import {
  type Browser,
  startDashboard,
  type TestDashboard,
} from "../../support/processes/dashboard-server.js";
import { freePort } from "../../support/processes/free-port.js";
import {
  IdentityProvider,
  providerSetting,
  roundTrip,
  signInAt,
} from "../../support/processes/identity-provider.js";
import { TestPostgres } from "../../support/stores/postgres.js";
import { noRedis, TestRedis } from "../../support/stores/redis.js";

describe.skipIf(noRedis)("two replicas", () => {
  let postgres: TestPostgres;
  let redis: TestRedis;
  let provider: IdentityProvider;
  let one: TestDashboard;
  let two: TestDashboard;
  let operator: Browser;
  let scim: ScimClient;
  beforeAll(async () => {
    [postgres, redis, provider] = await Promise.all([
      TestPostgres.start(),
      TestRedis.start(),
      IdentityProvider.start(),
    ]);
    const port = String(await freePort());
    const env = {
      SOTTO_DATABASE_URL: postgres.url(await postgres.createDatabase()),
      SOTTO_REDIS_URL: redis.url,
      SOTTO_PUBLIC_URL: `http://127.0.0.1:${port}`,
      SOTTO_OIDC_PROVIDERS: providerSetting(provider.issuer, { endsKeys: true, linksScim: true }),
    };
    [one, two] = await Promise.all([
      startDashboard({ env: { ...env, SOTTO_PORT: port } }),
      startDashboard({ env }),
    ]);
    await provider.serve(one.url);
    operator = await one.setUp();
    scim = await ScimClient.of(one);
    provider.people.set("ada", { email: "ada@example.com", email_verified: true });
  });
  afterAll(async () => {
    await Promise.all([one.close(), two.close()]);
    await provider.close();
    await redis.kill();
    await postgres.dispose();
  });

  /** The same person's browser, at the other replica. */
  const elsewhere = (browser: Browser, dashboard: TestDashboard): Browser => {
    const moved = dashboard.browser();
    for (const [name, value] of browser.cookies) moved.cookies.set(name, value);
    return moved;
  };

  const body = { model: "omega", stream: true, messages: [{ role: "user", content: "Hi" }] };
  const deactivate = { op: "Replace", path: "active", value: "False" };

  /** One of a key and one of the session, at each replica, all of which have begun and are held. */
  async function beginStreams(browser: Browser): Promise<Response[]> {
    const { secret } = await browser.post<KeyWithSecret>("/api/keys", {
      name: "k",
      models: null,
      expiresInDays: null,
    });
    const streams = await Promise.all(
      [one, two].map(async (dashboard) => {
        dashboard.engine.script = () => ({ fragments: ["one ", "two ", "three "] });
        dashboard.engine.hold();
        const byKey = postChat(dashboard.url, secret, body);
        const bySession = elsewhere(browser, dashboard).open("POST", "/api/playground", body);
        // Both wait for a token, so that each gets one.
        await eventually(() => dashboard.engine.active === 2);
        dashboard.engine.release(2);
        return Promise.all([byKey, bySession]);
      }),
    );
    return streams.flat();
  }

  /**
   * The engines are held, so what ends was cut. Two seconds are promised from when the end was confirmed, and a busy machine
   * is given more; without wake-ups it takes seven.
   */
  async function expectOut(browser: Browser, streams: Response[]): Promise<void> {
    const confirmed = performance.now();
    for (const stream of streams) {
      expect(stream.status).toBe(200);
      expect(await stream.text()).toContain('"code":"invalid_api_key"');
    }
    for (const dashboard of [one, two])
      expect((await elsewhere(browser, dashboard).get<Site>("/api/site")).me).toBeNull();
    expect(performance.now() - confirmed).toBeLessThan(5_000);
  }

  it("finish what the other began, once, and end streams when the provider ends the session", async () => {
    const begun = one.browser();
    const back = await roundTrip(begun, provider, "ada");
    const [first, second] = [elsewhere(begun, two), elsewhere(begun, one)];
    const answers = await Promise.all([first, second].map((browser) => browser.send("GET", back)));
    const places = answers.map(({ headers }) => headers.get("location"));
    expect(places.sort()).toEqual(["/app", "/sign-in?problem=round_lost"]);
    const browser = answers[0]?.headers.get("location") === "/app" ? first : second;
    const streams = await beginStreams(browser);
    const token = await provider.logoutToken({ sub: "ada" });
    const logout = (dashboard: TestDashboard) =>
      fetch(`${dashboard.url}/sign-in/oidc/test/back-channel-logout`, {
        method: "POST",
        body: new URLSearchParams({ logout_token: token }),
      });
    const statuses = (await Promise.all([logout(one), logout(two)])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 400]);
    await expectOut(browser, streams);
  });

  it.each<[string, (id: string) => Promise<{ status: number }>]>([
    ["deactivated over SCIM", (id) => scim.at(two).patch(`/Users/${id}`, deactivate)],
    ["deleted over SCIM", (id) => scim.send("DELETE", `/Users/${id}`)],
    ["suspended by an admin", (id) => operator.send("POST", `/api/admin/accounts/${id}/suspend`)],
  ])("end the sessions and streams of someone who is %s", async (how, end) => {
    const login = how.replaceAll(" ", "-");
    const email = `${login}@example.com`;
    provider.people.set(login, { email, email_verified: true });
    const id = await scim.create(email, { externalId: login });
    const browser = one.browser();
    await signInAt(browser, provider, login);
    const streams = await beginStreams(browser);
    expect((await end(id)).status).toBeLessThan(300);
    await expectOut(browser, streams);
  });
});
