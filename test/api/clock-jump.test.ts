/** The wall clock is set wrong and set right again while limits are in force. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Clock } from "../../src/core/clock.js";
import { ask } from "../support/clients/chat.js";
import { startServer, type TestServer } from "../support/processes/server.js";

const dayMs = 24 * 60 * 60_000;

/** Wall time jumps as it is told; durations go on as they do. */
class JumpyClock implements Clock {
  wallMs = Date.parse("2030-01-01T00:00:00Z");
  passedMs = 0;
  now = () => new Date(this.wallMs);
  monotonicMs = () => this.passedMs;
}

let server: TestServer;
let clock: JumpyClock;
beforeEach(async () => {
  clock = new JumpyClock();
  server = await startServer({ clock });
});
afterEach(() => server.close());

describe("a clock that jumps", () => {
  it("neither unlocks a limit nor locks it for longer than its window", async () => {
    const key = server.addKey("sk-clock", { plan: { requestsPerMinute: 2 } });
    const status = async () => (await ask(server, { key })).status;
    expect([await status(), await status(), await status()]).toEqual([200, 200, 429]);
    for (const jump of [dayMs, -2 * dayMs, 365 * dayMs, -366 * dayMs]) {
      clock.wallMs += jump;
      expect(await status()).toBe(429);
    }
    clock.passedMs += 60_001;
    expect(await status()).toBe(200);
  });

  it("does not affect a running reply or its token count", async () => {
    const key = server.addKey("sk-tokens", { plan: { tokensPerMinute: 1_000 } });
    server.engine.hold();
    const answer = ask(server, {
      key,
      body: { model: "omega", messages: [{ role: "user", content: "a b" }] },
    });
    clock.wallMs -= 30 * dayMs;
    server.engine.release();
    expect((await answer).status).toBe(200);
    const { headers } = await ask(server, { key, method: "GET", path: "/v1/models" });
    expect(headers.get("x-ratelimit-remaining-tokens")).toBe(String(1_000 - 2 - 4));
  });
});
