/**
 * What the core needs from technology. Each interface's promises, failures included, are written on its
 * methods; every implementation passes the contract suite of its interface in `test/contract`.
 */
import type { ChatMessage, ReasoningEffort, ReplyFormat, Sampling, Tooling } from "./chat/request.js";
import type { ReplyEvent, Usage } from "./chat/reply.js";
import type { ModelId } from "./models.js";

// ---------------------------------------------------------------------------------------------- engines

/** What is to be generated. Everything in it is content or derives from it: never log it. */
export interface Generation {
  model: ModelId;
  /** Whose conversation this is. Nothing computed for one account may serve another. */
  accountId: string;
  messages: readonly ChatMessage[];
  sampling: Sampling;
  stop: readonly string[];
  /** Whether the reply names the one that ended it. */
  namesStop?: boolean;
  /** For each choice, as the client asked; absent means the model's default cap. */
  maxTokens: number | undefined;
  /** How many replies to the prompt, each drawn for itself. */
  choices: number;
  /** How many alternatives to name beside each token; undefined: no log probabilities. */
  topLogprobs: number | undefined;
  format: ReplyFormat;
  /** What the reply may call; undefined: nothing. */
  tooling: Tooling | undefined;
  reasoningEffort: ReasoningEffort | undefined;
  /** The client did not choose it. */
  isEffortImplied?: boolean;
}

/** A generation that fits its model: counted, not yet run. */
export interface PreparedGeneration {
  readonly generation: Generation;
  /** Tokens of the prompt with its chat template. */
  readonly promptTokens: number;
  /** The most tokens of one choice: what was asked, the model's default, or what the context leaves. */
  readonly maxTokens: number;
  /** The engine's own form of the prompt; opaque to everyone else. */
  readonly prompt: unknown;
}

export type { Usage };

/** A reply as an engine writes it. */
export type GenerationEvent = ReplyEvent;

export interface EngineFeatures {
  jsonSchema: boolean;
  logprobs: boolean;
  tools: boolean;
  /** Whether the model thinks before it replies, and its thoughts can be told from the reply. */
  reasoning: boolean;
}

export interface EngineStatus {
  /**
   * `starting` until the model first answers; `down` while it cannot answer and is being restarted. `asleep` while it
   * is not loaded and the next request loads it; `waking` while it is being loaded for a request.
   */
  state: "starting" | "ready" | "asleep" | "waking" | "down";
  /** What answers, in words an operator knows: a file name or an address. */
  serving: string;
  contextTokens: number;
  /** Most tokens of a reply to a request without `max_tokens`, where the context leaves as many. */
  defaultMaxTokens: number;
  /** What it can follow besides plain text. */
  follows: EngineFeatures;
  /** How many generations can run at once. */
  capacity: number;
  /** It runs more than that, by setting those of an account that has many aside for an account that has few. */
  setsAside?: boolean;
  /** How many run now. */
  active: number;
  restarts: number;
  /** Why it cannot answer, or why its process last ended; absent while there is nothing to say. */
  problem?: EngineProblem | undefined;
}

/** What is wrong with an engine, for its operator. Nothing in it comes from a conversation. */
export interface EngineProblem {
  /** A code in capitals, for logs: an errno, the HTTP status of a server, or one of ours. */
  cause: string;
  /** What happened and what to do about it. */
  text: string;
}

/** It answers: at once, or as soon as it has loaded. */
export const isAvailable = ({ state }: Pick<EngineStatus, "state">): boolean =>
  state === "ready" || state === "asleep" || state === "waking";

export interface Engine {
  /**
   * Renders and counts the prompt.
   * Throws `context_length_exceeded` when it leaves no room for a single token, `unsupported_parameter` or
   * `invalid_value` for a format or bias that this engine cannot follow, `engine_unavailable` when it cannot
   * answer. An engine that is asleep is woken and waited for; `overloaded` when there is no memory for it.
   */
  prepare(generation: Generation, signal: AbortSignal): Promise<PreparedGeneration>;

  /**
   * Runs it. Yields batches, never empty, of events that became known together: every layer between an engine and a
   * client is paid for once for each of them. There are text fragments, each valid UTF-8 and free of stop sequences, one
   * `finished` for each choice after its last text, then exactly one `done`.
   * Throws `engine_unavailable` when the engine fails, at any point: an iteration that ends without `done`
   * never happens. Throws `ReaderTooSlow` when the consumer left more unread than can be kept. When `signal` aborts or the consumer returns, the sequence is freed within one step, and
   * the iteration throws the signal's reason.
   */
  generate(prepared: PreparedGeneration, signal: AbortSignal): AsyncIterable<readonly GenerationEvent[]>;

  status(model: ModelId): EngineStatus;

  /**
   * Drops what is kept of this account's requests: computed state, compiled schemas, what routes its conversations.
   * Of requests under way, nothing is kept once they end.
   */
  forgetAccount(accountId: string): void;

  /** Ends everything under way with `engine_unavailable` and gives back all memory. */
  close(): Promise<void>;
}

/** Thrown by `generate`: the consumer reads too slowly. The engine is fine, and no other request is affected. */
export class ReaderTooSlow extends Error {
  constructor() {
    super("The reply was not read fast enough.");
    this.name = "ReaderTooSlow";
  }
}

// ------------------------------------------------------------------------------------------------ store

export type Role = "user" | "admin";

export interface Account {
  id: string;
  email: string;
  role: Role;
  planId: string;
  suspendedAt: Date | null;
  createdAt: Date;
}

export const operations = ["chat", "models"] as const;
export type Operation = (typeof operations)[number];

/** Limits by the calendar's day and month; null: none. Tokens of prompts and replies together. */
export interface Quotas {
  requestsPerDay: number | null;
  tokensPerDay: number | null;
  requestsPerMonth: number | null;
  tokensPerMonth: number | null;
}

export const noQuotas: Quotas = {
  requestsPerDay: null,
  tokensPerDay: null,
  requestsPerMonth: null,
  tokensPerMonth: null,
};

/** Limits of one key, below those of its account's plan; null where the plan's alone counts. */
export interface KeyLimits extends Quotas {
  requestsPerMinute: number | null;
  tokensPerMinute: number | null;
  concurrentRequests: number | null;
}

export const noKeyLimits: KeyLimits = {
  requestsPerMinute: null,
  tokensPerMinute: null,
  concurrentRequests: null,
  ...noQuotas,
};

export interface ApiKey {
  id: string;
  accountId: string;
  name: string;
  /** The last four characters, so that people recognise a key they hold. */
  lastFour: string;
  /** null: every model. */
  models: readonly ModelId[] | null;
  /** null: every operation. */
  operations: readonly Operation[] | null;
  limits: KeyLimits;
  createdAt: Date;
  expiresAt: Date | null;
  /** From when on it is refused, for good. */
  revokedAt: Date | null;
  /** While set it is refused; its owner can enable it again. */
  disabledAt: Date | null;
  /** The beginning of the day, in UTC: nothing finer is kept. */
  lastUsedAt: Date | null;
  /** Of the last request that named one, that day or earlier. */
  lastUsedModel: ModelId | null;
  /** Words of its owner's, to find it by. */
  tags: readonly string[];
  /** The id of the key that it took the place of. */
  replaces: string | null;
  /** The id of the first key that rotations replaced, or its own: all of them share the counts of their own limits. */
  lineage: string;
}

/** What its owner can change about a key that exists. */
export type KeyChange = Pick<ApiKey, "name" | "models" | "limits" | "tags">;

/** That a key was used, at a time and, where it is known, with a model. */
export interface KeyUse {
  at: Date;
  model: ModelId | null;
}

/** Limits of a plan. All are for one account, whatever the number of its keys. */
export interface Plan extends Quotas {
  id: string;
  name: string;
  requestsPerMinute: number;
  tokensPerMinute: number;
  concurrentRequests: number;
  maxKeys: number;
  /** The largest `max_tokens`; null: what the context leaves. */
  maxTokens: number | null;
  /** null: every model. */
  models: readonly ModelId[] | null;
}

/** A key with what is needed to admit its requests, read in one query. */
export interface KeyRecord {
  key: ApiKey;
  account: Account;
  plan: Plan;
  /** What stands in for the key in the playground; its `key` is then no row of the store. */
  session?: { hash: Uint8Array };
}

export interface NewAccount {
  email: string;
  /** An argon2id string, or null for an account that can only be used from the command line. */
  passwordHash: string | null;
  role: Role;
  planId: string;
}

export interface NewKey {
  accountId: string;
  name: string;
  hash: Uint8Array;
  lastFour: string;
  models: readonly ModelId[] | null;
  operations: readonly Operation[] | null;
  limits: KeyLimits;
  expiresAt: Date | null;
  tags?: readonly string[];
}

/**
 * The rows. Every method rejects with `StoreUnavailable` when the database cannot be reached or cannot be
 * written to; none returns a guess. Changes that running servers must learn of (see `changes.ts`) are
 * appended in the same transaction.
 * Emails compare without regard to case. Times are whole milliseconds.
 */
export interface Store {
  /** Rejects with `DuplicateEmail` when the address is taken, also when two create it at once. */
  createAccount(account: NewAccount): Promise<Account>;
  findAccountByEmail(email: string): Promise<Account | null>;
  listAccounts(): Promise<Account[]>;
  /** A time also ends its sessions and its reset links, in the same transaction. */
  setAccountSuspended(id: string, suspendedAt: Date | null): Promise<void>;
  setAccountPlan(id: string, planId: string): Promise<void>;
  /** Removes the account with everything that belongs to it; see `AccountStore.remove`. */
  deleteAccount(id: string): Promise<void>;

  listPlans(): Promise<Plan[]>;
  findPlan(id: string): Promise<Plan | null>;
  /** Creates the plan or replaces it. */
  putPlan(plan: Plan): Promise<void>;

  createKey(key: NewKey): Promise<ApiKey>;
  /** Finds live, expired and revoked keys alike: judging them is the caller's. */
  findKeyByHash(hash: Uint8Array): Promise<KeyRecord | null>;
  findKeyRecord(id: string): Promise<KeyRecord | null>;
  findKey(id: string): Promise<ApiKey | null>;
  listKeys(accountId: string): Promise<ApiKey[]>;
  /** The newest first; from the one after `after` on, which need not exist any more. */
  pageOfKeys(
    accountId: string,
    after: Pick<ApiKey, "id" | "createdAt"> | null,
    limit: number,
  ): Promise<ApiKey[]>;
  /** From `at` on the key is refused. Never moves an earlier revocation to a later time. */
  revokeKey(id: string, at: Date): Promise<void>;
  /**
   * Creates `replacement`, which notes what it replaces, and lets the key end at `endsAt`, both or neither. Null, and nothing is done, when
   * the key is gone or has a time of revocation already: of many callers at once one succeeds.
   */
  rotateKey(id: string, endsAt: Date, replacement: NewKey): Promise<{ key: ApiKey; replaced: ApiKey } | null>;
  /** Null when there is no such key. */
  updateKey(id: string, change: KeyChange): Promise<ApiKey | null>;
  /**
   * Writes the days of last use in one transaction, with the model; unknown ids are ignored. A day only moves forward.
   * A use without a model leaves the model that is there.
   */
  touchKeys(lastUsed: ReadonlyMap<string, KeyUse>): Promise<void>;

  getSetting(name: string): Promise<string | null>;
  /** Sets it only if absent, and returns what is stored: exactly one of many callers wins. */
  initSetting(name: string, value: string): Promise<string>;
  setSetting(name: string, value: string): Promise<void>;

  /** A cheap query that tells whether the store answers. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Thrown by `createAccount`. */
export class DuplicateEmail extends Error {
  constructor() {
    super("An account with this email address exists already.");
    this.name = "DuplicateEmail";
  }
}

/** The database is unreachable, too slow, or out of disk space. Trying again later may work. */
export class StoreUnavailable extends Error {
  constructor(cause: unknown) {
    super("The database cannot be reached or cannot be written to right now.", { cause });
    this.name = "StoreUnavailable";
  }
}

// --------------------------------------------------------------------------------------------- counters

export interface CounterReading {
  /** False when the amount did not fit; nothing was counted then. */
  admitted: boolean;
  /** What the window has counted. */
  count: number;
  /** What can still be taken here and now; less than the limit leaves where several share it unseen. */
  remaining: number;
  /** Until the window ends and the whole limit is free again. */
  resetMs: number;
  /** Names the window that was counted in, for a later `adjust`. */
  window: string;
}

/**
 * Counts against limits in windows of fixed length that open at the first count. Atomic: a parallel burst
 * never admits more than the limit.
 */
export interface Counter {
  take(name: string, amount: number, limit: number, windowMs: number): Promise<CounterReading>;
  /** Adds `amount`, which may be negative, to what `window` has counted; does nothing once it is over. */
  adjust(name: string, window: string, amount: number): Promise<void>;
  /** Reads without counting. */
  read(name: string, limit: number, windowMs: number): Promise<CounterReading>;
}

/** How many permissions to run are held. They are taken by admissions; one that is never released ends by itself. */
export interface Leases {
  held(name: string): Promise<number>;
}

/** A permission to run, one of a bounded number. */
export interface Lease {
  /** Safe to call more than once; never rejects. */
  release(): void;
}

// ------------------------------------------------------------------------------------------------- time

/** Passed in so that tests need not wait. */
export interface Clock {
  /** Wall time, for what people read and for expiry. */
  now(): Date;
  /** Milliseconds that only ever go forward, for durations and windows. */
  monotonicMs(): number;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
};
