/**
 * The composition root: configuration in, running service out. It only wires; what each part does is the
 * part's own affair. `close()` ends everything in reverse order.
 */
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { Config } from "./config.js";
import { defaultPlan } from "./core/accounts.js";
import { Completions } from "./core/completion.js";
import { createDashboard, type Dashboard } from "./core/dashboard.js";
import type { FullStore } from "./core/dashboard-ports.js";
import { FairQueue } from "./core/fair-queue.js";
import { KeyRing } from "./core/keys.js";
import { Limits } from "./core/limits.js";
import { systemClock, type Clock, type Engine } from "./core/ports.js";
import { ByModelEngine } from "./engines/by-model.js";
import { LlamaEngine, type LlamaEvent } from "./engines/llama/host.js";
import { registerDashboard } from "./http/dashboard/dashboard.js";
import { createHttpServer, createMetricsServer, type HttpParts } from "./http/server.js";
import { createLog, type Log } from "./log.js";
import { smtpMailer } from "./mail.js";
import { Metrics } from "./metrics.js";
import { resolveWeights } from "./models/resolve.js";
import type { WeightsProgress } from "./models/starter.js";
import { WeightsFault } from "./models/weights-fault.js";
import { ServiceError } from "./protocol/errors.js";
import { modelIds, type ModelId } from "./protocol/models.js";
import { MemoryCounter, MemoryLeases } from "./store/memory-counter.js";
import { hashPassword, verifyPassword } from "./store/password-hash.js";
import { databasePath, openSqliteStore } from "./store/sqlite.js";

const dayMs = 24 * 60 * 60_000;

const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")));

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
  onWeightsProgress?: WeightsProgress;
  /** Told what had to be done again, in a sentence for the operator. */
  onWeightsNotice?: (notice: string) => void;
  /** Folder of the built pages. */
  webDir?: string;
}

export interface App {
  url: string;
  port: number;
  store: FullStore;
  keys: KeyRing;
  engine: Engine;
  dashboard: Dashboard;
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

    const { engine, sharing, loadFault, memoryBytes } = await startEngines(config, overrides, log);
    closers.push(() => engine.close());
    const queues = queuesFor(sharing, engine, config.limits, clock);
    const limits = new Limits(counter, new MemoryLeases());
    const completions = new Completions({ engine, limits, queues, clock });
    const metrics = new Metrics({
      sequencesActive: (model) => engine.status(model).active,
      sequencesCapacity: (model) => engine.status(model).capacity,
      engineRestarts: (model) => engine.status(model).restarts,
      queueWaiting: (model) => queues[model].waiting,
    });

    const { accounts } = config;
    const dashboard = createDashboard({
      store,
      clock,
      counter,
      keys,
      passwords: { hash: hashPassword, verify: verifyPassword },
      mailer:
        accounts.smtpUrl === undefined
          ? null
          : smtpMailer({ url: accounts.smtpUrl, from: accounts.mailFrom }),
      signUp: accounts.signUp,
      sessionExpiry: { idleMs: accounts.sessionIdleDays * dayMs, absoluteMs: accounts.sessionDays * dayMs },
      retentionDays: accounts.usageRetentionDays,
      ownerName: config.service.ownerName,
      publicUrl: () => accounts.publicUrl ?? url(),
      cutStreams: (target) => completions.cut(target),
      reportFault: (error) => log.unexpected(error),
    });
    closers.push(() => dashboard.close());

    let draining = false;
    const everyModel = (holds: (model: ModelId) => boolean) => modelIds.every(holds);
    const http: HttpParts = {
      config: config.service,
      keys,
      limits,
      completions,
      isReady: () => !draining && everyModel((model) => engine.status(model).state === "ready"),
      engineStatus: (model) => engine.status(model),
      metrics,
      usage: dashboard.usage,
      trustProxy: accounts.trustProxy,
      log,
      clock,
      createdAt: clock.now(),
      ...(overrides.keepAliveMs === undefined ? {} : { keepAliveMs: overrides.keepAliveMs }),
    };
    const server = createHttpServer(http);
    registerDashboard(server, {
      http,
      dashboard,
      version,
      publicUrl: accounts.publicUrl,
      queue: (model) => queues[model],
      memoryBytes,
      webDir: overrides.webDir ?? fileURLToPath(new URL("../dist/web", import.meta.url)),
    });
    const url = () => `http://${hostInUrl(config.service.host)}:${portOf(server.server.address())}`;
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
      url: url(),
      port,
      store,
      keys,
      engine,
      dashboard,
      ready: () => untilReady(engine, loadFault, clock, config.engine.loadTimeoutMs),
      drain: async (drainMs) => {
        draining = true;
        completions.refuseNew(
          new ServiceError("maintenance", { message: "The server is shutting down.", retryAfterSeconds: 5 }),
        );
        await until(() => completions.active === 0, clock, drainMs);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface StartedEngines {
  engine: Engine;
  /** Models that one engine answers for stand in one group. */
  sharing: readonly (readonly ModelId[])[];
  /** Why weights could not be loaded, for the operator. */
  loadFault: () => string | undefined;
  /** Of the process that runs the model, when it had loaded. */
  memoryBytes: (model: ModelId) => number | null;
}

/** One engine for each file of weights, whatever the number of models it answers for. */
async function startEngines(config: Config, overrides: AppOverrides, log: Log): Promise<StartedEngines> {
  if (overrides.engine !== undefined) {
    return {
      engine: overrides.engine,
      sharing: [modelIds],
      loadFault: () => undefined,
      memoryBytes: () => null,
    };
  }
  const { onWeightsProgress, onWeightsNotice, workerFile } = overrides;
  const files = await resolveWeights(
    config.models,
    config.service.dataDir,
    onWeightsProgress,
    onWeightsNotice,
    config.engine.reencodeStarter === "on",
  );
  let fault: string | undefined;
  const engines = new Map<ModelId, Engine>();
  const memory = new Map<ModelId, number>();
  for (const { path, models } of files) {
    const engine = new LlamaEngine({
      weights: path,
      models: Object.fromEntries(models.map((id) => [id, config.models[id]])),
      config: config.engine,
      onEvent: (event) => {
        if (event.type === "load_failed") fault ??= `${path} could not be loaded: ${event.reason}`;
        if (event.type === "loaded") for (const id of models) memory.set(id, event.memoryBytes);
        logEngineEvent(log, event);
      },
      workerFile,
    });
    for (const id of models) engines.set(id, engine);
  }
  return {
    engine: new ByModelEngine(engines),
    sharing: files.map((file) => file.models),
    loadFault: () => fault,
    memoryBytes: (model) => memory.get(model) ?? null,
  };
}

/** Models that share an engine share its sequences, so they share one queue. */
function queuesFor(
  sharing: StartedEngines["sharing"],
  engine: Engine,
  limits: Config["limits"],
  clock: Clock,
): Record<ModelId, FairQueue> {
  const queueOf = new Map<ModelId, FairQueue>();
  for (const models of sharing) {
    const [first = "omega"] = models;
    const queue = new FairQueue({
      capacity: () => engine.status(first).capacity,
      maxLength: limits.queueLength,
      maxWaitMs: limits.queueWaitMs,
      clock,
    });
    for (const model of models) queueOf.set(model, queue);
  }
  const find = (model: ModelId): FairQueue => {
    const queue = queueOf.get(model);
    if (queue === undefined) throw new Error(`No engine answers for ${model}.`);
    return queue;
  };
  return { omega: find("omega"), prism: find("prism"), lambda: find("lambda") };
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

async function untilReady(
  engine: Engine,
  loadFault: () => string | undefined,
  clock: Clock,
  limitMs: number,
): Promise<void> {
  const ready = () => modelIds.every((model) => engine.status(model).state === "ready");
  const inTime = await until(() => ready() || loadFault() !== undefined, clock, limitMs);
  const fault = loadFault();
  if (fault !== undefined) throw new WeightsFault(fault);
  if (!inTime) throw new WeightsFault(`The models did not load within ${limitMs / 1000} s.`);
}

/** False when `limitMs` passed first. */
async function until(holds: () => boolean, clock: Clock, limitMs: number): Promise<boolean> {
  const endsMs = clock.monotonicMs() + limitMs;
  while (!holds()) {
    if (clock.monotonicMs() >= endsMs) return false;
    await sleep(20);
  }
  return true;
}

const portOf = (address: string | AddressInfo | null): number =>
  typeof address === "object" && address !== null ? address.port : 0;

/** What a person can paste into a client: an address that means "all of them" is not one to connect to. */
export function hostInUrl(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}
