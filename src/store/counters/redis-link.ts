/**
 * The connection to Redis (or Valkey), and whether it can be counted on.
 *
 * A command that fails or has no answer after a quarter of a second, or a connection that closes, begins an outage.
 * From then on commands are rejected here immediately, so that no request waits for Redis, and a heartbeat tries again
 * several times a second, each time with a new client: one that reconnects by itself can stay `ready` on a socket that is
 * dead, behind a proxy that accepts connections and resets them. Why an outage began is kept (`trouble`), for the log
 * and for the operator.
 *
 * When a heartbeat succeeds, Redis may have lost everything, and commands that had no answer may have been executed. So
 * windows of quotas are to be opened again from the database, at a moment 2 s ahead that the replica agrees on with
 * the others (`reopenAt`): those that lost Redis too trust it from that moment on, and those that did not hear of it
 * by their next heartbeat. Until then all of them write what was used to the database without delay (`isReopening`).
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
import { NoAnswer, troubleOf, type RedisTrouble } from "./redis-trouble.js";

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
/** Longer than every replica takes to hear of it: a connection attempt and a heartbeat, or the next heartbeat. */
const reopenAheadMs = 2_000;
/** Longer than any window of a quota. */
const reopenKeptMs = 32 * 24 * 60 * 60_000;

const heartbeatAnswer = z.tuple([z.number(), z.number(), z.number()]);

export type Health = "ok" | RedisTrouble["kind"];

export interface RedisLinkOptions {
  url: string;
  /** Known to the replicas of one installation: names in Redis are hashed with it. */
  secret: string;
  /** How many there are, until Redis has said. */
  replicas: number;
  clock: Clock;
  /** Called on each change, with the cause of trouble; also at the start when Redis cannot be used then. */
  onHealth?: (health: Health, cause?: string) => void;
}

/** Thrown instead of waiting. */
class RedisUnavailable extends Error {
  constructor(cause?: unknown) {
    super("Redis cannot be used right now.", { cause });
    this.name = "RedisUnavailable";
  }
}

/** For callers that can do without Redis; any other error is a bug. */
export function throwUnlessUnavailable(error: unknown): void {
  if (!(error instanceof RedisUnavailable)) throw error;
}

export class RedisLink {
  readonly #options: RedisLinkOptions;
  readonly #id = randomUUID();
  readonly #recoveries: (() => Promise<void>)[] = [];
  #redis: Redis;
  /** `settling`: it answers, but is not trusted yet. */
  #state: "ok" | "settling" | "lost" = "lost";
  /** By the clock of Redis; 0 while there was no outage. */
  #reopenAt = 0;
  /** The same by the clock here. */
  #reopenAtMs = -Infinity;
  #trouble: RedisTrouble | null = null;
  /** What the connection itself last reported, since it was last established. */
  #connectionError: unknown = null;
  #replicas: number;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #told = "ok";

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

  /** That moment is ahead. */
  get isReopening(): boolean {
    return this.reopenedForMs < 0;
  }

  /** How long ago it was. */
  get reopenedForMs(): number {
    return this.#nowMs() - this.#reopenAtMs;
  }

  get health(): Health {
    return this.trouble?.kind ?? "ok";
  }

  /** Null while Redis is trusted. */
  get trouble(): RedisTrouble | null {
    return this.#state === "ok" ? null : (this.#trouble ?? connectionClosed);
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  /** As many as there were when Redis last said. */
  get replicas(): number {
    return this.#replicas;
  }

  /** What Redis gets to see of a name: nothing that could be read back. */
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

  /** A connection of its own for listening, which reconnects by itself. */
  newListener(): Redis {
    return this.#redis.duplicate({
      lazyConnect: false,
      enableOfflineQueue: true,
      // Nothing else would notice that it was refused and has to subscribe again.
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
    this.#trouble = null;
    this.#tell("ok");
  }

  #newClient(): Redis {
    const redis = new Redis(this.#options.url, {
      lazyConnect: true,
      connectTimeout: connectTimeoutMs,
      // Refuse rather than keep for later: a count that comes late is wrong.
      enableOfflineQueue: false,
      // The heartbeat finds out more: a Redis that loads its data or wants a password answers it with an error.
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

  /** An error that says nothing by itself, such as a stream that is not writable, leaves the cause as it was. */
  #lose(error: unknown): void {
    if (this.#isClosed) return;
    this.#trouble = troubleOf(error) ?? troubleOf(this.#connectionError) ?? this.#trouble;
    if (this.#state !== "lost") {
      this.#state = "lost";
      this.#scheduleBeat();
    }
    this.#tell(this.#trouble ?? connectionClosed);
  }

  /** Once for each change: which system error it is changes too often to be told of while Redis is unreachable. */
  #tell(now: RedisTrouble | "ok"): void {
    const { kind, cause } = now === "ok" ? { kind: now, cause: undefined } : now;
    const told = kind === "refusing" ? `${kind} ${cause}` : kind;
    if (this.#told === told) return;
    this.#told = told;
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

/** The connection ended without an error of its own. */
const connectionClosed: RedisTrouble = { kind: "unreachable", cause: "ECONNRESET" };

/** An answer that takes longer is none. */
const within = <T>(work: Promise<T>, limitMs: number): Promise<T> =>
  withTimeLimit(work, limitMs, () => new NoAnswer());
