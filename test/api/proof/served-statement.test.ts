/** The statement of the whole service. */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { startApp } from "../../../src/app/app.js";
import { loadConfig } from "../../../src/config.js";
import { createLog } from "../../../src/log.js";
import { proofPaths } from "../../../src/protocol/proof/proof-paths.js";
import { documentSchema } from "../../../src/protocol/proof/shapes.js";
import { verifyService } from "../../../src/protocol/proof/verify.js";
import { sha256 } from "../../support/engines/model-server.js";
import { eventually } from "../../support/eventually.js";
import { startDashboard, type TestDashboard } from "../../support/processes/dashboard-server.js";

let dashboard: TestDashboard | undefined;
let folder: string | undefined;
afterEach(async () => {
  await dashboard?.close();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  dashboard = folder = undefined;
});

const statement = async (url: string) => {
  const response = await fetch(url + proofPaths.statement);
  const text = await response.text();
  return response.ok ? { text, document: documentSchema.parse(JSON.parse(text)) } : undefined;
};

describe("the service's statement", () => {
  it("has what is switched on and the hash of its weights, no path and no secret, and is verified", async () => {
    folder = await mkdtemp(join(tmpdir(), "sotto-weights-"));
    const engineWeights = join(folder, "secret-place.gguf");
    const bytes = randomBytes(3_000_000);
    await writeFile(engineWeights, bytes);
    const env = { SOTTO_SECRET_KEY: "a secret of thirty-two characters", SOTTO_ITEM_MEMORY: "off" };
    dashboard = await startDashboard({ engineWeights, env });
    const { url } = dashboard;
    const hash = sha256(bytes);
    const served = await eventually(async () => {
      const found = await statement(url);
      // The models learn it one after the other.
      const omega = found?.document.statement.entry.models["omega"] ?? [];
      return JSON.stringify(omega).includes(hash) ? found : undefined;
    });
    const { entry } = served.document.statement;
    expect(entry).toMatchObject({
      hardware_evidence: null,
      switches: { tracing: "off", prefix_reuse: "on", item_memory: "off", log_level: "info" },
      models: { omega: [{ runs: "embedded", weights: hash }] },
    });
    expect(["on", "off", "empty", "unknown"]).toContain(entry.machine["core_dumps"]);
    expect(served.text).not.toContain(folder);
    expect(served.text).not.toContain(env.SOTTO_SECRET_KEY);
    expect((await verifyService(url)).refused).toBeNull();
    expect(dashboard.app.proof.facts("omega")).toMatchObject({ weights: hash });
    expect(dashboard.tables().get("settings")).not.toContain(folder);
  });

  it("is not served, and requests are, where the secrets were sealed under another key", async () => {
    dashboard = await startDashboard({ env: { SOTTO_SECRET_KEY: "1".repeat(32) } });
    await dashboard.app.close();
    const notices: string[] = [];
    const env = { SOTTO_DATA_DIR: dashboard.dataDir, SOTTO_PORT: "0", SOTTO_SECRET_KEY: "2".repeat(32) };
    const app = await startApp(loadConfig({ env }), {
      engine: dashboard.engine,
      databaseThreads: false,
      log: createLog("silent"),
      onNotice: (notice) => notices.push(notice),
    });
    try {
      const response = await fetch(app.url + proofPaths.statement);
      expect(response.status).toBe(503);
      expect(await response.text()).toContain("another service key");
      expect((await fetch(`${app.url}/healthz`)).status).toBe(200);
      expect(notices.join()).toContain("SOTTO_SECRET_KEY");
    } finally {
      await app.close();
    }
  });
});
