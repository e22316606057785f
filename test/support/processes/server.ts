/** The real HTTP server, limits, queue and completions on a fake engine, with keys that need no database. */
import { pathToFileURL } from "node:url";
import type { Server } from "node:http";
import { Completions } from "../../../src/core/serving/completion.js";
import { FairQueue } from "../../../src/core/serving/fair-queue.js";
import type { Substitutes } from "../../../src/core/serving/substitutes.js";
import { forEachModel } from "../../../src/core/models.js";
import type { Limits } from "../../../src/core/limits/limits.js";
import {
  noKeyLimits,
  noQuotas,
  type ApiKey,
  type KeyLimits,
  type KeyMember,
  type KeyRecord,
  type Plan,
} from "../../../src/core/entities.js";
import { systemClock, type Clock } from "../../../src/core/clock.js";
import { HpkeKeys } from "../../../src/core/proof/hpke-keys.js";
import {
  SealedSettings,
  settingsInMemory,
  type SettingStore,
} from "../../../src/core/proof/sealed-settings.js";
import { openSigner } from "../../../src/core/proof/signer.js";
import { SingleUse, type SharedUses } from "../../../src/core/proof/single-use.js";
import { Encryption } from "../../../src/http/encrypted/encryption.js";
import type { Receipts } from "../../../src/http/proof/receipt.js";
import { Bodies, type BodiesOptions } from "../../../src/http/bodies/bodies.js";
import { createHttpServer, type HttpParts } from "../../../src/http/server.js";
import { createLog } from "../../../src/log.js";
import { Metrics } from "../../../src/metrics.js";
import { ServiceError } from "../../../src/core/errors.js";
import { defaultAliases, type ModelAlias, ModelNames } from "../../../src/core/model-aliases.js";
import { FakeEngine, type FakeEngineOptions } from "../engines/fake-engine.js";
import { RecentItems } from "../../../src/core/serving/recent-items.js";
import { SealedSummaries } from "../../../src/core/serving/sealed-summaries.js";
import { memoryLimits } from "../stores/memory-limits.js";

export interface TestServerOptions {
  /** As by default unless given. */
  aliases?: readonly ModelAlias[];
  listAliases?: boolean;
  substitutes?: Substitutes;
  engine?: FakeEngineOptions;
  queueLength?: number;
  queueWaitMs?: number;
  bodyLimitBytes?: number;
  /** With images; no more than without them by default. */
  imageBodyLimitBytes?: number;
  images?: NonNullable<HttpParts["images"]>;
  bodyWaitMs?: number;
  bodyPace?: BodiesOptions["pace"];
  /** Where the thread for large bodies begins; without it they are parsed here. */
  parseWorkerFile?: string;
  metricsToken?: string;
  isReady?: () => boolean;
  clock?: Clock;
  keepAliveMs?: number;
  timeouts?: HttpParts["timeouts"];
  connectionLimit?: HttpParts["connectionLimit"];
  trustProxy?: string;
  tls?: NonNullable<HttpParts["tls"]>;
  traces?: NonNullable<HttpParts["traces"]>;
  usage?: NonNullable<HttpParts["usage"]>;
  /** Without them, those of one process. */
  limits?: Limits;
  /** Whether items of replies may be referred to; they may by default. */
  itemMemory?: boolean;
  /** Without it, bodies cannot be encrypted, and nothing is signed. */
  proof?: TestProof | undefined;
}

interface TestProof {
  /** Shared by the servers that are to have the same keys. */
  settings?: SettingStore;
  shared?: SharedUses;
  isRequired?: boolean;
  periodMs?: number;
  facts?: Receipts["facts"];
}

export interface KeyOptions {
  models?: ApiKey["models"];
  operations?: ApiKey["operations"];
  plan?: Partial<Plan>;
  accountId?: string;
  limits?: Partial<KeyLimits>;
  name?: string;
  /** Of a team, which the account then is. */
  member?: KeyMember;
  expiresAt?: Date;
  revokedAt?: Date;
  allowFrom?: readonly string[];
  scopes?: ApiKey["scopes"];
}

export interface TestServer {
  /** Without `/v1`. */
  url: string;
  port: number;
  baseURL: string;
  /** A key that may do everything. */
  apiKey: string;
  engine: FakeEngine;
  completions: Completions;
  metrics: Metrics;
  parts: HttpParts;
  /** Node's own server, to look at its sockets. */
  node: Server;
  /** Parsed lines of the log, at its most verbose. */
  logLines: Record<string, unknown>[];
  addKey(key: string, options?: KeyOptions): string;
  /** What `verify` throws from now on, whatever the key. */
  failVerification(error: Error): void;
  /** Closes the HTTP server alone, with whatever runs. */
  closeHttp(): Promise<void>;
  close(): Promise<void>;
}

const plan: Plan = {
  id: "free",
  name: "Free",
  requestsPerMinute: 100_000,
  tokensPerMinute: 10_000_000,
  concurrentRequests: 64,
  maxKeys: 10,
  maxTokens: null,
  models: null,
  requiresEncryption: false,
  weight: 1,
  ...noQuotas,
};

export async function startServer(options: TestServerOptions = {}): Promise<TestServer> {
  const clock = options.clock ?? systemClock;
  const engine = new FakeEngine(options.engine);
  const limits = options.limits ?? memoryLimits(clock);
  const names = new ModelNames(options.aliases ?? defaultAliases);
  const queue = () =>
    new FairQueue({
      capacity: () => engine.options.capacity,
      maxLength: options.queueLength ?? 100,
      maxWaitMs: options.queueWaitMs ?? 20_000,
      clock,
    });
  const queues = forEachModel(queue);
  const completions = new Completions({
    engine,
    limits,
    names,
    substitutes: options.substitutes ?? {},
    queueOf: (model) => queues[model],
    clock,
  });
  const metrics = new Metrics({
    sequencesActive: () => engine.active,
    sequencesCapacity: () => engine.options.capacity,
    engineRestarts: () => 0,
    engineMemoryBytes: () => 0,
    queueWaiting: (model) => queues[model].waiting,
    isStoreUp: () => true,
    isRedisUp: null,
  });
  const logLines: Record<string, unknown>[] = [];
  const keys = new FakeKeys();
  const recentItems = new RecentItems(clock);

  const proof = options.proof === undefined ? null : await openTestProof(options.proof, clock);
  const bodies = new Bodies({
    limitBytes: options.bodyLimitBytes ?? 100_000,
    imageLimitBytes: options.imageBodyLimitBytes,
    decoding: proof?.encryption,
    ...(options.parseWorkerFile === undefined ? {} : { workerFile: pathToFileURL(options.parseWorkerFile) }),
    ...(options.bodyWaitMs === undefined ? {} : { maxWaitMs: options.bodyWaitMs }),
    ...(options.bodyPace === undefined ? {} : { pace: options.bodyPace }),
  });
  const parts: HttpParts = {
    config: {
      bodyLimitBytes: options.bodyLimitBytes ?? 100_000,
      metricsToken: options.metricsToken,
      listAliases: options.listAliases ?? false,
    },
    ownerName: () => "acme",
    keys,
    limits,
    bodies,
    ...(options.images === undefined ? {} : { images: options.images }),
    hpkeKeys: proof?.keys,
    receipts: proof?.receipts,
    completions,
    ...(options.itemMemory === false ? {} : { recentItems }),
    summaries: new SealedSummaries(serviceKey),
    notReady: () => (options.isReady?.() === false ? "models_not_ready" : null),
    engineStatus: (model) => engine.status(model),
    metrics,
    log: createLog("trace", { write: (line) => void logLines.push(parseLine(line)) }),
    clock,
    createdAt: new Date("2026-01-01T00:00:00Z"),
    ...(options.keepAliveMs === undefined ? {} : { keepAliveMs: options.keepAliveMs }),
    ...(options.traces === undefined ? {} : { traces: options.traces }),
    ...(options.usage === undefined ? {} : { usage: options.usage }),
    ...(options.timeouts === undefined ? {} : { timeouts: options.timeouts }),
    ...(options.connectionLimit === undefined ? {} : { connectionLimit: options.connectionLimit }),
    ...(options.trustProxy === undefined ? {} : { trustProxy: options.trustProxy }),
    ...(options.tls === undefined ? {} : { tls: options.tls }),
  };
  const server = createHttpServer(parts);
  const url = await server.listen({ host: "127.0.0.1", port: 0 });
  return {
    url,
    port: Number(new URL(url).port),
    baseURL: `${url}/v1`,
    apiKey: keys.add("sk-test-all"),
    engine,
    completions,
    metrics,
    parts,
    node: server.server,
    logLines,
    addKey: (key, keyOptions) => keys.add(key, keyOptions),
    failVerification: (error) => {
      keys.failure = error;
    },
    closeHttp: () => server.close(),
    close: async () => {
      await engine.close();
      await server.close();
      await bodies.close();
      await proof?.keys.close();
      recentItems.close();
    },
  };
}

const serviceKey = Buffer.alloc(32, 7);

async function openTestProof(options: TestProof, clock: Clock) {
  const { settings = settingsInMemory(), shared = null, isRequired = false, periodMs = 86_400_000 } = options;
  const sealed = new SealedSettings(settings, serviceKey);
  const onError = (error: unknown): never => {
    throw error;
  };
  const keys = await HpkeKeys.open(sealed, { clock, periodMs, onError });
  const singleUse = new SingleUse({ keys, now: () => clock.now(), shared, onError });
  const signer = await openSigner(sealed);
  const receipts: Receipts = {
    signer: () => signer,
    facts: options.facts ?? (() => ({ weights: null, statement: null })),
  };
  return { keys, receipts, encryption: new Encryption({ opened: { keys, singleUse }, isRequired }) };
}

class FakeKeys {
  readonly #records = new Map<string, KeyRecord>();
  failure: Error | null = null;

  add(key: string, options: KeyOptions = {}): string {
    const id = `key_${this.#records.size}`;
    const accountId = options.accountId ?? `acc_${this.#records.size}`;
    const createdAt = new Date(0);
    this.#records.set(key, {
      ...(options.member === undefined ? {} : { member: options.member }),
      key: {
        id,
        accountId,
        name: options.name ?? "test",
        lastFour: key.slice(-4),
        models: options.models ?? null,
        operations: options.operations ?? null,
        createdAt,
        expiresAt: options.expiresAt ?? null,
        revokedAt: options.revokedAt ?? null,
        disabledAt: null,
        limits: { ...noKeyLimits, ...options.limits },
        lastUsedAt: null,
        lastUsedModel: null,
        tags: [],
        replaces: null,
        lineage: id,
        allowFrom: options.allowFrom ?? null,
        memberId: null,
        scopes: options.scopes ?? [],
      },
      account: {
        id: accountId,
        kind: options.member === undefined ? "person" : "team",
        email: "test@example.com",
        role: "user",
        planId: plan.id,
        suspendedAt: null,
        emailVerifiedAt: null,
        createdAt,
      },
      plan: { ...plan, ...options.plan },
    });
    return key;
  }

  async verify(key: string): Promise<KeyRecord> {
    if (this.failure !== null) throw this.failure;
    const record = this.#records.get(key);
    if (record === undefined) throw new ServiceError("invalid_api_key");
    return record;
  }
}

function parseLine(line: string): Record<string, unknown> {
  const parsed: unknown = JSON.parse(line);
  if (typeof parsed !== "object" || parsed === null) throw new Error("A log line is an object.");
  return { ...parsed };
}
