/** The service with a `PacedEngine`, as a program: `PACED_…` in its environment set its pace. See paced-service.ts. */
import { startApp } from "../../../src/app/app.js";
import { stopOnSignal } from "../../../src/cli/serve/stop-on-signal.js";
import { loadConfig } from "../../../src/config.js";
import { PacedEngine } from "./paced-engine.js";

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
