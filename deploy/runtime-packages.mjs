/**
 * Leaves in package.json only what the built program loads from node_modules, before `npm ci` installs it into the
 * image: packages with native code, and the starter weights. Everything else is bundled into dist/ by scripts/build.js.
 *
 *   node runtime-packages.mjs [--no-starter]
 */
import { readFileSync, writeFileSync } from "node:fs";
import { argv } from "node:process";

const native = ["libsql", "@node-rs/argon2", "node-llama-cpp"];
const starter = /^slaunt-model-tinyllama/;

const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const keep = (packages, isKept) =>
  Object.fromEntries(Object.entries(packages).filter(([name]) => isKept(name)));
manifest.dependencies = keep(manifest.dependencies, (name) => native.includes(name));
if (argv.includes("--no-starter"))
  manifest.optionalDependencies = keep(manifest.optionalDependencies, (name) => !starter.test(name));
delete manifest.devDependencies;
writeFileSync("package.json", JSON.stringify(manifest, null, 2));
