/**
 * The composition root: configuration in, running service out. It only wires; what each part does is up to the
 * part. `close()` ends everything in reverse order, whatever fails meanwhile.
 */
import { randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { packageFile, packageVersion } from "./adapters/program-files.js";
import type { Config } from "./config.js";
import { hostInUrl } from "./config/host-in-url.js";
import { callerNow } from "./core/serving/caller-now.js";
import { ChangeFollower } from "./core/replicas/change-follower.js";
import { closeAll } from "./core/close-all.js";
import { Completions } from "./core/serving/completion.js";
import { createDashboard, quotaBook, type Dashboard } from "./dashboard-services.js";
import type { FullStore } from "./store/full-store.js";
import { KeyRing } from "./core/keys/key-ring.js";
import { Limits } from "./core/limits/limits.js";
import { RecentItems } from "./core/serving/recent-items.js";
import { MaintenanceGate } from "./core/serving/maintenance-gate.js";
import { ModelNames } from "./core/model-names.js";
import { ModelAdmin } from "./core/admin/model-admin.js";
import { systemClock, type Clock } from "./core/clock.js";
import type { Engine } from "./core/serving/engine-port.js";
import { Sessions } from "./core/sign-in/sessions.js";
import { flushUntil } from "./core/usage/last-flush.js";
import { registerDashboard } from "./http/dashboard/dashboard-api.js";
import { Bodies } from "./http/bodies/bodies.js";
import { connectionLimit } from "./http/connection/connection-limit.js";
import { createHttpServer, createMetricsServer, type HttpParts } from "./http/server.js";
import type { AppOverrides } from "./app-overrides.js";
import { causeOf, createLog } from "./log.js";
import { smtpMailer } from "./adapters/smtp.js";
import { Metrics } from "./metrics.js";
import { allowedHosts } from "./models/pull/allowed-hosts.js";
import { machineNow } from "./models/files/machine.js";
import { SpeedNotes } from "./models/measured-speed.js";
import { ShownWeights } from "./models/shown-weights.js";
import { howToRaise, openFileLimit } from "./adapters/open-files.js";
import type { ModelSuggestion } from "./protocol/dashboard-engines.js";
import { ServedModels } from "./models/choice/model-sources.js";
import { PullJobs } from "./models/pull/pull-jobs.js";
import { ServiceError } from "./protocol/errors.js";
import { startEngines } from "./start-engines.js";
import { lockDataDir } from "./store/data-dir-lock.js";
import { openCounters } from "./store/counters/open-counters.js";
import { startNotice } from "./store/counters/redis-trouble.js";
import { explainUnavailable, openStore } from "./store/open-store.js";
import { hashPassword, verifyPassword } from "./adapters/password-hash.js";
import { usageSpill, usageNotice } from "./store/usage-spill.js";

/** A database server that is started together with this one may take a while. */
const databaseWaitMs = 30_000;
const dayMs = 24 * 60 * 60_000;

const version = packageVersion();

export interface App {
  url: string;
  port: number;
  store: FullStore;
  keys: KeyRing;
  engine: Engine;
  dashboard: Dashboard;
  /** What the operator should know about how it started. */
  notice: string | null;
  models: ModelAdmin;
  /** Resolves when every model can answer; rejects when one cannot be loaded. */
  ready(): Promise<void>;
  /** What to use instead of the starter; null where it does not answer. */
  suggestion(): ModelSuggestion | null;
  /** Changes models over to what this configuration says; nothing else of it is taken up. */
  followModels(config: Config): Promise<void>;
  /** Refuses new work, lets running replies finish and writes what was counted, for at most `drainMs`. */
  drain(drainMs: number): Promise<void>;
  close(): Promise<void>;
  /** For a process that ends now: saves what would be lost otherwise. */
  abandon(): void;
}

export async function startApp(config: Config, overrides: AppOverrides = {}): Promise<App> {
  const clock = overrides.clock ?? systemClock;
  const log = overrides.log ?? createLog(config.service.logLevel);
  const closers: (() => Promise<void>)[] = [];
  const close = () => closeAll(closers.splice(0));

  try {
    const lock = lockDataDir(config.service.dataDir);
    closers.push(async () => lock.release());
    /** Why the database last failed. */
    let storeCause: string | undefined;
    const store = await openStore(config, {
      clock,
      threads: overrides.databaseThreads ?? true,
      waitMs: databaseWaitMs,
      onWait: (place, waitMs) =>
        overrides.onNotice?.(`Waiting for the database ${place} (up to ${waitMs / 1000} s) ...`),
      onUnavailable: (error) => {
        storeCause = causeOf(error);
      },
    });
    closers.push(() => store.close());
    const keys = new KeyRing(store, clock);
    closers.push(() => keys.close());
    const counters = await openCounters(config.storage, {
      clock,
      store,
      onHealth: (health, cause) => log.warn(redisMessages[health], { cause }),
    });
    closers.push(() => counters.close());
    const trouble = counters.trouble();
    if (trouble !== null) overrides.onNotice?.(startNotice(config.storage.redisUrl, trouble));
    const { counter, leases, admissions, wakeUps } = counters;

    const engines = await startEngines({ config, overrides, store, log, clock });
    const { fleet } = engines;
    closers.push(() => engines.close());
    const names = new ModelNames(config.service.modelAliases);
    const limits = new Limits(admissions, leases, {
      quotas: quotaBook(clock, config.limits.quotaTimezone, () => dashboard),
      onRefusal: (limit, scope) => metrics.refusal(limit, scope),
    });
    const gate = new MaintenanceGate({
      listCurrentWindows: (now) => store.news.listCurrentWindows(now),
      clock,
      drainMs: config.limits.drainMs,
      endRunning: (reason) => completions.endAll(reason),
    });
    closers.push(() => gate.close());
    await gate.refresh();
    let storeHealth: "ok" | "unreachable" = "ok";
    const metrics = new Metrics({
      sequencesActive: (model) => fleet.status(model).active,
      sequencesCapacity: (model) => fleet.status(model).capacity,
      engineRestarts: (model) => fleet.status(model).restarts,
      engineMemoryBytes: (model) => engines.memoryBytes(model) ?? 0,
      queueWaiting: (model) => fleet.queueOf(model).waiting,
      isStoreUp: () => storeHealth === "ok",
      isRedisUp: config.storage.redisUrl === undefined ? null : () => counters.health() === "ok",
      isRedisRefusing: () => counters.health() === "refusing",
    });
    const speeds = new SpeedNotes(store, (model) =>
      engines.memoryBytes(model) === null ? null : fleet.status(model).serving,
    );
    closers.push(() => speeds.close());
    const shownWeights = new ShownWeights(store, (model) => fleet.weightsOf(model));
    const { accounts } = config;
    const sessions = new Sessions(store.sessions, clock, {
      idleMs: accounts.sessionIdleDays * dayMs,
      absoluteMs: accounts.sessionDays * dayMs,
    });
    const completions = new Completions({
      engine: fleet,
      limits,
      names,
      queueOf: (model, prepared) => fleet.queueOf(model, prepared),
      clock,
      reread: callerNow(store, sessions),
      refusal: () => gate.refusal(),
      onTokenGap: (model, gapMs, tokens) => {
        metrics.tokenGap(model, gapMs, tokens);
        speeds.add(model, gapMs, tokens);
      },
      onTokens: (model, tokens) => dashboard.rates.addTokens(model, tokens),
    });
    const recentItems = config.service.itemMemory === "on" ? new RecentItems(clock) : null;
    closers.push(async () => recentItems?.close());
    const follower = await ChangeFollower.start({
      changes: store.changes,
      keys,
      cutStreams: (target) => {
        completions.cut(target);
        if (!("accountId" in target)) return;
        fleet.forgetAccount(target.accountId);
        recentItems?.forgetAccount(target.accountId);
      },
      reviewStreams: (target) => completions.review(target),
      onModelsChanged: () => void engines.follow(),
      onStoreHealth: (health) => {
        storeHealth = health;
        if (health === "ok") storeCause = undefined;
        log.warn(health === "ok" ? "database recovered" : "database unavailable", { cause: storeCause });
      },
    });
    closers.push(() => follower.close());
    void engines.catchUp();
    wakeUps.onWakeUp(() => void follower.look());
    store.changes.onAppended(() => {
      wakeUps.wakeOthers();
      // What is changed here takes effect the same way as what is changed elsewhere, without the wait.
      void follower.look();
    });

    const dashboard = createDashboard({
      store,
      sessions,
      clock,
      counter,
      keys,
      passwords: { hash: hashPassword, verify: verifyPassword },
      mailer:
        accounts.smtpUrl === undefined
          ? null
          : smtpMailer({ url: accounts.smtpUrl, from: accounts.mailFrom }),
      signUp: accounts.signUp,
      retentionDays: accounts.usageRetentionDays,
      ownerName: config.service.ownerName,
      publicUrl: () => accounts.publicUrl ?? url(),
      cutStreams: (target) => completions.cut(target),
      reportError: (error) => log.unexpected(error),
      usageSpill: usageSpill(config.service.dataDir),
      live: { load: () => fleet.load(), machine: () => machineNow(config.service.dataDir) },
      onUsageLeft: (left) => {
        const { requests, promptTokens, completionTokens } = left;
        const isSaved = left.outcome === "saved";
        const counts = { count: requests, promptTokens, completionTokens, cause: storeCause };
        log.warn(isSaved ? "usage saved for the next start" : "usage lost", counts);
        overrides.onNotice?.(usageNotice(left, config.service.dataDir));
      },
    });
    closers.push(() => dashboard.close());

    const folder = join(resolve(config.service.dataDir), "models");
    const hosts = allowedHosts(config.downloads);
    const pulls = new PullJobs({
      folder,
      download: {
        endpoint: config.downloads.hfEndpoint,
        token: config.downloads.hfToken,
        allowedHosts: hosts,
      },
      clock,
      reportError: (error) => log.unexpected(error),
    });
    closers.push(() => pulls.close());
    const served = new ServedModels({
      store,
      folder,
      hosts,
      size: config.engine,
      configured: () => engines.configuredModels,
      status: (model) => fleet.status(model),
      memoryBytes: (model) => engines.memoryBytes(model),
      compute: (model) => engines.compute(model),
      follow: () => engines.follow(),
      preflight: async (engine) => {
        const { preflight } = await import("./engines/upstream/checks/preflight.js");
        return preflight(engine, { strict: config.engine.strictPreflight });
      },
      availableBytes: () => process.availableMemory(),
    });
    const models = new ModelAdmin(served, pulls, dashboard.audit, names);

    const traces = await startTracing(config.service);
    if (traces !== null) closers.push(() => traces.close());
    const bodies = new Bodies({ limitBytes: config.service.bodyLimitBytes });
    closers.push(() => bodies.close());
    let draining = false;
    const http: HttpParts = {
      config: config.service,
      keys,
      limits,
      bodies,
      completions,
      ...(recentItems === null ? {} : { recentItems }),
      notReady: () => {
        if (draining) return "shutting_down";
        if (gate.refusal() !== null) return "maintenance";
        if (!engines.isReady()) return "models_not_ready";
        return storeHealth === "ok" || keys.isUsableWithoutStore ? null : "database_unreachable";
      },
      failing: () => {
        const trouble = counters.trouble();
        return {
          ...(storeHealth === "ok" ? {} : { database: storeCause ?? "UNKNOWN" }),
          ...(trouble === null ? {} : { redis: trouble.cause }),
        };
      },
      isDraining: () => draining,
      maintenance: () => gate.announcement(),
      engineStatus: (model) => fleet.status(model),
      modelDescription: (model) => engines.description(model),
      metrics,
      usage: dashboard.usage,
      outcomes: dashboard.outcomes,
      ...(traces === null ? {} : { traces }),
      trustProxy: accounts.trustProxy,
      log,
      clock,
      createdAt: clock.now(),
      ...(overrides.keepAliveMs === undefined ? {} : { keepAliveMs: overrides.keepAliveMs }),
    };
    const limit = connectionLimit({
      wanted: config.service.maxConnections,
      openFiles: overrides.openFiles ?? openFileLimit(),
      reserved: config.storage.databaseUrl === undefined ? 0 : config.storage.databasePoolSize,
      howToRaise,
    });
    const server = createHttpServer({ ...http, connectionLimit: limit });
    registerDashboard(server, {
      http,
      dashboard,
      models,
      version,
      publicUrl: accounts.publicUrl,
      listenHost: config.service.host,
      machineName: hostname(),
      feedId: await store.initSetting("feed_id", randomUUID()),
      queue: (model) => fleet.queueOf(model),
      sharers: () => fleet.sharers(),
      defaultMaxTokens: (model) => fleet.defaultMaxTokens(model),
      limitsHealth: () => (counters.health() === "ok" ? "ok" : "degraded"),
      memoryBytes: (model) => engines.memoryBytes(model),
      compute: (model) => engines.compute(model),
      members: (model) => engines.members(model),
      weights: (model) => shownWeights.of(model),
      suggestion: () => engines.suggestion(),
      isSqlite: config.storage.databaseUrl === undefined,
      webDir: overrides.webDir ?? fileURLToPath(packageFile("dist/web")),
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
      models,
      notice: limit.notice,
      ready: () => fleet.ready(),
      suggestion: () => engines.suggestion(),
      followModels: async (changed) => {
        await engines.follow(changed);
      },
      drain: async (drainMs) => {
        draining = true;
        completions.refuseNew(
          new ServiceError("maintenance", { message: "The server is shutting down.", retryAfterSeconds: 5 }),
        );
        const endsMs = clock.monotonicMs() + drainMs;
        await until(() => completions.active === 0, clock, drainMs);
        await flushUntil({ usage: dashboard.usage, clock, endsMs, onNotice: overrides.onNotice });
      },
      close,
      abandon: () => dashboard.usage.spill(),
    };
  } catch (error) {
    // The operator needs the error of the start, not that of the closing.
    await close().catch((closing: unknown) => log.unexpected(closing));
    throw await explainUnavailable(error, config);
  }
}

/** Loaded only where it is configured: most installations do without, and it is large. */
async function startTracing({ otlpEndpoint, otlpHeaders, otlpServiceName }: Config["service"]) {
  if (otlpEndpoint === undefined) return null;
  const { Tracing } = await import("./adapters/tracing.js");
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

const redisMessages = {
  ok: "redis recovered",
  unreachable: "redis unreachable",
  refusing: "redis refuses commands: run 'sotto doctor'",
} as const;

const portOf = (address: string | AddressInfo | null): number =>
  typeof address === "object" && address !== null ? address.port : 0;
