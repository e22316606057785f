/**
 * The connection to Redis (or Valkey), and whether it can be relied on.
 *
 * A command that fails or has no answer after a quarter of a second, or a connection that closes, begins an outage.
 * From then on commands are rejected immediately, so that no request waits for Redis, and a heartbeat retries several
 * times a second, each time with a new client: behind a proxy that accepts connections and resets them, one that
 * reconnects can stay `ready` on a dead socket. The cause of the outage is kept (`failure`), for the log and the
 * operator.
 *
 * When a heartbeat succeeds, Redis may have lost everything, and commands that had no answer may have been executed.
 * So windows of quotas are opened again from the database, at a moment 2 s ahead that all replicas learn from Redis
 * (`reopenAt`): those that lost Redis trust it from that moment on, the others learn of it by their next heartbeat.
 * Until then all of them write usage to the database without delay (`isReopening`).
 *
 * The heartbeat also keeps this replica in the set of replicas, whose size is remembered during an outage.
 */
import { createHmac, randomUUID } from "node:crypto";
import { Redis, type Result } from "ioredis";
import * as z from "zod";
import type { Clock } from "../../core/clock.js";
import { withTimeLimit } from "../../core/time-limit.js";
import { admitScript, settleScript } from "./admission-scripts.js";
import { heartbeatScript } from "./redis-scripts.js";
import { connectionClosed, NoAnswer, failureOf, type RedisFailure } from "./redis-failure.js";

/** Sent as a script once for each connection, and by its hash from then on. */
declare module "ioredis" {
  interface RedisCommander<Context> {
    sottoAdmit(keys: number, ...values: (string | number)[]): Result<unknown, Context>;
    sottoSettle(keys: number, ...values: (string | number)[]): Result<unknown, Context>;
  }
}

const answerTimeoutMs = 250;
const connectTimeoutMs = 1_000;
const beatEveryMs = 1_000;
const retryEveryMs = 250;
/** How long a replica may be silent before the others count without it. */
const silentMs = 10_000;
/** Longer than every replica takes to learn of it: a connection attempt and a heartbeat, or the next heartbeat. */
const reopenAheadMs = 2_000;
/** Longer than any window of a quota. */
const reopenKeptMs = 32 * 24 * 60 * 60_000;

const heartbeatAnswer = z.tuple([z.number(), z.number(), z.number()]);

export interface RedisLinkOptions {
  url: string;
  /** Shared by the replicas of one installation: names in Redis are hashed with it. */
  secret: string;
  /** The number of replicas until Redis knows it. */
  replicas: number;
  clock: Clock;
  /** Called on each change, with the cause of a failure; also at the start when Redis cannot be used then. */
  onHealth?: (health: "ok" | RedisFailure["kind"], cause?: string) => void;
}

/** Thrown without waiting during an outage. */
class RedisUnavailable extends Error {
  constructor(cause?: unknown) {
    super("Redis cannot be used right now.", { cause });
    this.name = "RedisUnavailable";
  }
}

/** For callers with a fallback; any other error is a bug. */
export function throwUnlessUnavailable(error: unknown): void {
  if (!(error instanceof RedisUnavailable)) throw error;
}

export class RedisLink {
  readonly #options: RedisLinkOptions;
  readonly #id = randomUUID();
  readonly #recoveries: (() => Promise<void>)[] = [];
  #redis: Redis;
  /** `settling`: it answers, but is not relied on before `reopenAt`. */
  #state: "ok" | "settling" | "lost" = "lost";
  /** By the clock of Redis; 0 while there was no outage. */
  #reopenAt = 0;
  /** The same by the clock here. */
  #reopenAtMs = -Infinity;
  #failure: RedisFailure | null = null;
  /** The last error of the connection since it was established. */
  #connectionError: unknown = null;
  #replicas: number;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #reported = "ok";

  private constructor(options: RedisLinkOptions) {
    this.#options = options;
    this.#replicas = options.replicas;
    this.#redis = this.#newClient();
  }

  /** Resolves when Redis has answered, or has not in time. */
  static async open(options: RedisLinkOptions): Promise<RedisLink> {
    const link = new RedisLink(options);
    await link.#beat({ isFirst: true });
    return link;
  }

  /** False while limits are counted by each replica alone. */
  get isTrusted(): boolean {
    return this.#state === "ok";
  }

  /** Windows of quotas that were opened before are not known from this moment on, by the clock of Redis. */
  get reopenAt(): number {
    return this.#reopenAt;
  }

  /** That moment is in the future. */
  get isReopening(): boolean {
    return this.reopenedForMs < 0;
  }

  /** How long ago it was; negative while it is in the future. */
  get reopenedForMs(): number {
    return this.#nowMs() - this.#reopenAtMs;
  }

  /** Null while Redis is trusted. */
  get failure(): RedisFailure | null {
    return this.#state === "ok" ? null : (this.#failure ?? connectionClosed);
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  /** The last number that Redis knew. */
  get replicas(): number {
    return this.#replicas;
  }

  /** Hashed, so that Redis never sees a name. */
  name(kind: string, name: string): string {
    const hash = createHmac("sha256", this.#options.secret).update(`${kind}:${name}`).digest("base64url");
    return `sotto:${kind}:${hash.slice(0, 32)}`;
  }

  /** Runs a command. Rejects with `RedisUnavailable` when it fails or takes too long, immediately during an outage. */
  async run<T>(command: (redis: Redis) => Promise<T>): Promise<T> {
    if (this.#state === "lost") throw new RedisUnavailable();
    const redis = this.#redis;
    try {
      return await within(command(redis), answerTimeoutMs);
    } catch (error) {
      if (redis === this.#redis) this.#lose(error);
      throw new RedisUnavailable(error);
    }
  }

  /** Called each time before Redis is trusted again. */
  onRecovery(recover: () => Promise<void>): void {
    this.#recoveries.push(recover);
  }

  /** A separate connection for subscriptions, which reconnects automatically. */
  newListener(): Redis {
    return this.#redis.duplicate({
      lazyConnect: false,
      enableOfflineQueue: true,
      // Otherwise a refused subscription would go unnoticed.
      enableReadyCheck: true,
      maxRetriesPerRequest: null,
      retryStrategy: () => retryEveryMs,
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    if (this.#state !== "lost") {
      await within(this.#redis.zrem(this.name("replicas", ""), this.#id), answerTimeoutMs).catch(
        () => undefined,
      );
    }
    this.#redis.disconnect();
  }

  async #beat({ isFirst }: { isFirst: boolean }): Promise<void> {
    try {
      if (this.#redis.status === "end") this.#redis = this.#newClient();
      if (this.#redis.status === "wait") await within(this.#redis.connect(), connectTimeoutMs);
      // At the start nothing was counted without Redis. It may be lost while the answer is on its way.
      const isRecovering = this.#state === "lost" && !isFirst;
      await this.#sendBeat(isRecovering ? reopenAheadMs : 0);
      if (isFirst) this.#state = "ok";
      else if (isRecovering) this.#state = "settling";
      else if (this.#state === "settling" && !this.isReopening) await this.#trust();
    } catch (error) {
      this.#lose(error);
      this.#redis.disconnect();
      if (!this.#isClosed) this.#redis = this.#newClient();
    } finally {
      this.#scheduleBeat();
    }
  }

  async #sendBeat(reopenInMs: number): Promise<void> {
    const keys = [this.name("replicas", ""), this.name("reopen", "")];
    const values = [this.#id, silentMs, reopenInMs, reopenKeptMs];
    const beat = this.#redis.eval(heartbeatScript, keys.length, ...keys, ...values);
    const [replicas, reopenAt, leftMs] = heartbeatAnswer.parse(await within(beat, answerTimeoutMs));
    this.#reopenAt = reopenAt;
    this.#reopenAtMs = this.#nowMs() + leftMs;
    // A Redis that has just recovered has not heard from all of them yet.
    this.#replicas = this.#state === "ok" ? replicas : Math.max(replicas, this.#replicas);
  }

  async #trust(): Promise<void> {
    for (const recover of this.#recoveries) await recover();
    this.#state = "ok";
    this.#failure = null;
    this.#report("ok");
  }

  #newClient(): Redis {
    const redis = new Redis(this.#options.url, {
      lazyConnect: true,
      connectTimeout: connectTimeoutMs,
      // A count that arrives late is wrong.
      enableOfflineQueue: false,
      // The heartbeat says more: a Redis that is loading its data or requires a password answers it with an error.
      enableReadyCheck: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      retryStrategy: () => null,
      keepAlive: 10_000,
      connectionName: "sotto",
    });
    redis.defineCommand("sottoAdmit", { lua: admitScript });
    redis.defineCommand("sottoSettle", { lua: settleScript });
    redis.on("error", (error) => {
      if (redis === this.#redis) this.#connectionError = error;
    });
    redis.on("connect", () => {
      if (redis === this.#redis) this.#connectionError = null;
    });
    redis.on("close", () => {
      if (redis === this.#redis) this.#lose(null);
    });
    return redis;
  }

  /** An error without a cause, such as a stream that is not writable, leaves the known cause as it was. */
  #lose(error: unknown): void {
    if (this.#isClosed) return;
    this.#failure = failureOf(error) ?? failureOf(this.#connectionError) ?? this.#failure;
    if (this.#state !== "lost") {
      this.#state = "lost";
      this.#scheduleBeat();
    }
    this.#report(this.#failure ?? connectionClosed);
  }

  /** Once for each change. While Redis is unreachable the system's code is left out: it changes too often. */
  #report(now: RedisFailure | "ok"): void {
    const { kind, cause } = now === "ok" ? { kind: now, cause: undefined } : now;
    const reported = kind === "refusing" ? `${kind} ${cause}` : kind;
    if (this.#reported === reported) return;
    this.#reported = reported;
    this.#options.onHealth?.(kind, cause);
  }

  #scheduleBeat(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    const leftMs = this.#state === "settling" ? Math.max(0, this.#reopenAtMs - this.#nowMs()) : Infinity;
    const delayMs = this.#state === "ok" ? beatEveryMs : Math.min(retryEveryMs, leftMs);
    this.#timer = setTimeout(() => void this.#beat({ isFirst: false }), delayMs).unref();
  }

  #nowMs(): number {
    return this.#options.clock.monotonicMs();
  }
}

const within = <T>(work: Promise<T>, limitMs: number): Promise<T> =>
  withTimeLimit(work, limitMs, () => new NoAnswer());
