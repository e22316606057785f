/**
 * Builds the program into dist/ and its pages into dist/web. `npm start` calls this when a source is newer
 * than the build, so a fresh clone needs no separate step. Types are stripped, not checked (`npm run types`
 * checks them): that takes a second rather than twenty. Pages that have not changed are not built again.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const filesBelow = (folder) =>
  readdirSync(`${root}/${folder}`, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`);
const modified = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

async function buildProgram() {
  await build({
    absWorkingDir: root,
    entryPoints: filesBelow("src").filter((path) => /(?<!\.test|\.fixture)\.ts$/.test(path)),
    outbase: "src",
    outdir: "dist",
    format: "esm",
    platform: "node",
    target: "node20",
  });
}

/** The one part that is written in WebAssembly's text format; see src/models/starter/merge-kernel.ts. */
async function buildKernel() {
  const folder = "models/starter";
  const text = readFileSync(`${root}/src/${folder}/merge-kernel.wat`, "utf8");
  const { default: openWabt } = await import("wabt");
  const parsed = (await openWabt()).parseWat("merge-kernel.wat", text, { simd: true });
  mkdirSync(`${root}/dist/${folder}`, { recursive: true });
  writeFileSync(`${root}/dist/${folder}/merge-kernel.wasm`, parsed.toBinary({}).buffer);
}

async function buildPages() {
  const built = modified(`${root}/dist/web/index.html`);
  const sources = [
    ...filesBelow("web"),
    ...filesBelow("src/protocol"),
    `${root}/docs/openapi.yaml`,
    `${root}/package-lock.json`,
  ];
  if (sources.every((path) => modified(path) < built)) return;
  // Whoever builds, the pages are for people: in a test run they would be built with React's slow development version.
  process.env.NODE_ENV = "production";
  const vite = await import("vite");
  await vite.build({ configFile: `${root}/web/vite.config.ts`, logLevel: "warn" });
}

rmSync(`${root}/dist/.built`, { force: true });
await Promise.all([buildProgram(), buildKernel(), buildPages()]);
writeFileSync(`${root}/dist/.built`, "");
