/**
 * Builds the program into dist/ and its pages into dist/web. `npm start` calls this when a source is newer
 * than the build, so a fresh clone needs no separate step. Types are stripped, not checked (`npm run types`
 * checks them): that takes a second rather than twenty. Pages that have not changed are not built again.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { noteBundled } from "../web/build/bundled-packages.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const filesBelow = (folder) =>
  readdirSync(`${root}/${folder}`, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`);
const modified = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** The program, and what it starts as threads and child processes: src/adapters/program-files.ts finds them by name. */
const entryPoints = [
  "src/main.ts",
  "src/engines/llama/worker/worker.ts",
  "src/engines/llama/worker/prompt/prompt-worker.ts",
  "src/engines/llama/worker/vectors/input-worker.ts",
  "src/engines/llama/worker/probe-child.ts",
  "src/engines/llama/extension/compile-extension.ts",
  "src/engines/structured-output/grammar-worker.ts",
  "src/http/bodies/parse-worker.ts",
  "src/models/files/hash-worker.ts",
  "src/models/starter/merge-worker.ts",
  "src/store/sql/sqlite/sqlite-worker.ts",
];

/** What stays outside the bundle and is installed beside it: packages with native code, which they find by their own path. */
export const native = ["libsql", "@node-rs/argon2"];
/** Not installed, or in a checkout only. */
const absent = ["pg-native", "esbuild", "wabt"];
/** What packages would load for something that the program does not do: see src/http/without-schemas.ts. */
const unused = ["@fastify/ajv-compiler", "@fastify/fast-json-stringify-compiler", "light-my-request", "pino"];

/**
 * A few files instead of a thousand modules, which take most of the time of a start. What is imported when it is needed
 * stays a file of its own.
 */
async function buildProgram() {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints,
    entryNames: "[name]",
    chunkNames: "[name]-[hash]",
    outdir: "dist",
    bundle: true,
    splitting: true,
    external: [...native, ...absent, ...unused],
    plugins: [bindingParts, fastifyParts],
    // Its CommonJS build loads its parts in a way that cannot be bundled.
    alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
    // For packages in the older format of modules.
    banner: {
      js: 'import { createRequire as nodeRequire } from "node:module"; const require = nodeRequire(import.meta.url);',
    },
    // Without indentation a start takes 6 % less. Nothing is renamed, so classes of errors keep their names for the log
    // (`keepNames` would take a tenth of a start), and lines stay short enough to be found from a stack trace.
    minifyWhitespace: true,
    lineLimit: 160,
    sourcemap: "linked",
    sourcesContent: false,
    metafile: true,
    format: "esm",
    platform: "node",
    target: "node20",
  });
  requireDefaultImports(metafile);
  const verifier = await buildVerifier();
  const outputs = [metafile, verifier.metafile].flatMap((built) => Object.values(built.outputs));
  const inputs = outputs.flatMap((output) => Object.entries(output.inputs));
  noteBundled(
    `${root}/dist/bundled-program.txt`,
    inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => `${root}/${path}`),
  );
  const written = new Set(
    [...Object.keys(metafile.outputs), ...Object.keys(verifier.metafile.outputs)].map((path) =>
      basename(path),
    ),
  );
  for (const { name } of readdirSync(`${root}/dist`, { withFileTypes: true }))
    if (/\.m?js(\.map)?$/.test(name) && !written.has(name)) rmSync(`${root}/dist/${name}`);
}

/**
 * Of the engine's binding what src/engines/llama/worker uses: its index also brings downloaders and more. What looks for
 * files beside the binding's own, as soon as it is loaded, is left out: opening the native code (worker/own-binding.ts does
 * that) and its collection of grammars.
 */
const bindingParts = {
  name: "binding-parts",
  setup: ({ onResolve, onLoad }) => {
    const folder = `${root}/node_modules/node-llama-cpp/dist`;
    const leftOut = (name) =>
      `export const ${name} = () => Promise.reject(new Error("${name} is not bundled"));`;
    const parts = {
      "node-llama-cpp":
        'export { Llama } from "./bindings/Llama.js"; export { LlamaLogLevel } from "./bindings/types.js";',
      "../getLlama.js": leftOut("getLlamaForOptions"),
      "../utils/getGrammarsFolder.js": leftOut("getGrammarsFolder"),
    };
    onResolve({ filter: /^node-llama-cpp$|\/getLlama\.js$|\/getGrammarsFolder\.js$/ }, ({ path }) => ({
      path,
      namespace: "binding",
    }));
    onLoad({ filter: /^/, namespace: "binding" }, ({ path }) => ({
      contents: parts[path],
      resolveDir: folder,
    }));
  },
};

/** What Fastify loads for HTTP/2, and for plugins that say which versions of it they need: there are none of either. */
const fastifyParts = {
  name: "fastify-parts",
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^(node:http2|semver)$/ }, ({ path, importer }) =>
      importer.includes("/node_modules/fastify/") ? { path, namespace: "left-out" } : null,
    );
    onLoad({ filter: /^/, namespace: "left-out" }, () => ({ contents: "module.exports = {};" }));
  },
};

/** `sotto verify` as one file that runs anywhere with Node alone, for whoever does not trust the service's program. */
const buildVerifier = () =>
  build({
    absWorkingDir: root,
    entryPoints: ["src/verify.ts"],
    outfile: "dist/verify.js",
    bundle: true,
    banner: {
      js: '#!/usr/bin/env node\nimport { createRequire as nodeRequire } from "node:module"; const require = nodeRequire(import.meta.url);',
    },
    metafile: true,
    format: "esm",
    platform: "node",
    target: "node20",
  });

/** What the program is built from, where that is known: it is in the signed statement. */
function noteCommit() {
  const git = (...args) =>
    execFileSync("git", args, { cwd: root, stdio: ["ignore", "pipe", "ignore"] }).toString();
  mkdirSync(`${root}/dist`, { recursive: true });
  try {
    const isChanged = git("status", "--porcelain").trim() !== "";
    writeFileSync(
      `${root}/dist/commit.txt`,
      `${git("rev-parse", "HEAD").trim()}${isChanged ? "-modified" : ""}\n`,
    );
  } catch {
    rmSync(`${root}/dist/commit.txt`, { force: true });
  }
}

/**
 * A package in the older format of modules that is imported when it is needed has a default export and no other in the
 * bundle, whatever it has unbundled: `const { Agent } = await import("undici")` would be undefined in the program only.
 */
function requireDefaultImports({ inputs }) {
  for (const [path, { imports }] of Object.entries(inputs)) {
    if (path.startsWith("node_modules/")) continue;
    for (const { kind, path: imported, original } of imports) {
      if (kind !== "dynamic-import" || inputs[imported]?.format !== "cjs") continue;
      const uses = readFileSync(`${root}/${path}`, "utf8").split(`import("${original}")`);
      if (uses.slice(0, -1).some((before) => !/\{ default: \w+ \} = await $/.test(before)))
        throw new Error(`${path} has to import the default of ${original}: it is a CommonJS package.`);
    }
  }
}

/** The one part that is written in WebAssembly's text format; see src/models/starter/merge-kernel.ts. */
async function buildKernel() {
  const text = readFileSync(`${root}/src/models/starter/merge-kernel.wat`, "utf8");
  const { default: openWabt } = await import("wabt");
  const parsed = (await openWabt()).parseWat("merge-kernel.wat", text, { simd: true });
  mkdirSync(`${root}/dist`, { recursive: true });
  writeFileSync(`${root}/dist/merge-kernel.wasm`, parsed.toBinary({}).buffer);
}

/** Optional: the engine runs without it. With the function that `sotto engine build extension` uses, just built. */
async function buildExtension() {
  const { compileExtension } = await import(`${root}/dist/compile-extension.js`);
  await compileExtension(`${root}/dist`).catch((error) => {
    console.warn(`The engine's extension is not built, and the engine runs slower. ${error.message}`);
  });
}

async function buildPages() {
  const built = modified(`${root}/dist/web/index.html`);
  const sources = [
    ...filesBelow("web"),
    ...filesBelow("src/protocol"),
    ...filesBelow("src/core"),
    ...filesBelow("src/connect"),
    `${root}/docs/openapi.yaml`,
    `${root}/package-lock.json`,
  ];
  if (sources.every((path) => modified(path) < built)) return;
  // Whoever builds, the pages are for people: in a test run they would be built with React's slow development version.
  process.env.NODE_ENV = "production";
  const vite = await import("vite");
  await vite.build({ configFile: `${root}/web/vite.config.ts`, logLevel: "warn" });
}

export async function buildAll() {
  rmSync(`${root}/dist/.built`, { force: true });
  noteCommit();
  const steps = [buildProgram().then(buildExtension), buildKernel(), buildPages()];
  // For whoever waits: bin/sotto.js shows it.
  const report = (done) => process.send?.({ done, total: steps.length });
  report(0);
  let done = 0;
  await Promise.all(steps.map((step) => step.then(() => report(++done))));
  writeFileSync(`${root}/dist/.built`, "");
}

// Unless another script imports it.
if (basename(process.argv[1]) === "build.js") await buildAll();
