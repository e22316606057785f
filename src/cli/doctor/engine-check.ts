/**
 * What `sotto doctor` reports about the engine: what it computes on, and which GPU backends are not used and why.
 * Results cached by an earlier start are quoted; everything else is probed in a separate process.
 */
import type { Config } from "../../config.js";
import { systemClock } from "../../core/clock.js";
import { platformWithoutEngine } from "../../engines/llama/binding-package.js";
import { extensionFile, extensionName } from "../../engines/llama/extension/extension-file.js";
import { backendNames } from "../../engines/llama/backends.js";
import { GpuChoice, type GpuMachine } from "../../engines/llama/gpu/choice.js";
import { failureText } from "../../engines/llama/gpu/failure-text.js";
import { ownLibrary } from "../../engines/llama/gpu/library/own-library.js";
import { probeCacheIn, type BackendFailure } from "../../engines/llama/gpu/probe-cache.js";
import { probe } from "../../engines/llama/gpu/probe.js";
import { engineEnvironment } from "../../engines/llama/child-environment.js";
import { broken, hint, ok, type Check, type Finding } from "./finding.js";

const name = "engine";

export const checkEngine: Check = (config, options) => checkEngineOn({}, config, options);

/** On this machine, or on a simulated one in tests. */
export async function checkEngineOn(
  machine: GpuMachine,
  ...[config, options]: Parameters<Check>
): Promise<Finding[]> {
  const cache = probeCacheIn(config.service.dataDir, !options.probe);
  cache.forget();
  const choice = new GpuChoice(config, {
    ...machine,
    now: () => systemClock.now(),
    cache,
  });
  const startedAt = systemClock.now();
  await choice.settle();
  const isQuoted = ({ at }: { at: string }) => new Date(at) < startedAt;
  return [
    await inUse(machine, config, choice, isQuoted),
    ...choice.allFailures().map((failure) => notUsed(failure, isQuoted(failure))),
  ];
}

async function inUse(
  machine: GpuMachine,
  config: Config,
  choice: GpuChoice,
  isQuoted: (result: { at: string }) => boolean,
): Promise<Finding> {
  const { service } = config;
  const { best } = choice;
  if (best === null) return onCpu(machine, config);
  const driver = choice.driver === "" ? "" : `, ${choice.driver}`;
  const when = isQuoted(best) ? `, as found on ${dayOf(best.at)}` : "";
  const own = ownLibrary(service.dataDir, best.backend);
  const build = own === null ? "" : `, ${own.from} ${own.made} on ${dayOf(own.at)}`;
  const detail = `${backendNames[best.backend]} on ${best.devices.join(", ")}${driver}${build}${when}`;
  return ok(name, detail);
}

/** The CPU is the last resort, so it is probed every time. */
async function onCpu({ program, limitMs }: GpuMachine, config: Config): Promise<Finding> {
  const { gpu, threads, cacheType = "f16" } = config.engine;
  const extension = extensionFile(config);
  const env = engineEnvironment();
  const outcome = await probe({ backend: "cpu", cacheType, env, extension, program, limitMs });
  if (outcome.type === "failed") {
    const next =
      platformWithoutEngine() === null
        ? "Run 'npm ci --include=optional' on this machine: the engine comes as a package for its processor."
        : "Use an engine on the network (docs/upstreams.md), or run Sotto on Linux.";
    return broken(name, `the engine's binding does not start: ${outcome.words}`, next);
  }
  const why = gpu === "off" ? ", since SOTTO_ENGINE_GPU is off" : "";
  const extended = extensionText(config.engine, outcome.isExtended);
  return ok(name, `CPU with ${threads ?? outcome.cores} threads${why}${extended}`);
}

function extensionText({ extension }: Config["engine"], isExtended: boolean): string {
  if (isExtended) return ", with the engine's extension";
  if (extension === "off") return ", without the engine's extension, since SOTTO_ENGINE_EXTENSION is off";
  if (extensionName() === null) return "";
  return ", without the engine's extension: 'sotto engine build extension' builds it";
}

function notUsed(failure: BackendFailure, isQuoted: boolean): Finding {
  const { reason, advice } = failureText(failure);
  if (!isQuoted) return hint(name, reason, advice);
  return hint(
    name,
    `${reason} (on ${dayOf(failure.at)})`,
    `${advice}${advice.endsWith(".") ? "" : "."} To try again: sotto doctor --probe, then restart.`,
  );
}

const dayOf = (at: string): string => at.slice(0, 10);
