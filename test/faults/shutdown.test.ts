/** SIGTERM while many streams are open; shutdown-hard.test.ts has the other ways to end. */
import { afterEach, describe, expect, it } from "vitest";
import { isDeep } from "../support/depth.js";
import { eventually } from "../support/eventually.js";
import { startPacedSotto } from "../support/engines/paced-service.js";
import type { SottoProcess } from "../support/processes/sotto-process.js";
import { ask, openStreams, readiness, roomy } from "./open-streams.js";

const streams = isDeep ? 500 : 50;
let sotto: SottoProcess | undefined;
afterEach(async () => {
  await sotto?.stop();
});

describe("SIGTERM", () => {
  it("refuses new requests and lets open streams finish", async () => {
    sotto = await startPacedSotto({ tokenMs: 100, capacity: 1000 }, { env: roomy });
    const server = sotto;
    const key = await server.newKey();
    const open = await openStreams(server, streams, key, 30);
    expect(open.every(({ status }) => status === 200)).toBe(true);
    expect((await fetch(`${server.url}/readyz`)).headers.get("connection")).toBe("keep-alive");
    expect(await readiness(server)).toBe(200);

    server.kill("SIGTERM");
    await eventually(async () => (await readiness(server)) === 503);
    const refused = await ask(server, key, 1);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await refused.json()).toMatchObject({ error: { code: "maintenance" } });
    // So that nobody's next request is on its way on a connection that ends.
    expect(refused.headers.get("connection")).toBe("close");

    const bodies = await Promise.all(open.map((response) => response.text()));
    expect(bodies.filter((body) => body.endsWith("data: [DONE]\n\n"))).toHaveLength(streams);
    expect(await server.exited()).toBe(0);
  });
});
