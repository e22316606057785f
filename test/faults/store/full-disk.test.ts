/** A disk that is really full: a small file system of its own, filled to the last block. */
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CommandLine } from "../../cli/run.js";
import { postChat } from "../../support/clients/post-chat.js";
import { Browser, password } from "../../support/processes/dashboard-server.js";
import { eventually } from "../../support/eventually.js";
import { fillDisk, mountSmallDisk } from "../../support/stores/small-disk.js";
import type { SottoProcess } from "../../support/processes/sotto-process.js";
import { startPacedSotto } from "../../support/engines/paced-service.js";

const disk = mountSmallDisk();

describe.skipIf(disk === null)("a full disk", () => {
  let sotto: SottoProcess;
  let key: string;
  let person: Browser;
  const ballast = join(disk ?? "", "ballast");

  beforeAll(async () => {
    sotto = await startPacedSotto({ tokenMs: 0, capacity: 16 }, { dataDir: disk ?? "" });
    person = new Browser(sotto.url);
    await person.must("POST", "/api/sign-up", { email: "ada@example.com", password });
    key = (await newKey()).secret;
  });
  afterAll(async () => {
    await sotto.stop();
    if (disk !== null) execFileSync("umount", [disk]);
  });

  const body = (name: string) => ({ name, models: null, expiresInDays: null });
  const newKey = () => person.post<{ secret: string }>("/api/keys", body("k"));
  const ask = async () => {
    const response = await postChat(sotto.url, key, { max_tokens: 4 });
    await response.text();
    return response.status;
  };
  const usedRequests = async () =>
    (await person.get<{ totals: { requests: number } }>(usagePath())).totals.requests;

  it("refuses writes with 503 and a reason, while inference continues", async () => {
    expect(await ask()).toBe(200);
    fillDisk(ballast);
    for (let request = 0; request < 20; request++) expect(await ask()).toBe(200);
    const refused = await eventually(async () => {
      const answer = await person.send("POST", "/api/keys", body("another"));
      return answer.status === 200 ? undefined : answer;
    });
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).not.toBeNull();
    expect(await ask()).toBe(200);
    expect((await fetch(`${sotto.url}/readyz`)).status).toBe(200);
  });

  it("is found by doctor, beside the running server", async () => {
    const { stdout } = await new CommandLine(sotto.dataDir).start(["doctor"]);
    expect(stdout).toMatch(
      /BROKEN +data directory +The data directory \S+ cannot be written to: its disk is full/,
    );
  });

  it("takes up again when there is room, and has forgotten nothing", async () => {
    rmSync(ballast);
    await eventually(async () => (await person.send("POST", "/api/keys", body("later"))).status === 200);
    expect(await ask()).toBe(200);
    await eventually(async () => (await usedRequests()) === 23);
  });
});

const usagePath = () => {
  const dayMs = 24 * 60 * 60_000;
  const from = new Date(Date.now() - dayMs).toISOString();
  const to = new Date(Date.now() + dayMs).toISOString();
  return `/api/usage?from=${from}&to=${to}&step=day`;
};
