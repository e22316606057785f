/** SIGTERM that comes too soon, twice SIGTERM and `kill -9` of the server while hundreds of streams are open. */
import { afterEach, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { startPacedSotto } from "../support/engines/paced-service.js";
import type { SottoProcess } from "../support/processes/sotto-process.js";
import { ask, openStreams, readiness, roomy } from "./open-streams.js";

const streams = 500;
let sotto: SottoProcess | undefined;
afterEach(async () => {
  await sotto?.stop();
});

describe("SIGTERM", () => {
  it("ends streams that outlast the drain time with an error event", async () => {
    sotto = await startPacedSotto(
      { tokenMs: 50, capacity: 1000 },
      { env: { ...roomy, SOTTO_DRAIN_MS: "300" } },
    );
    const open = await openStreams(sotto, streams, await sotto.newKey(), 100_000);
    sotto.kill("SIGTERM");
    const bodies = await Promise.all(open.map((response) => response.text()));
    expect(bodies.filter((body) => body.includes('"code":"maintenance"'))).toHaveLength(streams);
    expect(bodies.filter((body) => body.includes("[DONE]"))).toEqual([]);
    expect(await sotto.exited()).toBe(0);
  });

  it("ends at once when it comes twice", async () => {
    sotto = await startPacedSotto({ tokenMs: 50, capacity: 1000 }, { env: roomy });
    const server = sotto;
    const response = await ask(server, await server.newKey(), 100_000);
    server.kill("SIGTERM");
    await eventually(async () => (await readiness(server)) === 503);
    server.kill("SIGTERM");
    await expect(response.text()).rejects.toThrow();
    expect(await server.exited()).toBe(1);
  });
});

describe("kill -9 of the server under load", () => {
  it("locks no account out of the next one", async () => {
    const env = {
      SOTTO_LIMIT_CONCURRENT_REQUESTS: "4",
      SOTTO_LIMIT_TOKENS_PER_MINUTE: "100000000",
      SOTTO_LIMIT_REQUESTS_PER_MINUTE: "50",
    };
    const first = await startPacedSotto({ tokenMs: 20, capacity: 100 }, { env });
    sotto = first;
    const key = await first.newKey();
    const open = await Promise.all(Array.from({ length: 4 }, () => ask(first, key, 100_000)));
    expect((await ask(first, key, 1)).status).toBe(429);
    first.kill("SIGKILL");
    await Promise.all(open.map((response) => expect(response.text()).rejects.toThrow()));
    await first.exited();

    const second = await startPacedSotto({ tokenMs: 20, capacity: 100 }, { env, dataDir: first.dataDir });
    sotto = second;
    const again = await Promise.all(Array.from({ length: 4 }, () => ask(second, key, 2)));
    expect(again.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await Promise.all(again.map((response) => response.text()));
  });
});

describe("a second server on one data directory", () => {
  it("refuses to start and names the first", async () => {
    sotto = await startPacedSotto({ tokenMs: 20, capacity: 4 });
    const second = startPacedSotto({ tokenMs: 20, capacity: 4 }, { dataDir: sotto.dataDir });
    await expect(second).rejects.toThrow(
      `Another Sotto server (process ${sotto.pid}) is running on the data dir`,
    );
    expect(await readiness(sotto)).toBe(200);
  });
});
