/** `sotto engine`: the GPU libraries of this machine, in the data directory. */
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
import { anyLibrary, removeLibrary, type OwnLibrary } from "../../engines/llama/gpu/library/own-library.js";
import { probe } from "../../engines/llama/gpu/probe.js";
import { bindingVersion } from "../../engines/llama/binding-package.js";
import { engineEnvironment } from "../../engines/llama/child-environment.js";
import { report, table } from "../output.js";
import { readSettings } from "../settings.js";
import { storeCommand } from "../store-command.js";

export function engineCommand(program: Command): void {
  const engine = program
    .command("engine")
    .description("list, build and remove the GPU libraries of the embedded engine");
  listCommand(engine);
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
          ? "None: the engine uses what came with its packages. To build one: sotto engine build cuda"
          : table(["backend", "from", "made", "on", "in use"], rows),
      );
    },
  );
}

function buildCommand(engine: Command): void {
  storeCommand(engine, "build <backend>", "build a GPU library for this machine's card and driver")
    .addHelpText("after", buildHelp)
    .addOption(new Option("--architectures <list>", "CUDA architectures, for example '90' or '86;89'"))
    .option("--define <name=value>", "a further option for CMake; repeatable", collect, [])
    .action(async (name: string, options: BuildFlags, command: Command) => {
      const backend = buildableNamed(name, command);
      const settings = readSettings(command);
      const library = await buildLibrary({
        dataDir: settings.service.dataDir,
        backend,
        architectures: options.architectures,
        definitions: options.define,
        now: () => systemClock.now(),
        onOutput: (text) => process.stderr.write(text),
      });
      await reportTried(command, settings, library);
    });
}

const buildHelp = `
Needs git, CMake, a C++ compiler and, for CUDA, NVIDIA's toolkit: one that the installed driver supports. Nothing is
downloaded: the source comes with the engine. The card's architecture is asked of the driver.

Example:
  sotto engine build cuda && sotto doctor --probe`;

interface BuildFlags {
  architectures?: string;
  define: string[];
}

const collect = (value: string, earlier: string[]): string[] => [...earlier, value];

function buildableNamed(name: string, command: Command): BuildableBackend {
  const backend = buildable.find((one) => one === name);
  return backend ?? command.error(`error: '${name}' cannot be built. Choose from: ${buildable.join(", ")}.`);
}

/** Says whether the library computes here, in the words that the start uses. */
async function reportTried(command: Command, { engine }: Config, library: OwnLibrary): Promise<void> {
  const { backend, folder, from, made } = library;
  const env = engineEnvironment();
  const outcome = await probe({ backend, cacheType: engine.cacheType ?? "f16", env, library: folder });
  const name = backendNames[backend];
  const text =
    outcome.type === "works"
      ? `${name} works on ${outcome.devices.join(", ")} (${from} ${made}). It is used from the next start on.`
      : `The library is in place (${from} ${made}), but ${name} does not work here: ${outcome.words}\n${adviceFor(backend, outcome.kind)}`;
  report(command, { backend, from, made, outcome }, text);
}

function removeCommand(engine: Command): void {
  storeCommand(engine, "remove <backend>", "remove a GPU library from the data directory").action(
    (name: string, _: unknown, command: Command) => {
      const backend: GpuBackend =
        gpuBackends.find((one) => one === name) ??
        command.error(`error: there is no backend '${name}'. Choose from: ${gpuBackends.join(", ")}.`);
      const removed = removeLibrary(readSettings(command).service.dataDir, backend);
      const text = removed ? `Removed. A running server keeps it until it is restarted.` : "There was none.";
      report(command, { backend, removed }, text);
    },
  );
}
