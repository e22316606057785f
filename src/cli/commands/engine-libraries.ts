/** `sotto engine`: the GPU libraries of this machine and the engine's extension, in the data directory. */
import { Option, type Command } from "commander";
import type { Config } from "../../config.js";
import { systemClock } from "../../core/clock.js";
import { backendNames, gpuBackends, type GpuBackend } from "../../engines/llama/backends.js";
import { adviceFor } from "../../engines/llama/gpu/failures.js";
import {
  buildable,
  buildLibrary,
  type BuildableBackend,
} from "../../engines/llama/gpu/library/build-library.js";
import { compileExtension } from "../../engines/llama/extension/compile-extension.js";
import { installLibrary } from "../../engines/llama/gpu/library/install-library.js";
import {
  anyLibrary,
  librariesFolder,
  removeLibrary,
  type OwnLibrary,
} from "../../engines/llama/gpu/library/own-library.js";
import { cudaVersions, type CudaVersion } from "../../engines/llama/gpu/library/pinned-packages.js";
import { ToolError } from "../../engines/llama/gpu/library/run-tool.js";
import { cudaHere } from "../../engines/llama/gpu/presence.js";
import { probe } from "../../engines/llama/gpu/probe.js";
import { bindingVersion, platformName } from "../../engines/llama/binding-package.js";
import { engineEnvironment } from "../../engines/llama/child-environment.js";
import { pullProgress } from "../models/pull-progress.js";
import { report, table } from "../output.js";
import { readSettings } from "../settings.js";
import { storeCommand } from "../store-command.js";
import { untilSignal } from "../until-signal.js";

export function engineCommand(program: Command): void {
  const engine = program
    .command("engine")
    .description("list, install, build and remove the GPU libraries of the embedded engine");
  listCommand(engine);
  installCommand(engine);
  buildCommand(engine);
  removeCommand(engine);
}

function listCommand(engine: Command): void {
  storeCommand(engine, "list", "list the GPU libraries of this machine").action(
    (_: unknown, command: Command) => {
      const { dataDir } = readSettings(command).service;
      const found = gpuBackends.flatMap((backend) => anyLibrary(dataDir, backend) ?? []);
      const rows = found.map((one) => [
        one.backend,
        one.from,
        one.made,
        one.at.slice(0, 10),
        one.binding === bindingVersion() ? "yes" : `no: made for engine ${one.binding}`,
      ]);
      report(
        command,
        found.map(({ backend, from, made, at, binding }) => ({ backend, from, made, at, binding })),
        rows.length === 0
          ? "None: the engine uses what came with its packages. To get one: sotto engine install cuda, sotto engine build cuda"
          : table(["backend", "from", "made", "on", "in use"], rows),
      );
    },
  );
}

function installCommand(engine: Command): void {
  storeCommand(engine, "install <backend>", "download the prebuilt GPU library for this machine's processor")
    .addHelpText("after", installHelp)
    .option("--from <registry|file>", "another npm registry, or the package as a .tgz file")
    .addOption(
      new Option("--cuda <version>", "CUDA's runtime that it is for; default: as found here").choices(
        cudaVersions,
      ),
    )
    .action(async (name: string, options: InstallFlags, command: Command) => {
      const backend = backendNamed(name, command);
      const settings = readSettings(command);
      const { dataDir } = settings.service;
      const progress = pullProgress();
      const { library, wasHere } = await untilSignal(
        new ToolError("Stopped. Nothing was changed."),
        (signal) =>
          installLibrary({
            dataDir,
            backend,
            cuda: options.cuda ?? cudaHere({ env: engineEnvironment() }),
            from: options.from ?? settings.downloads.npmRegistry,
            signal,
            now: () => systemClock.now(),
            onPackage: (one) => progress.file(one, 1, 1),
            onProgress: progress.update,
          }),
      ).finally(progress.stop);
      await reportTried(command, settings, library, wasHere);
    });
}

const installHelp = (): string => `
The library is a file of the engine's own npm package for CUDA or Vulkan, in the version that Sotto was built with, and must
have the hash that is known here. It comes from SOTTO_NPM_REGISTRY, or the registry that npm is configured with. CUDA also
needs the driver and CUDA's runtime with cuBLAS; for a machine without a network, 'npm pack' the package elsewhere.

Examples:
  sotto engine install cuda && sotto doctor --probe
  sotto engine install cuda --cuda 12
  sotto engine install cuda --from ./node-llama-cpp-linux-x64-cuda-${bindingVersion()}.tgz`;

interface InstallFlags {
  from?: string;
  cuda?: CudaVersion;
}

function buildCommand(engine: Command): void {
  storeCommand(engine, "build <backend>", "build a GPU library for this machine, or the engine's extension")
    .notes(buildHelp)
    .addOption(new Option("--architectures <list>", "CUDA architectures, for example '90' or '86;89'"))
    .option("--define <name=value>", "a further option for CMake; repeatable", collect, [])
    .action(async (name: string, options: BuildFlags, command: Command) => {
      const settings = readSettings(command);
      if (name === extension) return reportExtension(command, settings);
      const backend = buildableNamed(name, command);
      const library = await buildLibrary({
        dataDir: settings.service.dataDir,
        backend,
        architectures: options.architectures,
        definitions: options.define,
        now: () => systemClock.now(),
        sourcePlace: { from: settings.downloads.npmRegistry, signal: AbortSignal.timeout(sourceLimitMs) },
        onOutput: (text) => process.stderr.write(text),
      });
      await reportTried(command, settings, library);
    });
}

/** What else can be built: it is no backend. */
const extension = "extension";

/** Says whether it loads here. */
async function reportExtension(command: Command, { service, engine }: Config): Promise<void> {
  const file = await compileExtension(librariesFolder(service.dataDir));
  if (file === null) throw new ToolError(`The engine has no extension for ${platformName()}.`);
  const env = engineEnvironment();
  const cacheType = engine.cacheType ?? "f16";
  const outcome = await probe({ backend: "cpu", cacheType, env, extension: file });
  const works = outcome.type === "works" && outcome.isExtended;
  const text = works
    ? "The engine's extension works. It is used from the next start on."
    : "The engine's extension is built, but does not load here: the engine runs without it.";
  report(command, { extension: file, works }, text);
}

/** 35 MB, where the source is not installed. */
const sourceLimitMs = 30 * 60_000;

const buildHelp = `
Needs git, CMake, a C++ compiler and, for CUDA, NVIDIA's toolkit: one that the installed driver supports. The source comes
with the engine's npm package, which is downloaded if it is not installed. The card's architecture is asked of the driver.

'extension' needs a C compiler only and takes seconds. It is for Linux: sampling without a copy of the logits and, on the
CPU, threads that stay between two steps, short inputs of embeddings in one batch and, on x64 with AVX-512, faster matrix
products for weights in Q4_0, Q4_K and F16. A checkout builds it by itself.

Examples:
  sotto engine build cuda && sotto doctor --probe
  sotto engine build extension`;

interface BuildFlags {
  architectures?: string;
  define: string[];
}

const collect = (value: string, earlier: string[]): string[] => [...earlier, value];

function buildableNamed(name: string, command: Command): BuildableBackend {
  const backend = buildable.find((one) => one === name);
  return (
    backend ??
    command.error(`error: '${name}' cannot be built. Choose from: ${[...buildable, extension].join(", ")}.`)
  );
}

const backendNamed = (name: string, command: Command): GpuBackend =>
  gpuBackends.find((one) => one === name) ??
  command.error(`error: there is no backend '${name}'. Choose from: ${gpuBackends.join(", ")}.`);

/** Says whether the library computes here, in the words that the start uses. */
async function reportTried(
  command: Command,
  { engine }: Config,
  library: OwnLibrary,
  wasHere = false,
): Promise<void> {
  const { backend, folder, from, made } = library;
  const env = engineEnvironment();
  const outcome = await probe({ backend, cacheType: engine.cacheType ?? "f16", env, library: folder });
  const name = backendNames[backend];
  const text =
    outcome.type === "works"
      ? `${name} works on ${outcome.devices.join(", ")} (${from} ${made}). It is used from the next start on.`
      : `The library is in place (${from} ${made}), but ${name} does not work here: ${outcome.words}\n${adviceFor(backend, outcome.kind)}`;
  report(command, { backend, from, made, was_here: wasHere, outcome }, text);
}

function removeCommand(engine: Command): void {
  storeCommand(engine, "remove <backend>", "remove a GPU library from the data directory").action(
    (name: string, _: unknown, command: Command) => {
      const backend = backendNamed(name, command);
      const removed = removeLibrary(readSettings(command).service.dataDir, backend);
      const text = removed ? `Removed. A running server keeps it until it is restarted.` : "There was none.";
      report(command, { backend, removed }, text);
    },
  );
}
