/**
 * The connection to Redis (or Valkey), and whether it can be counted on.
 *
 * A command that fails, or has no answer after a quarter of a second, and a connection that closes, all mean
 * that Redis is away. From then on commands are refused here at once, so that no request waits for it, and a
 * heartbeat tries again several times a second. When it succeeds, Redis may have lost everything: those who
 * counted on their own meanwhile report what they counted (`onReturn`). Only after a pause that lets every
 * replica notice and report is Redis trusted again.
 *
 * The heartbeat also keeps this replica in the set of replicas, whose size is remembered while Redis is away.
 */
import { createHmac, randomUUID } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import { Redis } from "ioredis";
import type { Clock } from "../../core/ports.js";
import { heartbeatScript } from "./redis-scripts.js";

const answerTimeoutMs = 250;
const connectTimeoutMs = 1_000;
const beatEveryMs = 1_000;
const retryEveryMs = 250;
/** How long a replica may be silent before the others count without it. */
const silentMs = 10_000;
/** Longer than a replica takes to notice that Redis is back: a connection attempt and a heartbeat. */
const settleMs = 2_000;

export type Health = "ok" | "away";

export interface RedisLinkOptions {
  url: string;
  /** Known to the replicas of one installation: names in Redis are hashed with it. */
  secret: string;
  /** How many there are, while Redis has not said. */
  replicas: number;
  clock: Clock;
  /** Told of each change, and first of all when Redis is away at the start. */
  onHealth?: (health: Health) => void;
}

/** Thrown instead of waiting. */
class RedisAway extends Error {
  constructor(cause?: unknown) {
    super("Redis is away.", { cause });
    this.name = "RedisAway";
  }
}

/** For those who have an answer to that Redis is away; anything else is a bug. */
export function throwUnlessAway(error: unknown): void {
  if (!(error instanceof RedisAway)) throw error;
}

/** A time without Redis. */
export interface Absence {
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
  #state: "ok" | "settling" | "away" = "away";
  #settledAtMs = 0;
  #absence: Absence;
  #replicas: number;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #told: Health = "ok";

  private constructor(options: RedisLinkOptions) {
    this.#options = options;
    this.#replicas = options.replicas;
    this.#absence = { number: 0, sinceMs: options.clock.monotonicMs() };
    this.#redis = new Redis(options.url, {
      lazyConnect: true,
      connectTimeout: connectTimeoutMs,
      // Refuse rather than keep for later: a count that comes late is wrong.
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      retryStrategy: () => retryEveryMs,
      keepAlive: 10_000,
      connectionName: "sotto",
    });
    // Faults arrive by the commands that meet them; without a listener they would be printed.
    this.#redis.on("error", () => {});
    this.#redis.on("close", () => this.#lose());
  }

  /** Resolves when Redis answers, or when it does not. */
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
  get isBack(): boolean {
    return this.#state === "settling";
  }

  get health(): Health {
    return this.#state === "ok" ? "ok" : "away";
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  /** The present absence, or the last. */
  get absence(): Absence {
    return this.#absence;
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

  /** Runs a command. Rejects with `RedisAway` when there is no answer in time, at once while it is away. */
  async run<T>(command: (redis: Redis) => Promise<T>): Promise<T> {
    if (this.#state === "away") throw new RedisAway();
    try {
      return await within(command(this.#redis), answerTimeoutMs);
    } catch (error) {
      this.#lose();
      throw new RedisAway(error);
    }
  }

  /** `report` is called when Redis is back, and once more when it is trusted again. */
  onReturn(report: () => Promise<void>): void {
    this.#reporters.push(report);
  }

  /** Called each time it goes away, also when it was not trusted yet. */
  onLoss(listener: () => void): void {
    this.#lossListeners.push(listener);
  }

  /** A connection of its own for listening. */
  duplicate(): Redis {
    return this.#redis.duplicate({ enableOfflineQueue: true, maxRetriesPerRequest: null });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    if (this.#state !== "away") {
      await within(this.#redis.zrem(this.name("replicas", ""), this.#id), answerTimeoutMs).catch(
        () => undefined,
      );
    }
    this.#redis.disconnect();
  }

  async #beat({ isFirst }: { isFirst: boolean }): Promise<void> {
    try {
      await this.#sendBeat();
      if (this.#state === "away") await this.#return(isFirst);
      else if (this.#state === "settling" && this.#nowMs() >= this.#settledAtMs) await this.#trust();
    } catch {
      this.#lose();
      // An answer that does not come may never come: the connection may be dead on the other side.
      if (this.#redis.status === "ready" && !this.#isClosed) this.#redis.disconnect(true);
    } finally {
      this.#scheduleBeat();
    }
  }

  async #sendBeat(): Promise<void> {
    const beat = this.#redis.eval(heartbeatScript, 1, this.name("replicas", ""), this.#id, silentMs);
    const replicas = Number(await within(beat, answerTimeoutMs));
    // A Redis that has just come back has not heard of all of them yet.
    this.#replicas = this.#state === "ok" ? replicas : Math.max(replicas, this.#replicas);
  }

  /** At the start there is nothing to report, and nobody who would have counted without Redis. */
  async #return(isFirst: boolean): Promise<void> {
    if (isFirst) {
      this.#state = "ok";
      return;
    }
    this.#state = "settling";
    this.#settledAtMs = this.#nowMs() + settleMs;
    await this.#report();
  }

  async #trust(): Promise<void> {
    this.#state = "ok";
    this.#tell("ok");
    await this.#report();
  }

  async #report(): Promise<void> {
    for (const report of this.#reporters) await report();
  }

  #lose(): void {
    if (this.#isClosed) return;
    if (this.#state !== "away") {
      if (this.#state === "ok") {
        this.#absence = { number: this.#absence.number + 1, sinceMs: this.#nowMs() };
      }
      this.#state = "away";
      for (const listener of this.#lossListeners) listener();
      this.#scheduleBeat();
    }
    this.#tell("away");
  }

  #tell(health: Health): void {
    if (this.#told === health) return;
    this.#told = health;
    this.#options.onHealth?.(health);
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

/**
 * Rejects when `work` takes longer. What has arrived is read before time is called: after a moment in which
 * this process was busy, the answer may be here already.
 */
async function within<T>(work: Promise<T>, limitMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const giveUp = async () => {
      await turn();
      await turn();
      reject(new RedisAway());
    };
    timer = setTimeout(() => void giveUp(), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
