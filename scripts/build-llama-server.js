/**
 * Builds llama-server from the source bundled with node-llama-cpp, the same release as the embedded engine, and makes
 * it load the engine's own libraries: `bench -- engine` then compares programs, not builds.
 *
 *   node scripts/build-llama-server.js /tmp/llama-server    (git, cmake and a C++ compiler; some minutes)
 *   LLAMA_SERVER=/tmp/llama-server/llama-server npm run bench -- engine
 *
 * On a GPU it loads the library of `sotto engine build cuda`, too:
 *
 *   node scripts/build-llama-server.js /tmp/llama-server data/engine/cuda
 */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const [, , target, gpuFolder] = process.argv;
if (target === undefined) {
  process.stderr.write("usage: node scripts/build-llama-server.js <new folder> [folder of a GPU library]\n");
  process.exit(2);
}
const folder = resolve(target);
const source = join(folder, "source");
const build = join(folder, "build");
const libraries = join(folder, "libraries");

const packages = fileURLToPath(new URL("../node_modules/", import.meta.url));
const run = (command, ...args) => execFileSync(command, args, { stdio: ["ignore", "inherit", "inherit"] });

mkdirSync(folder, { recursive: true });
if (!existsSync(source))
  run("git", "clone", "-q", join(packages, "node-llama-cpp/llama/gitRelease.bundle"), source);
run(
  "cmake",
  ...["-S", source, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_SHARED_LIBS=ON"],
  // Kernels are chosen when it runs, as the embedded engine does it. Nothing is fetched.
  ...["-DGGML_BACKEND_DL=ON", "-DGGML_NATIVE=OFF", "-DLLAMA_OPENSSL=OFF", "-DLLAMA_SUBPROCESS=OFF"],
  ...["TESTS", "EXAMPLES", "APP", "UI"].map((part) => `-DLLAMA_BUILD_${part}=OFF`),
  "-DLLAMA_USE_PREBUILT_UI=OFF",
);
run("cmake", "--build", build, "--target", "llama-server", "-j", String(availableParallelism()));

// Beside the program, where it looks for kernels; under the names by which it was linked.
const machine = `${process.platform}-${process.arch}`;
const engineLibraries = join(packages, "@node-llama-cpp", machine, "bins", machine);
rmSync(libraries, { recursive: true, force: true });
mkdirSync(libraries);
copyFileSync(join(build, "bin", "llama-server"), join(libraries, "llama-server"));
for (const name of readdirSync(engineLibraries).filter((name) => name.endsWith(".so"))) {
  symlinkSync(join(engineLibraries, name), join(libraries, name));
  const linked = /^(libggml|libggml-base|libllama)(\.v.*)?\.so$/.exec(name)?.[1];
  if (linked !== undefined) symlinkSync(join(engineLibraries, name), join(libraries, `${linked}.so.0`));
}
if (gpuFolder !== undefined) {
  for (const name of readdirSync(gpuFolder).filter((name) => name.endsWith(".so"))) {
    symlinkSync(join(resolve(gpuFolder), name), join(libraries, name));
  }
}
const program = join(folder, "llama-server");
const path = `${libraries}:${join(build, "bin")}`;
writeFileSync(
  program,
  `#!/bin/sh\nLD_LIBRARY_PATH='${path}' exec '${join(libraries, "llama-server")}' "$@"\n`,
);
chmodSync(program, 0o755);
run(program, "--version");
process.stdout.write(`\nLLAMA_SERVER=${program} npm run bench -- engine\n`);
