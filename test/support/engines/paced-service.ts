/** Starts the service with a `PacedEngine` in a process of its own. */
import { buildSync } from "esbuild";
import { renameSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { startSotto, type SottoOptions, type SottoProcess } from "../processes/sotto-process.js";
import type { PacedEngineOptions } from "./paced-engine.js";

export function startPacedSotto(
  { tokenMs, capacity, textChars = 5 }: PacedEngineOptions,
  { env = {}, ...options }: Omit<SottoOptions, "program"> = {},
  checkout = thisCheckout,
): Promise<SottoProcess> {
  const pace = {
    PACED_TOKEN_MS: String(tokenMs),
    PACED_CAPACITY: String(capacity),
    PACED_TEXT_CHARS: String(textChars),
  };
  return startSotto({ ...options, env: { ...pace, ...env }, program: [pacedProgram(checkout)] });
}

const thisCheckout = fileURLToPath(new URL("../../..", import.meta.url));
const built = new Map<string, string>();

/**
 * Built once: a loader of TypeScript takes longer to start than the service. Beside the built program, where it finds
 * that program's threads and pages. Other test files may build it at the same time.
 */
function pacedProgram(checkout: string): string {
  const before = built.get(checkout);
  if (before !== undefined) return before;
  const dist = resolve(checkout, "dist");
  const [file, outfile] = [join(dist, "paced-program.mjs"), join(dist, `paced-${process.pid}.mjs`)];
  buildSync({
    entryPoints: [resolve(checkout, "test/support/engines/paced-program.ts")],
    outfile,
    bundle: true,
    packages: "external",
    format: "esm",
    platform: "node",
    target: "node20",
  });
  renameSync(outfile, file);
  built.set(checkout, file);
  return file;
}
