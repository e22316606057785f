/**
 * The connection to Redis (or Valkey), and whether it can be counted on.
 *
 * A command that fails or has no answer after a quarter of a second, or a connection that closes, begins an outage.
 * From then on commands are rejected here immediately, so that no request waits for Redis, and a heartbeat tries again
 * several times a second. When it succeeds, Redis may have lost everything: those who counted on their own
 * meanwhile report what they counted (`onRecovery`). Redis is trusted again only after a pause that lets every
 * replica notice and report. Why an outage began is kept (`trouble`), for the log and for the operator.
 *
 * The heartbeat also keeps this replica in the set of replicas, whose size is remembered during an outage.
 */
import { createHmac, randomUUID } from "node:crypto";
import { Redis, type Result } from "ioredis";
import type { Clock } from "../../core/ports.js";
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
/** Longer than a replica takes to notice that Redis has recovered: a connection attempt and a heartbeat. */
const settleMs = 2_000;

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

/** A time without Redis. */
export interface Outage {
  /** Counts up. */
  number: number;
  sinceMs: number;
}

export class RedisLink {
  readonly #redis: Redis;
  readonly #options: RedisLinkOptions;
  readonly #id = randomUUID();
  readonly #reporters: (() => Promise<void>)[] = [];
  readonly #lossListeners: (() => void)[] = [];
  /** `settling`: it answers, but is not trusted yet. */
  #state: "ok" | "settling" | "lost" = "lost";
  #settledAtMs = 0;
  #outage: Outage;
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
    this.#outage = { number: 0, sinceMs: options.clock.monotonicMs() };
    this.#redis = new Redis(options.url, {
      lazyConnect: true,
      connectTimeout: connectTimeoutMs,
      // Refuse rather than keep for later: a count that comes late is wrong.
      enableOfflineQueue: false,
      // The heartbeat finds out more: a Redis that loads its data or wants a password answers it with an error.
      enableReadyCheck: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      retryStrategy: () => retryEveryMs,
      keepAlive: 10_000,
      connectionName: "sotto",
    });
    this.#redis.defineCommand("sottoAdmit", { lua: admitScript });
    this.#redis.defineCommand("sottoSettle", { lua: settleScript });
    this.#redis.on("error", (error) => {
      this.#connectionError = error;
    });
    this.#redis.on("connect", () => {
      this.#connectionError = null;
    });
    this.#redis.on("close", () => this.#lose(null));
  }

  /** Resolves when Redis has answered, or has not in time. */
  static async open(options: RedisLinkOptions): Promise<RedisLink> {
    const link = new RedisLink(options);
    await within(link.#redis.connect(), connectTimeoutMs).catch(() => undefined);
    await link.#beat({ isFirst: true });
    return link;
  }

  /** False while limits are counted by each replica alone. */
  get isTrusted(): boolean {
    return this.#state === "ok";
  }

  /** It answers, but may not know yet what replicas counted without it. */
  get isSettling(): boolean {
    return this.#state === "settling";
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

  /** The current outage, or the last. */
  get outage(): Outage {
    return this.#outage;
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
    try {
      return await within(command(this.#redis), answerTimeoutMs);
    } catch (error) {
      this.#lose(error);
      throw new RedisUnavailable(error);
    }
  }

  /** `report` is called when Redis answers again, and once more when it is trusted again. */
  onRecovery(report: () => Promise<void>): void {
    this.#reporters.push(report);
  }

  /** Called each time Redis is lost, also when it was not trusted yet. */
  onLoss(listener: () => void): void {
    this.#lossListeners.push(listener);
  }

  /** A connection of its own for listening. */
  duplicate(): Redis {
    return this.#redis.duplicate({
      enableOfflineQueue: true,
      // Nothing else would notice that it was refused and has to subscribe again.
      enableReadyCheck: true,
      maxRetriesPerRequest: null,
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
      await this.#sendBeat();
      if (this.#state === "lost") await this.#recover(isFirst);
      else if (this.#state === "settling" && this.#nowMs() >= this.#settledAtMs) await this.#trust();
    } catch (error) {
      this.#lose(error);
      // An answer that does not come may never come: the connection may be dead on the other side.
      if (this.#redis.status === "ready" && !this.#isClosed) this.#redis.disconnect(true);
    } finally {
      this.#scheduleBeat();
    }
  }

  async #sendBeat(): Promise<void> {
    const beat = this.#redis.eval(heartbeatScript, 1, this.name("replicas", ""), this.#id, silentMs);
    const replicas = Number(await within(beat, answerTimeoutMs));
    // A Redis that has just recovered has not heard from all of them yet.
    this.#replicas = this.#state === "ok" ? replicas : Math.max(replicas, this.#replicas);
  }

  /** At the start there is nothing to report, and nobody who would have counted without Redis. */
  async #recover(isFirst: boolean): Promise<void> {
    if (isFirst) {
      this.#state = "ok";
      this.#trouble = null;
      return;
    }
    this.#state = "settling";
    this.#settledAtMs = this.#nowMs() + settleMs;
    await this.#report();
  }

  async #trust(): Promise<void> {
    this.#state = "ok";
    this.#trouble = null;
    this.#tell("ok");
    await this.#report();
  }

  async #report(): Promise<void> {
    for (const report of this.#reporters) await report();
  }

  /** An error that says nothing by itself, such as a stream that is not writable, leaves the cause as it was. */
  #lose(error: unknown): void {
    if (this.#isClosed) return;
    this.#trouble = troubleOf(error) ?? troubleOf(this.#connectionError) ?? this.#trouble;
    if (this.#state !== "lost") {
      if (this.#state === "ok") {
        this.#outage = { number: this.#outage.number + 1, sinceMs: this.#nowMs() };
      }
      this.#state = "lost";
      for (const listener of this.#lossListeners) listener();
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
    const delayMs = this.#state === "ok" ? beatEveryMs : retryEveryMs;
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
