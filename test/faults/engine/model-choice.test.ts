/** What an admin chooses on the dashboard of a running server, and the engine cannot load. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ModelsNow } from "../../../src/core/model-views.js";
import { Browser, password, tokenOf } from "../../support/processes/dashboard-server.js";
import { eventually } from "../../support/eventually.js";
import { ggufBytes, llamaFields, randomTensor } from "../../support/engines/gguf-file.js";
import {
  newDataDir,
  runSotto,
  startSotto,
  type SottoProcess,
} from "../../support/processes/sotto-process.js";
import { writeTinyGguf } from "../../support/engines/tiny-gguf.js";

let sotto: SottoProcess;
let operator: Browser;
let dataDir: string;
const folder = newDataDir();
const sound = join(folder, "sound.gguf");

beforeAll(async () => {
  writeTinyGguf(sound);
  dataDir = newDataDir();
  const env = { PATH: process.env.PATH, SOTTO_DATA_DIR: dataDir };
  for (const model of ["omega", "prism", "lambda"]) await runSotto(["models", "use", model, sound], env);
  sotto = await startSotto({ dataDir });
  operator = new Browser(sotto.url);
  const link = await eventually(() => /http\S+\/setup#token=\S+/.exec(sotto.output())?.[0]);
  await operator.post("/api/setup", { token: tokenOf(link), email: "operator@example.com", password });
});
afterAll(() => sotto.stop());

const omega = async () => {
  const { models } = await operator.get<ModelsNow>("/api/admin/models");
  return models.find(({ model }) => model === "omega");
};

it("is taken back with the reason, and a restart finds what worked", async () => {
  // Its header is in order, but most of the model is missing.
  const hollow = join(folder, "hollow.gguf");
  writeFileSync(hollow, ggufBytes(llamaFields, [randomTensor("t", [256, 2], 16)]));
  const before = await eventually(async () => {
    const now = await omega();
    return now?.state === "ready" && now;
  });
  expect(before).toMatchObject({ source: { label: "sound.gguf" }, previous: { type: "starter" } });
  await operator.post("/api/admin/models/omega/weights", { file: hollow });
  const failed = await eventually(async () => {
    const now = await omega();
    return now?.change?.state === "failed" && now;
  });
  expect(failed).toMatchObject({
    source: { label: "sound.gguf" },
    state: "ready",
    previous: { type: "starter" },
    change: { to: { label: "hollow.gguf" } },
  });
  expect(failed.change?.reason).toContain("hollow.gguf could not be loaded");
  await sotto.stop();
  sotto = await startSotto({ dataDir });
  expect(await sotto.run("models", "list")).toMatch(/omega\s+\S+sound\.gguf/);
});
