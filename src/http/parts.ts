/** What the HTTP layer depends on. The composition root passes it in; tests pass smaller parts. */
import type { Download } from "../adapters/download.js";
import type { TlsFiles } from "../adapters/tls-files.js";
import type { Tracing } from "../adapters/tracing.js";
import type { ServiceConfig } from "../config.js";
import type { OutcomeRecorder } from "../core/admin/outcome-recorder.js";
import type { Clock } from "../core/clock.js";
import type { KeyRecord } from "../core/entities.js";
import type { ConnectionTests } from "../core/keys/connection-tests.js";
import type { Limits } from "../core/limits/limits.js";
import type { ModelId } from "../core/models.js";
import type { Statements } from "../core/proof/statements.js";
import type { Completions } from "../core/serving/completion.js";
import type { Fairness } from "../core/serving/party.js";
import type { EngineStatus } from "../core/serving/engine-port.js";
import type { RecentItems } from "../core/serving/recent-items.js";
import type { SealedSummaries } from "../core/serving/sealed-summaries.js";
import type { UsageRecorder } from "../core/usage/usage-recorder.js";
import type { Bodies } from "./bodies/bodies.js";
import type { HpkeKeys } from "../core/proof/hpke-keys.js";
import type { ConnectionLimit } from "./connection/connection-limit.js";
import type { Receipts } from "./proof/receipt.js";
import type { Log } from "../log.js";
import type { Metrics } from "../metrics.js";

/** Why completions cannot be served, as `/readyz` says it. */
export type NotReady = "shutting_down" | "maintenance" | "models_not_ready" | "database_unreachable";

interface ImageOptions {
  /** What a model that reads text only does with them. `auto`: as the API has it (`Dialect.images`). */
  onTextModel: (model: ModelId) => "auto" | "refuse" | "omit";
  /** Absent: addresses are refused. */
  download?: Download;
}

export interface HttpParts {
  config: Pick<ServiceConfig, "bodyLimitBytes" | "metricsToken"> &
    Partial<Pick<ServiceConfig, "listAliases">>;
  keys: {
    /** Throws `invalid_api_key` for any key that does not work now. */
    verify(key: string): Promise<KeyRecord>;
    /** Notes which model the key was last used with. */
    noteModel?(keyId: string, model: ModelId): void;
  };
  /** The operator's, as `owned_by` in the list of models. */
  ownerName: () => string;
  limits: Limits;
  bodies: Bodies;
  /** Absent: images are treated as each API has it, and none is fetched. */
  images?: ImageOptions;
  /** What bodies are encrypted to; absent where the service's secrets cannot be opened. */
  hpkeKeys?: Pick<HpkeKeys, "current" | "currentForMs" | "ready"> | undefined;
  /** What receipts are made with. */
  receipts?: Receipts | undefined;
  completions: Completions;
  /** Whether members of a team are scheduled and cached separately, which is the default, or as one. */
  fairness?: Fairness;
  /** Where the operator allows it: items that a later request may refer to. */
  recentItems?: RecentItems;
  /** For conversations that a client replaces by a summary. */
  summaries: Pick<SealedSummaries, "seal" | "open">;
  /** Null while completions can be served. */
  notReady: () => NotReady | null;
  /** The database or Redis, while one of them fails, each with the code of its cause. */
  failing?: () => Partial<Record<"database" | "redis", string>>;
  /** The server is about to end: clients should open their next connection elsewhere. */
  isDraining?: () => boolean;
  /** The maintenance that is open or comes next, for a header; null when none is scheduled. */
  maintenance?: () => string | null;
  engineStatus: (model: ModelId) => EngineStatus;
  /** The operator's line about the model; null without one. */
  modelDescription?: (model: ModelId) => string | null;
  /** What is signed and logged about the service; none where it cannot sign. */
  statements?: () => Statements | "starting" | "none";
  /** For the operator's own commands, which read it from the database: shows the metrics. */
  operatorToken?: string;
  metrics: Metrics;
  /** Gets every finished request, where the operator configured traces. */
  traces?: Pick<Tracing, "record">;
  /** Gets every completion request that named a model or was refused, for its account's usage. */
  usage?: Pick<UsageRecorder, "record">;
  /** Gets every completion request, whoever sent it, for what the whole service did. */
  outcomes?: Pick<OutcomeRecorder, "record">;
  /** Gets every request to the API while someone waits for one. */
  connectionTests?: Pick<ConnectionTests, "isAwaited" | "note">;
  /** Called when a request that may have had a body has ended. */
  onWork?: () => void;
  /** Addresses of trusted proxies, separated by commas: their `X-Forwarded-*` headers are believed. */
  trustProxy?: string | undefined;
  /** Where the server itself speaks TLS: the first pair, and those that replace it. */
  tls?: Pick<TlsFiles, "first" | "onChange">;
  log: Log;
  clock: Clock;
  /** Shown as `created` of every model. */
  createdAt: Date;
  /** Longest silence on an open stream. */
  keepAliveMs?: number;
  timeouts?: Partial<Timeouts>;
  connectionLimit?: Pick<ConnectionLimit, "connections" | "refusals">;
}

export interface Timeouts {
  /** For all headers of a request to arrive. */
  headersMs: number;
  /** For a whole request to arrive, body included. Does not limit the response. */
  requestMs: number;
  /** Idle time of a kept connection. Longer than clients keep theirs, so that they close first. */
  idleMs: number;
  /** For a client to read what is buffered for it, before it is disconnected. */
  stallMs: number;
  /** For a client to read its answer before a connection is closed on what it still sends. */
  lingerMs: number;
}

export const defaultKeepAliveMs = 15_000;

export const defaultTimeouts: Timeouts = {
  headersMs: 10_000,
  requestMs: 60_000,
  idleMs: 130_000,
  stallMs: 60_000,
  lingerMs: 2_000,
};
