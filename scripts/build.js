/**
 * Builds the program into dist/. `npm start` calls this when the sources are newer than the build, so a
 * fresh clone needs no separate step. Types are taken off, not checked (`npm run types` checks them): that
 * takes a second rather than twenty.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const sources = readdirSync(`${root}/src`, { recursive: true, encoding: "utf8" });

rmSync(`${root}/dist/.built`, { force: true });
await build({
  absWorkingDir: root,
  entryPoints: sources.filter((name) => /(?<!\.test)\.ts$/.test(name)).map((name) => `src/${name}`),
  outbase: "src",
  outdir: "dist",
  format: "esm",
  platform: "node",
  target: "node20",
});
mkdirSync(`${root}/dist`, { recursive: true });
writeFileSync(`${root}/dist/.built`, "");
