/** Assembles the choice of GPU backends for this machine, or for a simulated one in tests. */
import type { Config } from "../../../config.js";
import { engineEnvironment } from "../child-environment.js";
import { GpuChoice, type GpuChoiceOptions } from "./choice.js";
import { probeCacheIn, type ProbeCache } from "./probe-cache.js";
import { gpuBackends, type GpuBackend } from "../backends.js";
import { ownLibrary } from "./library/own-library.js";
import { lookForGpu, type GpuPresence } from "./presence.js";
import { probe } from "./probe.js";

export interface GpuMachine {
  /** What is found on the disk. */
  look?: (() => GpuPresence) | undefined;
  /** The program of the throwaway process, and how long it may take. */
  program?: string | undefined;
  limitMs?: number | undefined;
}

export interface BackendOptions extends GpuMachine, Pick<GpuChoiceOptions, "now" | "onProbing" | "onFailed"> {
  cache?: ProbeCache;
}

export function chooseBackends({ service, engine }: Config, options: BackendOptions): GpuChoice {
  const { program, limitMs, look, cache = probeCacheIn(service.dataDir), ...rest } = options;
  const env = engineEnvironment();
  const { cacheType } = engine;
  const { dataDir } = service;
  return new GpuChoice({
    ...rest,
    setting: engine.gpu,
    kernels: cacheType,
    cache,
    look: look ?? (() => lookForGpu({ env, ownLibraries: ownFiles(dataDir) })),
    probe: (backend) =>
      probe({
        backend,
        cacheType,
        env,
        library: ownLibrary(dataDir, backend)?.folder,
        program,
        limitMs,
      }),
  });
}

const ownFiles = (dataDir: string): Partial<Record<GpuBackend, string>> =>
  Object.fromEntries(
    gpuBackends.flatMap((backend) => {
      const own = ownLibrary(dataDir, backend);
      return own === null ? [] : [[backend, own.file]];
    }),
  );
