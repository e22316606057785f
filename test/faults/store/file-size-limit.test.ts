import { execFileSync, spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { postChat } from "../../support/clients/post-chat.js";
import { question } from "../../support/clients/chat.js";
import { Browser, password } from "../../support/processes/dashboard-server.js";
import { eventually } from "../../support/eventually.js";
import type { SottoProcess } from "../../support/processes/sotto-process.js";
import { startTinySotto } from "../../support/processes/tiny-sotto.js";

const noPrlimit = spawnSync("prlimit", ["--version"]).status !== 0;
if (noPrlimit) {
  console.error(
    "\n!!! SKIPPED: there is no prlimit on this machine. What happens on a full disk was not tested.\n",
  );
}

describe.skipIf(noPrlimit)("while its files may not grow", () => {
  let sotto: SottoProcess;
  beforeAll(async () => {
    sotto = await startTinySotto();
  });
  afterAll(() => sotto.stop());

  /** The system refuses every write of the process past this length of a file. */
  const limitFiles = (bytes: string) =>
    execFileSync("prlimit", ["--pid", String(sotto.pid), `--fsize=${bytes}:`]);

  it("inference continues, changes get 503, and usage is counted afterwards", async () => {
    const ada = new Browser(sotto.url);
    await ada.must("POST", "/api/sign-up", { email: "ada@example.com", password });
    const newKey = { name: "laptop", models: null, expiresInDays: null };
    const created = await ada.must<{ secret: string; key: { id: string } }>("POST", "/api/keys", newKey);
    const ask = async () => postChat(sotto.url, created.secret, { ...question, max_tokens: 2 });
    expect((await ask()).status).toBe(200);

    limitFiles("1");
    for (const path of ["/api/keys", `/api/keys/${created.key.id}/revoke`]) {
      expect(await ada.send("POST", path, newKey)).toMatchObject({
        status: 503,
        json: { error: { code: "unavailable" } },
      });
    }
    expect((await ada.send("GET", "/api/keys")).status).toBe(200);
    expect((await ask()).status).toBe(200);
    // Writing what was used is tried and fails meanwhile.
    await eventually(() => sotto.output().includes("database query failed, to be tried again"));
    expect((await ask()).status).toBe(200);

    limitFiles("unlimited");
    expect((await ada.send("POST", "/api/keys", newKey)).status).toBe(200);
    await eventually(async () => {
      const day = 86_400_000;
      const [from, to] = [-day, day].map((ms) => new Date(Date.now() + ms).toISOString());
      const report = await ada.send("GET", `/api/usage?step=day&from=${from ?? ""}&to=${to ?? ""}`);
      return /"requests":3\b/.test(report.text);
    });
  });
});
