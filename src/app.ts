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
import { hostInUrl } from "./config/host-in-url.js";
import { ChangeFollower } from "./core/change-follower.js";
import { Completions } from "./core/completion.js";
import { createDashboard, type Dashboard } from "./core/dashboard.js";
import type { FullStore } from "./core/dashboard-ports.js";
import { KeyRing } from "./core/keys.js";
import { Limits } from "./core/limits.js";
import { MaintenanceGate } from "./core/maintenance-gate.js";
import { systemClock, type Clock, type Engine } from "./core/ports.js";
import { registerDashboard } from "./http/dashboard/dashboard.js";
import { createHttpServer, createMetricsServer, type HttpParts } from "./http/server.js";
import { createLog, type Log } from "./log.js";
import { smtpMailer } from "./mail.js";
import { Metrics } from "./metrics.js";
import { SpeedNotes } from "./models/measured-speed.js";
import { ServiceError } from "./protocol/errors.js";
import { startEngines, type EngineOverrides } from "./start-engines.js";
import { lockDataDir } from "./store/data-dir-lock.js";
import { openCounters } from "./store/open-counters.js";
import { openStore } from "./store/open-store.js";
import { hashPassword, verifyPassword } from "./store/password-hash.js";

/** A database server that is started together with this one may take a while. */
const databaseWaitMs = 30_000;
const dayMs = 24 * 60 * 60_000;

const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")));

export interface AppOverrides extends EngineOverrides {
  log?: Log;
  clock?: Clock;
  /** Interval of the comments that keep an idle stream open. */
  keepAliveMs?: number;
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
  /** Changes models over to what this configuration says; nothing else of it is taken up. */
  followModels(config: Config): Promise<void>;
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
    const lock = lockDataDir(config.service.dataDir);
    closers.push(async () => lock.release());
    const store = await openStore(config, { clock, waitMs: databaseWaitMs });
    closers.push(() => store.close());
    const keys = new KeyRing(store, clock);
    closers.push(() => keys.close());
    const counters = await openCounters(config.storage, {
      clock,
      store,
      onHealth: (health) => log.warn(health === "ok" ? "redis returned" : "redis away"),
    });
    closers.push(() => counters.close());
    const { counter, leases, announcements } = counters;

    const engines = await startEngines({ config, overrides, store, log, clock });
    const { fleet } = engines;
    closers.push(() => fleet.close());
    const limits = new Limits(counter, leases);
    const gate = new MaintenanceGate({
      listCurrentWindows: (now) => store.news.listCurrentWindows(now),
      clock,
      drainMs: config.limits.drainMs,
      endRunning: (reason) => completions.endAll(reason),
    });
    closers.push(async () => gate.close());
    await gate.refresh();
    let storeHealth: "ok" | "away" = "ok";
    const metrics = new Metrics({
      sequencesActive: (model) => fleet.status(model).active,
      sequencesCapacity: (model) => fleet.status(model).capacity,
      engineRestarts: (model) => fleet.status(model).restarts,
      queueWaiting: (model) => fleet.queueOf(model).waiting,
      isStoreUp: () => storeHealth === "ok",
      isRedisUp: config.storage.redisUrl === undefined ? null : () => counters.health() === "ok",
    });
    const speeds = new SpeedNotes(store, (model) =>
      engines.memoryBytes(model) === null ? null : fleet.status(model).serving,
    );
    closers.push(() => speeds.close());
    const completions = new Completions({
      engine: fleet,
      limits,
      queueOf: (model) => fleet.queueOf(model),
      clock,
      refusal: () => gate.refusal(),
      onTokenGap: (model, gapMs) => {
        metrics.tokenGap(model, gapMs);
        speeds.add(model, gapMs);
      },
      onTokens: (model, tokens) => dashboard.rates.addTokens(model, tokens),
    });
    const follower = await ChangeFollower.start({
      changes: store.changes,
      keys,
      cutStreams: (target) => completions.cut(target),
      onModelsChanged: () => void engines.follow(),
      onStoreHealth: (health) => {
        storeHealth = health;
        log.warn(health === "ok" ? "database returned" : "database away");
      },
    });
    closers.push(() => follower.close());
    announcements.onAnnounced(() => void follower.look());
    store.changes.onAppended(() => announcements.announce());

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

    const traces = await startTracing(config.service);
    if (traces !== null) closers.push(() => traces.close());
    let draining = false;
    const http: HttpParts = {
      config: config.service,
      keys,
      limits,
      completions,
      isReady: () => !draining && gate.refusal() === null && engines.isReady(),
      isDraining: () => draining,
      maintenance: () => gate.announcement(),
      engineStatus: (model) => fleet.status(model),
      metrics,
      usage: dashboard.usage,
      ...(traces === null ? {} : { traces }),
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
      queue: (model) => fleet.queueOf(model),
      sharers: () => fleet.sharers(),
      defaultMaxTokens: (model) => config.models[model].maxTokens,
      limitsHealth: () => counters.health(),
      memoryBytes: (model) => engines.memoryBytes(model),
      members: (model) => engines.members(model),
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
      engine: fleet,
      dashboard,
      ready: () => fleet.ready(),
      followModels: (changed) => engines.follow(changed),
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

/** Loaded only where it is wanted: few want it, and it is large. */
async function startTracing({ otlpEndpoint, otlpHeaders, otlpServiceName }: Config["service"]) {
  if (otlpEndpoint === undefined) return null;
  const { Tracing } = await import("./tracing.js");
  const headers = Object.fromEntries(
    (otlpHeaders?.split(",") ?? []).map((pair) => {
      const [name = "", ...value] = pair.split("=");
      return [name.trim(), decodeURIComponent(value.join("="))];
    }),
  );
  return new Tracing({ endpoint: otlpEndpoint, headers, serviceName: otlpServiceName, version });
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
