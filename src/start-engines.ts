/** From configuration to running engines: which source answers for which model, started and ready to be exchanged. */
import type { Config } from "./config.js";
import { FairQueue } from "./core/fair-queue.js";
import type { Clock, Engine } from "./core/ports.js";
import { Fleet, type Assignments, type EngineSource } from "./engines/fleet.js";
import { LlamaEngine, type LlamaEvent } from "./engines/llama/host.js";
import type { Log } from "./log.js";
import { resolveWeights } from "./models/resolve.js";
import type { WeightsProgress } from "./models/starter.js";
import { WeightsFault } from "./models/weights-fault.js";
import type { ModelId } from "./protocol/models.js";

export interface EngineOverrides {
  /** Answers instead of the configured engines. */
  engine?: Engine;
  /** Where the engine's child process starts; differs when the program runs from its sources. */
  workerFile?: string;
  /** Told while the starter weights are joined. */
  onWeightsProgress?: WeightsProgress;
  /** Told what had to be done again, in a sentence for the operator. */
  onWeightsNotice?: (notice: string) => void;
}

export interface Engines {
  fleet: Fleet;
  /** Of the process that runs the model, when it had loaded. */
  memoryBytes: (model: ModelId) => number | null;
}

export async function startEngines(
  config: Config,
  overrides: EngineOverrides,
  log: Log,
  clock: Clock,
): Promise<Engines> {
  const memory = new Map<Engine, number>();
  const { engine } = overrides;
  const assignments =
    engine === undefined
      ? await weightsSources(config, overrides, log, memory)
      : sameForAll({ key: "override", start: () => ({ engine, ready: async () => undefined }) });
  const fleet = new Fleet(assignments, {
    newQueue: (capacity) =>
      new FairQueue({
        capacity,
        maxLength: config.limits.queueLength,
        maxWaitMs: config.limits.queueWaitMs,
        clock,
      }),
    clock,
    drainMs: config.limits.drainMs,
    readyMs: config.engine.loadTimeoutMs,
  });
  return { fleet, memoryBytes: (model) => memory.get(fleet.engineOf(model)) ?? null };
}

/** One engine for each file of weights, whatever the number of models it answers for. */
async function weightsSources(
  config: Config,
  { onWeightsProgress, onWeightsNotice, workerFile }: EngineOverrides,
  log: Log,
  memory: Map<Engine, number>,
): Promise<Assignments> {
  const { dataDir } = config.service;
  const reencodes = config.engine.reencodeStarter === "on";
  const files = await resolveWeights(config.models, dataDir, onWeightsProgress, onWeightsNotice, reencodes);
  const sources = new Map<ModelId, EngineSource>();
  for (const { path, models } of files) {
    const start = () => {
      const engine = new LlamaEngine({
        weights: path,
        models: config.models,
        config: config.engine,
        onEvent: (event) => {
          if (event.type === "loaded") memory.set(engine, event.memoryBytes);
          logEngineEvent(log, event);
        },
        workerFile,
      });
      return { engine, ready: (signal: AbortSignal) => untilLoaded(engine, path, signal) };
    };
    for (const model of models) sources.set(model, { key: `weights:${path}`, start });
  }
  return forEach((model) => {
    const source = sources.get(model);
    if (source === undefined) throw new Error(`No file answers for ${model}.`);
    return source;
  });
}

/** Rejects in words for the operator. */
async function untilLoaded(engine: LlamaEngine, path: string, signal: AbortSignal): Promise<void> {
  try {
    await engine.ready(signal);
  } catch (error) {
    if (signal.aborted) throw new WeightsFault(`${path} did not load in time.`);
    const reason = error instanceof Error ? error.message : "unknown fault";
    throw new WeightsFault(`${path} could not be loaded: ${reason}`);
  }
}

function logEngineEvent(log: Log, event: LlamaEvent): void {
  switch (event.type) {
    case "loaded":
      log.info("engine loaded", event);
      return;
    case "load_failed":
      log.warn("engine did not load");
      return;
    case "exited":
      log.warn("engine exited", { exitCode: event.code, exitSignal: event.signal });
      return;
    case "restarting":
      log.warn("engine restarting", { delayMs: event.delayMs });
  }
}

const sameForAll = (source: EngineSource): Assignments => forEach(() => source);

const forEach = (sourceOf: (model: ModelId) => EngineSource): Assignments => ({
  omega: sourceOf("omega"),
  prism: sourceOf("prism"),
  lambda: sourceOf("lambda"),
});
