import { afterEach, beforeEach, expect, it } from "vitest";
import { CommandLine } from "../cli/run.js";
import { newApiCaller } from "../support/clients/api-caller.js";
import { startDashboard, type TestDashboard } from "../support/processes/dashboard-server.js";

let service: TestDashboard;
let dataDir: string;
beforeEach(async () => {
  const commandLine = await CommandLine.open();
  dataDir = commandLine.dataDir;
  service = await startDashboard({ env: { SOTTO_DATA_DIR: dataDir } });
});
afterEach(async () => {
  await service.close();
  await new CommandLine(dataDir).dispose();
});

it.each([
  ["a key revoked", (id: string) => ["keys", "revoke", id]],
  ["an account suspended", () => ["accounts", "suspend", "ada@example.com"]],
  ["an account deleted", () => ["accounts", "delete", "ada@example.com", "--yes"]],
])("%s on the command line loses its running streams", async (_what, command) => {
  const caller = await newApiCaller(service.app.store, "ada@example.com");
  service.engine.hold();
  service.engine.release(1);
  const stream = await caller.stream(service.url);
  expect(stream.status).toBe(200);
  expect((await new CommandLine(dataDir).run(...command(caller.key.id))).code).toBe(0);
  expect(await stream.text()).toContain("invalid_api_key");
  expect(service.engine.active).toBe(0);
});
