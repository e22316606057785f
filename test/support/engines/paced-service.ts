/** Starts the service with a `PacedEngine` in a process of its own. */
import { buildSync } from "esbuild";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startSotto, type SottoOptions, type SottoProcess } from "../processes/sotto-process.js";
import type { PacedEngineOptions } from "./paced-engine.js";

export function startPacedSotto(
  { tokenMs, capacity, textChars = 5 }: PacedEngineOptions,
  { env = {}, ...options }: Omit<SottoOptions, "program"> = {},
): Promise<SottoProcess> {
  const pace = {
    PACED_TOKEN_MS: String(tokenMs),
    PACED_CAPACITY: String(capacity),
    PACED_TEXT_CHARS: String(textChars),
  };
  return startSotto({ ...options, env: { ...pace, ...env }, program: [pacedProgram()] });
}

let built: string | undefined;

/** Built once: a loader of TypeScript takes longer to start than the service. */
function pacedProgram(): string {
  if (built !== undefined) return built;
  const outfile = join(mkdtempSync(join(tmpdir(), "sotto-paced-")), "paced-program.mjs");
  buildSync({
    entryPoints: [fileURLToPath(new URL("paced-program.ts", import.meta.url))],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
  });
  return (built = outfile);
}
