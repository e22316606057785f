/** The service with a `PacedEngine`, as a program: `PACED_…` in its environment set its pace. See paced-service.ts. */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { PacedEngine } from "./paced-engine.js";

// As it is built: what is compiled on the fly does more than its source says, such as naming every function.
const [{ startApp }, { stopOnSignal }, { loadConfig }] = (await Promise.all(
  ["app.js", "cli/serve/stop-on-signal.js", "config.js"].map(
    (file) => import(pathToFileURL(resolve("dist", file)).href),
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
