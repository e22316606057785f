/** No reply outlives the permission that it was begun with. */
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHash } from "node:crypto";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { KeyWithSecret, Me, PlanView } from "../../src/protocol/dashboard/api.js";
import { databasePath, openSqliteStore } from "../../src/store/sql/sqlite.js";
import { postChat } from "../support/clients/post-chat.js";
import {
  password,
  startDashboard,
  tokenOf,
  type Browser,
  type TestDashboard,
} from "../support/processes/dashboard-server.js";
import { FakeClock } from "../support/inputs/fake-clock.js";
import { testPlan } from "../support/stores/temporary-store.js";

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
const email = "ada@example.com";
const body = { model: "omega", stream: true, messages: [{ role: "user", content: "Hi" }] };

let dataDir: string;
let clock: FakeClock;
let dashboard: TestDashboard;
let operator: Browser;
let ada: Browser;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "sotto-streams-"));
  clock = new FakeClock();
  dashboard = await startDashboard({ clock, env: { SOTTO_DATA_DIR: dataDir } });
  operator = await dashboard.setUp();
  ada = await dashboard.signUp(email);
  dashboard.engine.script = () => ({ fragments: Array.from({ length: 50 }, (_, i) => `word${i} `) });
  dashboard.engine.hold();
});
afterEach(async () => {
  dashboard.engine.release();
  await dashboard.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** A reply that has begun. */
class Reply {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #seen = "";

  private constructor(response: Response) {
    expect(response.status).toBe(200);
    if (response.body === null) throw new Error("a stream has a body");
    this.#reader = response.body.getReader();
  }

  static async begin(opening: Promise<Response>): Promise<Reply> {
    dashboard.engine.release(1);
    const reply = new Reply(await opening);
    await reply.until("word");
    return reply;
  }

  async until(wanted: string): Promise<void> {
    while (!this.#seen.includes(wanted)) await this.#read();
  }

  async rest(): Promise<string> {
    while (await this.#read());
    return this.#seen;
  }

  async #read(): Promise<boolean> {
    const { done, value } = await this.#reader.read();
    this.#seen += Buffer.from(value ?? []).toString();
    return !done;
  }
}

const byKey = (secret: string): Promise<Reply> => Reply.begin(postChat(dashboard.url, secret, body));
const inPlayground = (browser: Browser): Promise<Reply> =>
  Reply.begin(browser.open("POST", "/api/playground", body));
const newKey = (expiresInDays: number | null = null): Promise<KeyWithSecret> =>
  ada.post<KeyWithSecret>("/api/keys", { name: "laptop", models: null, expiresInDays });
const signedIn = async (): Promise<Browser> => {
  const browser = dashboard.browser();
  await browser.post("/api/sign-in", { email, password });
  return browser;
};

async function expectCut(reply: Reply, code = "invalid_api_key"): Promise<void> {
  const all = await reply.rest();
  expect(all).toContain(`"code":"${code}"`);
  expect(all).not.toContain("[DONE]");
  expect(dashboard.engine.active).toBe(0);
}

/** Everything that was asked for has happened by now: it goes on, and to its end. */
async function expectFinished(reply: Reply): Promise<void> {
  dashboard.engine.release();
  expect(await reply.rest()).toContain("[DONE]");
}

describe("a stream of a key", () => {
  it("ends when the key expires", async () => {
    const reply = await byKey((await newKey(1)).secret);
    clock.advance(dayMs - 1);
    dashboard.engine.release(1);
    await reply.until("word1 ");
    clock.advance(1);
    await expectCut(reply);
  });

  it("ends with the grace period when the key is rotated", async () => {
    const { key, secret } = await newKey();
    const reply = await byKey(secret);
    await ada.post(`/api/keys/${key.id}/rotate`, { graceHours: 1 });
    clock.advance(hourMs - 1);
    dashboard.engine.release(1);
    await reply.until("word1 ");
    clock.advance(1);
    await expectCut(reply);
  });

  it("ends when its plan loses the model", async () => {
    const reply = await byKey((await newKey()).secret);
    const { plans } = await operator.get<{ plans: (PlanView & { accounts?: number })[] }>("/api/admin/plans");
    const [{ id, ...plan } = missing()] = plans;
    await operator.must("PUT", `/api/admin/plans/${id}`, { ...plan, models: ["prism"] });
    await expectCut(reply, "insufficient_permissions");
  });

  it("ends when its account moves to a plan without the model", async () => {
    const { account, plan } = await ada.get<Me>("/api/me");
    const narrow = { ...plan, name: "Narrow", models: ["prism"] };
    await operator.must("PUT", "/api/admin/plans/narrow", narrow);
    const reply = await byKey((await newKey()).secret);
    await operator.post(`/api/admin/accounts/${account.id}/plan`, { planId: "narrow" });
    await expectCut(reply, "insufficient_permissions");
  });

  it("continues when its plan changes in other ways, and when its owner signs out", async () => {
    const { plan } = await ada.get<Me>("/api/me");
    const reply = await byKey((await newKey()).secret);
    await operator.must("PUT", "/api/admin/plans/free", { ...plan, requestsPerMinute: 5 });
    await ada.post("/api/sign-out-everywhere");
    await expectFinished(reply);
  });

  it("does not begin when the key is revoked while the request is still being sent", async () => {
    const { key, secret } = await newKey();
    const verify = vi.spyOn(dashboard.app.keys, "verify");
    const socket = connect(Number(new URL(dashboard.url).port), "127.0.0.1");
    const sent = JSON.stringify(body);
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${secret}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${sent.length}\r\n\r\n`,
    );
    await vi.waitFor(() => expect(verify).toHaveBeenCalledOnce());
    await verify.mock.results[0]?.value;
    await ada.post(`/api/keys/${key.id}/revoke`);
    socket.write(sent);
    expect(await text(socket)).toContain("invalid_api_key");
    expect(dashboard.engine.active).toBe(0);
  });
});

describe("a stream of the playground", () => {
  it.each<[string, (browser: Browser) => Promise<unknown>]>([
    ["signs out", (browser) => browser.post("/api/sign-out")],
    ["signs out everywhere", (browser) => browser.post("/api/sign-out-everywhere")],
    ["signs in again", (browser) => browser.post("/api/sign-in", { email, password })],
    [
      "signs out everywhere in another browser",
      async () => (await signedIn()).post("/api/sign-out-everywhere"),
    ],
    [
      "changes the password in another browser",
      async () => (await signedIn()).post("/api/me/password", { next: "another one 1" }),
    ],
    [
      "resets the password",
      async () => {
        const { account } = await ada.get<Me>("/api/me");
        const { link } = await operator.post<{ link: string }>(
          `/api/admin/accounts/${account.id}/reset-link`,
        );
        await dashboard.browser().post("/api/reset", { token: tokenOf(link), password: "another one 1" });
      },
    ],
    [
      "is suspended",
      async () => {
        const { account } = await ada.get<Me>("/api/me");
        await operator.post(`/api/admin/accounts/${account.id}/suspend`);
      },
    ],
  ])("ends when its owner %s", async (_what, end) => {
    const reply = await inPlayground(ada);
    await end(ada);
    await expectCut(reply);
  });

  it("ends when its owner leaves the team that it is for", async () => {
    const team = { name: "Research", planId: "free", ownerEmail: "operator@example.com" };
    const created = await operator.post<{ team: { id: string } }>("/api/admin/teams", team);
    const { account } = await ada.get<Me>("/api/me");
    const at = `/api/admin/teams/${created.team.id}/members/${account.id}`;
    await operator.must("PUT", at, { role: "member" });
    const path = `/api/teams/${created.team.id}`;
    const reply = await Reply.begin(ada.open("POST", `${path}/playground`, body));
    await ada.post(`${path}/leave`);
    await expectCut(reply);
  });

  it("ends with its session's longest time", async () => {
    const reply = await inPlayground(ada);
    for (let day = 0; day < 29; day++) {
      clock.advance(dayMs);
      expect((await ada.send("GET", "/api/me")).status).toBe(200);
    }
    dashboard.engine.release(1);
    await reply.until("word1 ");
    clock.advance(dayMs);
    await expectCut(reply);
  });

  it("ends with a session that another server ended", async () => {
    const reply = await inPlayground(ada);
    const elsewhere = await openSqliteStore({ path: databasePath(dataDir), defaultPlan: testPlan });
    const token = ada.cookies.get("sotto_session") ?? "";
    await elsewhere.sessions.end(createHash("sha256").update(token).digest());
    await elsewhere.close();
    await expectCut(reply);
  });

  it("continues when another session of its owner ends, or the password is changed in its own", async () => {
    const other = await signedIn();
    const reply = await inPlayground(ada);
    await other.post("/api/sign-out");
    await ada.post("/api/me/password", { next: "another one 1" });
    await expectFinished(reply);
  });
});

function missing(): never {
  throw new Error("There is no plan.");
}
