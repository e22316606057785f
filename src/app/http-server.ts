/** The HTTP side: the API and the dashboard on one server, and what both get. */
import type { Download } from "../adapters/download.js";
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { fileURLToPath } from "node:url";
import type { FastifyInstance } from "fastify";
import { collectGarbage, IdleCollection } from "../adapters/idle-collection.js";
import { overwriteFreedBuffers } from "../adapters/freed-buffers.js";
import { clearParserBuffer } from "../adapters/parser-buffer.js";
import type { TlsFiles } from "../adapters/tls-files.js";
import { packageFile, packageVersion } from "../adapters/program-files.js";
import type { Config } from "../config.js";
import type { ModelAdmin } from "../core/admin/model-admin.js";
import { operatorTokenSetting } from "../core/admin/operator-token.js";
import { HpkeKeys } from "../core/proof/hpke-keys.js";
import { SingleUse } from "../core/proof/single-use.js";
import { newToken } from "../core/sign-in/secret-token.js";
import { StoreUnavailable } from "../core/store.js";
import { Bodies } from "../http/bodies/bodies.js";
import { connectionLimit } from "../http/connection/connection-limit.js";
import { registerDashboard, type DashboardParts } from "../http/dashboard/dashboard-api.js";
import { ownLiveView } from "../http/dashboard/live-view.js";
import { Encryption } from "../http/encrypted/encryption.js";
import { registerOperatorApi } from "../http/operator/operator-api.js";
import { registerScim } from "../http/scim/scim-api.js";
import type { NotReady } from "../http/parts.js";
import { createHttpServer, createMetricsServer, type HttpParts } from "../http/server.js";
import { shownWeights } from "../models/shown-weights.js";
import { howToRaise, openFileLimit } from "../adapters/open-files.js";
import type { Engines } from "./engines.js";
import { isChatModelId } from "../core/models.js";
import type { Context } from "./overrides.js";
import type { Proof } from "./proof.js";
import type { Serving } from "./serving.js";
import type { Storage } from "./storage.js";
import { shareOf } from "./process-count.js";

const hourMs = 60 * 60_000;

interface HttpStages {
  storage: Storage;
  engines: Engines;
  serving: Serving;
  models: ModelAdmin;
  proof: Proof;
  isDraining: () => boolean;
}

/** `notice`: what the operator should know about how many connections it takes. */
export async function listen(context: Context, stages: HttpStages) {
  const { config, overrides, log, closers } = context;
  const http = await httpParts(context, stages);
  const { maxConnections } = config.service;
  const limit = connectionLimit({
    wanted: maxConnections === undefined ? undefined : shareOf(maxConnections, overrides.ownProcess),
    openFiles: overrides.openFiles ?? openFileLimit(),
    reserved: config.storage.databaseUrl === undefined ? 0 : config.storage.databasePoolSize,
    howToRaise,
  });
  const tls = await openTls(context);
  const server = createHttpServer({ ...http, ...(tls === null ? {} : { tls }), connectionLimit: limit });
  await addDashboard(server, http, context, stages);
  closers.add({ close: () => server.close() });
  await server.listen({ host: config.service.host, port: config.service.port });
  if (config.service.metricsPort !== undefined) {
    const metricsServer = createMetricsServer(stages.serving.metrics);
    closers.add({ close: () => metricsServer.close() });
    await metricsServer.listen({ host: "127.0.0.1", port: config.service.metricsPort });
  }
  const address = server.server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  log.info("listening", { port, pid: process.pid });
  return { port, notice: limit.notice };
}

/** Loaded only where it is configured: most servers have a proxy in front. */
async function openTls({ config, overrides, log, closers }: Context): Promise<TlsFiles | null> {
  const { tlsCert: cert, tlsKey: key } = config.service;
  if (cert === undefined || key === undefined) return null;
  const files = await import("../adapters/tls-files.js");
  return closers.add(
    await files.TlsFiles.open({
      paths: { cert, key },
      onReloaded: () => log.info("certificate reloaded"),
      onBroken: (error) => {
        log.warn("certificate not reloaded: run 'sotto doctor'");
        overrides.onNotice?.(`${error.message} The certificate before stays in use.`);
      },
    }),
  );
}

/** Few services fetch anything: it is loaded for those only. */
async function publicDownload(closers: Context["closers"]): Promise<Download> {
  const { PublicDownloads } = await import("../adapters/public-download.js");
  return closers.add(new PublicDownloads()).download;
}

/** The keys that bodies are encrypted to, undefined where the service's secrets cannot be opened; and what opens bodies. */
async function openEncryption({ config, clock, log, closers }: Context, { counters }: Storage, proof: Proof) {
  const { encryptionKeyHours, requireEncryption } = config.service;
  const isRequired = requireEncryption === "all";
  const { sealed } = proof;
  if (sealed === null)
    return { encryption: new Encryption({ opened: null, isRequired }), hpkeKeys: undefined };
  const onError = (error: unknown) => {
    // Its outage is logged elsewhere, and the keys are looked for again within a minute.
    if (!(error instanceof StoreUnavailable)) log.unexpected(error);
  };
  const periodMs = encryptionKeyHours * hourMs;
  const keys = closers.add(await HpkeKeys.open(sealed, { clock, periodMs, onError }));
  const singleUse = new SingleUse({ keys, now: () => clock.now(), shared: counters.uses, onError });
  keys.onChange(() => proof.look());
  proof.hpkeKey = () => keys.current().publicKey.toString("hex");
  return { encryption: new Encryption({ opened: { keys, singleUse }, isRequired }), hpkeKeys: keys };
}

async function httpParts(
  context: Context,
  { storage, engines, serving, proof, isDraining }: HttpStages,
): Promise<HttpParts> {
  const { config, overrides, log, clock, closers } = context;
  const { encryption, hpkeKeys } = await openEncryption(context, storage, proof);
  const { dashboard, recentItems } = serving;
  const traces = await startTracing(config.service);
  if (traces !== null) closers.add(traces);
  const collection = new IdleCollection({
    isIdle: () => serving.completions.active === 0,
    collect: () => {
      collectGarbage();
      overwriteFreedBuffers();
      collectGarbage();
      void clearParserBuffer();
    },
  });
  closers.add(collection);
  return {
    config: config.service,
    keys: storage.keys,
    ownerName: () => dashboard.operator.name,
    limits: serving.limits,
    bodies: closers.add(
      new Bodies({
        limitBytes: config.service.bodyLimitBytes,
        imageLimitBytes: config.service.imageBodyLimitBytes,
        decoding: encryption,
        fairness: config.service.fairness,
      }),
    ),
    images: {
      onTextModel: (model) =>
        (isChatModelId(model) ? config.models[model].images : undefined) ?? config.service.images,
      ...(config.service.imageFetch === "on" ? { download: await publicDownload(closers) } : {}),
    },
    hpkeKeys,
    receipts: proof,
    completions: serving.completions,
    fairness: config.service.fairness,
    ...(recentItems === null ? {} : { recentItems }),
    summaries: proof.summaries,
    notReady: () => (isDraining() ? "shutting_down" : notReady(storage, engines, serving)),
    failing: () => failing(storage),
    isDraining,
    maintenance: () => serving.gate.announcement(),
    engineStatus: (model) => engines.fleet.status(model),
    modelDescription: (model) => engines.description(model),
    statements: () => proof.statements() ?? (proof.sealed === null ? "none" : "starting"),
    metrics: serving.metrics,
    operatorToken: await storage.store.initSetting(operatorTokenSetting, newToken()),
    usage: dashboard.usage,
    outcomes: dashboard.outcomes,
    connectionTests: dashboard.connectionTests,
    ...(traces === null ? {} : { traces }),
    ...(overrides.collectsWhenIdle === true ? { onWork: () => collection.noteWork() } : {}),
    trustProxy: config.accounts.trustProxy,
    log,
    clock,
    createdAt: clock.now(),
    ...(overrides.keepAliveMs === undefined ? {} : { keepAliveMs: overrides.keepAliveMs }),
  };
}

async function addDashboard(
  server: FastifyInstance,
  http: HttpParts,
  { config, overrides }: Context,
  { storage, engines, serving, models }: HttpStages,
): Promise<void> {
  const { fleet } = engines;
  const link = overrides.ownProcess?.link;
  const { typed = (text: string) => text } = overrides;
  const parts: DashboardParts = {
    http,
    dashboard: serving.dashboard,
    memory: serving.memory,
    models,
    version: packageVersion(),
    publicUrl: config.accounts.publicUrl,
    listenHost: config.service.host,
    machineName: hostname(),
    feedId: await storage.store.initSetting("feed_id", randomUUID()),
    queue: (model) => fleet.queueOf(model),
    sharers: () => fleet.sharers(),
    defaultMaxTokens: (model) => fleet.status(model).defaultMaxTokens,
    limitsHealth: () => (storage.counters.failure() === null ? "ok" : "degraded"),
    memoryBytes: (model) => engines.memoryBytes(model),
    compute: (model) => engines.compute(model),
    members: (model) => engines.members(model),
    weights: (model) => shownWeights(storage.store, fleet.weightsOf(model)),
    suggestion: () => engines.suggestion(),
    backupCommand:
      config.storage.databaseUrl === undefined ? typed('sotto backup "sotto-$(date +%F).db"') : null,
    typed,
    webDir: overrides.webDir ?? fileURLToPath(packageFile("dist/web")),
    ...(link === undefined ? {} : { processViews: () => link.call("viewsOfAll") }),
  };
  link?.answer("metrics", () => http.metrics.sample());
  link?.answer("view", () => ownLiveView(parts));
  registerDashboard(server, parts);
  registerOperatorApi(server, parts);
  const { scim, publicUrl } = serving.dashboard;
  registerScim(server, { ...scim, http, publicUrl });
}

function notReady({ database, keys }: Storage, engines: Engines, { gate }: Serving): NotReady | null {
  if (gate.refusal() !== null) return "maintenance";
  if (!engines.isReady()) return "models_not_ready";
  return database.isUp || keys.isUsableWithoutStore ? null : "database_unreachable";
}

function failing({ database, counters }: Storage): Partial<Record<"database" | "redis", string>> {
  const failure = counters.failure();
  return {
    ...(database.isUp ? {} : { database: database.cause ?? "UNKNOWN" }),
    ...(failure === null ? {} : { redis: failure.cause }),
  };
}

/** Loaded only where it is configured: most installations do without, and it is large. */
async function startTracing({ otlpEndpoint, otlpHeaders, otlpServiceName }: Config["service"]) {
  if (otlpEndpoint === undefined) return null;
  const { Tracing } = await import("../adapters/tracing.js");
  const headers = Object.fromEntries(
    (otlpHeaders?.split(",") ?? []).map((pair) => {
      const [name = "", ...value] = pair.split("=");
      return [name.trim(), decodeURIComponent(value.join("="))];
    }),
  );
  return new Tracing({
    endpoint: otlpEndpoint,
    headers,
    serviceName: otlpServiceName,
    version: packageVersion(),
  });
}
