import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "../support/processes/server.js";

describe("a key that is limited to networks", () => {
  let behindProxy: TestServer;
  let direct: TestServer;
  beforeAll(async () => {
    behindProxy = await startServer({ trustProxy: "loopback" });
    direct = await startServer();
  });
  afterAll(() => Promise.all([behindProxy.close(), direct.close()]));

  const networks = ["192.0.2.0/24", "2001:db8::/32"];
  const ask = (server: TestServer, key: string, forwarded?: string, path = "/v1/models") =>
    fetch(server.url + path, {
      headers: {
        authorization: `Bearer ${key}`,
        ...(forwarded === undefined ? {} : { "x-forwarded-for": forwarded }),
      },
    });

  it.each(["192.0.2.77", "::ffff:192.0.2.77", "2001:db8:1::5", "203.0.113.9, 192.0.2.1"])(
    "is accepted from %s, as the trusted proxy says",
    async (address) => {
      const key = behindProxy.addKey("sk-office", { allowFrom: networks });
      expect((await ask(behindProxy, key, address)).status).toBe(200);
    },
  );

  it.each([undefined, "192.0.3.1", "2001:db9::1", "192.0.2.1, 203.0.113.9", "garbage"])(
    "is refused from %s with 403, without the address",
    async (address) => {
      const key = behindProxy.addKey("sk-office", { allowFrom: networks });
      for (const path of ["/v1/models", "/v1/key", "/api/tags", "/v1/nothing"]) {
        const answer = await ask(behindProxy, key, address, path);
        const text = await answer.text();
        expect([answer.status, text.includes("may not be used from this network")]).toEqual([403, true]);
        expect(text).not.toMatch(/192\.|2001|203\.|127\./);
      }
      const { error } = (await (await ask(behindProxy, key, address)).json()) as { error: object };
      expect(error).toMatchObject({ code: "ip_not_allowed", type: "permission_error" });
      const lines = behindProxy.logLines.filter(({ code }) => code === "ip_not_allowed");
      expect(lines.length).toBeGreaterThan(0);
      expect(JSON.stringify(behindProxy.logLines)).not.toMatch(/192\.0|2001:db|203\.0/);
    },
  );

  it("cannot be used by claiming an address where no proxy is trusted", async () => {
    const key = direct.addKey("sk-office", { allowFrom: networks });
    expect((await ask(direct, key, "192.0.2.77")).status).toBe(403);
    const local = direct.addKey("sk-local", { allowFrom: ["127.0.0.0/8"] });
    expect((await ask(direct, local, "192.0.2.77")).status).toBe(200);
  });

  it("does not count against its limits where it is refused", async () => {
    const key = behindProxy.addKey("sk-counted", {
      ...{ accountId: "acc_counted", allowFrom: networks, plan: { requestsPerMinute: 1 } },
    });
    for (let times = 0; times < 3; times += 1) expect((await ask(behindProxy, key)).status).toBe(403);
    expect((await ask(behindProxy, key, "192.0.2.1")).status).toBe(200);
    expect((await ask(behindProxy, key, "192.0.2.1")).status).toBe(429);
  });
});
