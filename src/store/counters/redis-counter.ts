/**
 * Limits that replicas share, counted in Redis, each count one atomic step there. During an outage each replica counts
 * its share alone (`local-shares.ts`): never without a limit. No method rejects for that. Names are hashed before
 * anything is kept, here or in Redis.
 */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { WindowAsk } from "../../core/limit-ports.js";
import type { Clock, Counter, CounterReading } from "../../core/ports.js";
import { LocalShares, type Situation } from "./local-shares.js";
import { addScript, openScript } from "./admission-scripts.js";
import { throwUnlessUnavailable, type RedisLink } from "./redis-link.js";
import { adjustScript, mergeScript, readScript, takeScript } from "./redis-scripts.js";

/** Sent in parallel when Redis has recovered. */
const reportsAtOnce = 100;

const takeAnswer = z.tuple([z.number(), z.number(), z.number(), z.string()]);
const readAnswer = z.tuple([z.number(), z.number(), z.string()]).nullable();

export class RedisCounter implements Counter {
  readonly #local: LocalShares;

  constructor(
    private readonly link: RedisLink,
    clock: Clock,
    sweepEveryMs?: number,
  ) {
    this.#local = new LocalShares(clock, sweepEveryMs);
    link.onLoss(() => this.#local.lostReports());
    link.onRecovery(() => this.#reportAll());
  }

  async take(name: string, amount: number, limit: number, windowMs: number): Promise<CounterReading> {
    const key = this.key(name);
    const shared = await this.#attempt(key, async () => {
      const values = [amount, limit, windowMs, randomUUID()];
      const [admitted, count, resetMs, window] = takeAnswer.parse(await this.#eval(takeScript, key, values));
      return { admitted: admitted === 1, count, remaining: Math.max(0, limit - count), resetMs, window };
    });
    if (shared !== undefined) return this.#saw(key, shared);

    const reading = this.#local.take(key, amount, limit, windowMs, this.#situation());
    // Redis answers, but is not trusted by all yet: those who trust it should know of this count.
    if (this.link.isSettling) void this.#report(key).catch(throwUnlessUnavailable);
    return reading;
  }

  async read(name: string, limit: number, windowMs: number): Promise<CounterReading> {
    const key = this.key(name);
    const shared = await this.#attempt(key, async () =>
      readAnswer.parse(await this.#eval(readScript, key, [])),
    );
    if (shared === undefined) return this.#local.read(key, limit, windowMs, this.#situation());
    if (shared === null)
      return { admitted: limit > 0, count: 0, remaining: limit, resetMs: windowMs, window: "" };
    const [count, resetMs, window] = shared;
    const remaining = Math.max(0, limit - count);
    return this.#saw(key, { admitted: count < limit, count, remaining, resetMs, window });
  }

  async adjust(name: string, window: string, amount: number): Promise<void> {
    const key = this.key(name);
    this.#local.adjust(key, window, amount);
    await this.#attempt(key, () => this.#eval(adjustScript, key, [amount, window]));
  }

  async isOpen(name: string): Promise<boolean> {
    const key = this.key(name);
    const shared = await this.#attempt(key, () => this.link.run((redis) => redis.exists(key)));
    return shared === undefined ? this.#local.isOpen(key, this.link.outage) : shared === 1;
  }

  async open(name: string, windowMs: number, count: number): Promise<void> {
    const key = this.key(name);
    const lengthMs = Math.max(1, Math.ceil(windowMs));
    // Redis may have lost what was seen here: the larger count is nearer to the truth.
    const known = Math.max(count, this.#local.recall(key));
    const shared = await this.#attempt(key, async () => {
      await this.#eval(openScript, key, [known, lengthMs, randomUUID()]);
      return true;
    });
    if (shared === undefined) this.#local.open(key, windowMs, count, this.link.outage);
  }

  /** What the window had counted when it was last heard of. */
  recall(name: string): number {
    return this.#local.recall(this.key(name));
  }

  /** Tells Redis what was counted here alone, where anything was. */
  async report(keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#report(key);
  }

  /** Remembers what Redis said of a window in answer to a script. */
  heard({ name, limit, initial }: WindowAsk, count: number, resetMs: number, window: string): CounterReading {
    const remaining = Math.max(0, limit - count);
    const reading = { admitted: remaining > 0, count, remaining, resetMs, window };
    if (window !== "") this.#local.saw(this.key(name), reading, initial !== undefined);
    return reading;
  }

  /** Corrects what is remembered here. Returns the window's key, for the correction there. */
  correctHere({ name, window, amount }: { name: string; window: string; amount: number }): string {
    const key = this.key(name);
    this.#local.adjust(key, window, amount);
    return key;
  }

  /** What Redis gets to see of a name. */
  key(name: string): string {
    return this.link.name("window", name);
  }

  async close(): Promise<void> {
    this.#local.close();
  }

  /** Everything that is held here to tell windows apart. */
  heldNames(): string[] {
    return this.#local.heldNames();
  }

  /** Undefined while Redis is not trusted. What this replica counted alone goes first. */
  async #attempt<T>(key: string, work: () => Promise<T>): Promise<T | undefined> {
    if (!this.link.isTrusted) return undefined;
    try {
      await this.#report(key);
      return await work();
    } catch (error) {
      throwUnlessUnavailable(error);
      return undefined;
    }
  }

  #eval(script: string, key: string, values: readonly (string | number)[]): Promise<unknown> {
    return this.link.run((redis) => redis.eval(script, 1, key, ...values));
  }

  #saw(key: string, reading: CounterReading): CounterReading {
    this.#local.saw(key, reading);
    return reading;
  }

  async #reportAll(): Promise<void> {
    const keys = this.#local.names();
    for (let start = 0; start < keys.length; start += reportsAtOnce) {
      await Promise.all(keys.slice(start, start + reportsAtOnce).map((key) => this.#report(key)));
    }
  }

  async #report(key: string): Promise<void> {
    const unreported = this.#local.unreported(key);
    if (unreported === null) return;
    const { amount, leftMs, seen, window, isRecorded } = unreported;
    if (isRecorded) await this.#eval(addScript, key, [amount]);
    else await this.#eval(mergeScript, key, [amount, leftMs, seen, window]);
  }

  #situation(): Situation {
    return { outage: this.link.outage, replicas: this.link.replicas };
  }
}
