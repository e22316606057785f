/** The service with a `PacedEngine`, as a program: `PACED_…` in its environment set its pace. */
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
  // As it is built: what is compiled on the fly does more than its source says, such as naming every function.
  const [{ startApp }, { stopOnSignal }, { loadConfig }] = (await Promise.all(
    ["app.js", "cli/serve/stop-on-signal.js", "config.js"].map(
      (file) => import(new URL(`../../../dist/${file}`, import.meta.url).href),
    ),
  )) as [
    typeof import("../../../src/app.js"),
    typeof import("../../../src/cli/serve/stop-on-signal.js"),
    typeof import("../../../src/config.js"),
  ];
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
