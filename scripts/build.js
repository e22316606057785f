/**
 * Builds the program into dist/. `npm start` calls this when the sources are newer than the build, so a
 * fresh clone needs no separate step.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const compiler = createRequire(import.meta.url).resolve("typescript/bin/tsc");

rmSync(`${root}/dist/.built`, { force: true });
execFileSync(process.execPath, [compiler, "-p", `${root}/tsconfig.build.json`], { stdio: "inherit" });
mkdirSync(`${root}/dist`, { recursive: true });
writeFileSync(`${root}/dist/.built`, "");
