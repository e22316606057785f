/** The service with a `PacedEngine`, as a program: `PACED_…` in its environment set its pace. */
import { startApp } from "../../../src/app.js";
import { stopOnSignal } from "../../../src/cli/serve/stop-on-signal.js";
import { loadConfig } from "../../../src/config.js";
import { startSotto, type SottoOptions, type SottoProcess } from "../processes/sotto-process.js";
import { PacedEngine, type PacedEngineOptions } from "./paced-engine.js";

/** Starts this file in a process of its own. */
export function startPacedSotto(
  { tokenMs, capacity, textChars = 5 }: PacedEngineOptions,
  { env = {}, ...options }: Omit<SottoOptions, "program"> = {},
): Promise<SottoProcess> {
  const pace = {
    PACED_TOKEN_MS: String(tokenMs),
    PACED_CAPACITY: String(capacity),
    PACED_TEXT_CHARS: String(textChars),
  };
  const program = ["--import", "tsx", "test/support/engines/paced-service.ts", "run"];
  return startSotto({ ...options, env: { ...pace, ...env }, program });
}

if (process.argv[2] === "run") {
  const config = loadConfig({ env: process.env });
  const engine = new PacedEngine({
    tokenMs: Number(process.env.PACED_TOKEN_MS),
    capacity: Number(process.env.PACED_CAPACITY),
    textChars: Number(process.env.PACED_TEXT_CHARS),
  });
  const app = await startApp(config, { engine, onNotice: (notice) => console.error(notice) });
  const stopped = stopOnSignal(app, config.limits.drainMs);
  console.log(`API        ${app.url}/v1`);
  await stopped;
}
