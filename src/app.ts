/**
 * The composition root: configuration in, running service out. It only wires; what each part does is the
 * part's own affair. `close()` ends everything in reverse order.
 */
import { join } from "node:path";
import type { Config } from "./config.js";
import { defaultPlan } from "./core/accounts.js";
import { Completions } from "./core/completion.js";
import { FairQueue } from "./core/fair-queue.js";
import { KeyRing } from "./core/keys.js";
import { Limits } from "./core/limits.js";
import { systemClock, type Clock, type Engine, type Store } from "./core/ports.js";
import { ByModelEngine } from "./engines/by-model.js";
import { LlamaEngine, type LlamaEvent } from "./engines/llama/host.js";
import { createHttpServer, createMetricsServer } from "./http/server.js";
import { createLog, type Log } from "./log.js";
import { Metrics } from "./metrics.js";
import { resolveWeights, type OnProgress } from "./models/resolve.js";
import { ServiceError } from "./protocol/errors.js";
import { modelIds, type ModelId } from "./protocol/models.js";
import { MemoryCounter, MemoryLeases } from "./store/memory-counter.js";
import { databasePath, openSqliteStore } from "./store/sqlite.js";

export interface AppOverrides {
  /** Answers instead of the configured engines. */
  engine?: Engine;
  log?: Log;
  clock?: Clock;
  /** Interval of the comments that keep an idle stream open. */
  keepAliveMs?: number;
  /** Where the engine's child process starts; differs when the program runs from its sources. */
  workerFile?: string;
  /** Told while the starter weights are joined. */
  onWeightsProgress?: OnProgress;
}

export interface App {
  url: string;
  port: number;
  store: Store;
  keys: KeyRing;
  engine: Engine;
  /** Resolves when every model can answer; rejects when one cannot be loaded. */
  ready(): Promise<void>;
  /** Refuses new work and lets running replies finish, for at most `drainMs`. */
  drain(drainMs: number): Promise<void>;
  close(): Promise<void>;
}

export async function startApp(config: Config, overrides: AppOverrides = {}): Promise<App> {
  const clock = overrides.clock ?? systemClock;
  const log = overrides.log ?? createLog(config.service.logLevel);
  const closers: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };

  try {
    const store = await openSqliteStore({
      path: databasePath(config.service.dataDir),
      defaultPlan: defaultPlan(config.limits),
      clock,
    });
    closers.push(() => store.close());
    const keys = new KeyRing(store, clock);
    closers.push(() => keys.close());
    const counter = new MemoryCounter(clock);
    closers.push(() => counter.close());

    const engine = overrides.engine ?? (await startEngines(config, overrides, log));
    closers.push(() => engine.close());

    const queues = forEachModel(
      (model) =>
        new FairQueue({
          capacity: () => engine.status(model).capacity,
          maxLength: config.limits.queueLength,
          maxWaitMs: config.limits.queueWaitMs,
          clock,
        }),
    );
    const limits = new Limits(counter, new MemoryLeases());
    const completions = new Completions({ engine, limits, queues, clock });
    const metrics = new Metrics({
      sequencesActive: (model) => engine.status(model).active,
      sequencesCapacity: (model) => engine.status(model).capacity,
      engineRestarts: (model) => engine.status(model).restarts,
      queueWaiting: (model) => queues[model].waiting,
    });

    let draining = false;
    const everyModel = (holds: (model: ModelId) => boolean) => modelIds.every(holds);
    const server = createHttpServer({
      config: config.service,
      keys,
      limits,
      completions,
      isReady: () => !draining && everyModel((model) => engine.status(model).state === "ready"),
      engineStatus: (model) => engine.status(model),
      metrics,
      log,
      clock,
      createdAt: clock.now(),
      ...(overrides.keepAliveMs === undefined ? {} : { keepAliveMs: overrides.keepAliveMs }),
    });
    closers.push(() => server.close());
    await server.listen({ host: config.service.host, port: config.service.port });
    if (config.service.metricsPort !== undefined) {
      const metricsServer = createMetricsServer(metrics);
      closers.push(() => metricsServer.close());
      await metricsServer.listen({ host: "127.0.0.1", port: config.service.metricsPort });
    }

    const port = portOf(server.server.address());
    log.info("listening", { port, pid: process.pid });
    return {
      url: `http://${hostInUrl(config.service.host)}:${port}`,
      port,
      store,
      keys,
      engine,
      ready: () => untilReady(engine, clock, config.engine.loadTimeoutMs),
      drain: async (drainMs) => {
        draining = true;
        completions.refuseNew(
          new ServiceError("maintenance", { message: "The server is shutting down.", retryAfterSeconds: 5 }),
        );
        await until(
          () => everyModel((model) => queues[model].running + queues[model].waiting === 0),
          clock,
          drainMs,
        );
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
