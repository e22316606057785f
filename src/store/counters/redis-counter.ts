/**
 * Limits that replicas share, counted in Redis, each count one atomic step there. While Redis is away each
 * replica counts its share alone (`local-shares.ts`): never without a limit. No method rejects for that.
 */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Clock, Counter, CounterReading } from "../../core/ports.js";
import { LocalShares, type Situation } from "./local-shares.js";
import { throwUnlessUnavailable, type RedisLink } from "./redis-link.js";
import { adjustScript, mergeScript, readScript, takeScript } from "./redis-scripts.js";

/** Sent at once when Redis is back. */
const reportsAtOnce = 100;

const takeAnswer = z.tuple([z.number(), z.number(), z.number(), z.string()]);
const readAnswer = z.tuple([z.number(), z.number(), z.string()]).nullable();

export class RedisCounter implements Counter {
  readonly #local: LocalShares;

  constructor(
    private readonly link: RedisLink,
    clock: Clock,
  ) {
    this.#local = new LocalShares(clock);
    link.onLoss(() => this.#local.lostReports());
    link.onRecovery(() => this.#reportAll());
  }

  async take(name: string, amount: number, limit: number, windowMs: number): Promise<CounterReading> {
    const shared = await this.#attempt(name, async () => {
      const values = [amount, limit, windowMs, randomUUID()];
      const [admitted, count, resetMs, window] = takeAnswer.parse(await this.#eval(takeScript, name, values));
      return { admitted: admitted === 1, count, remaining: Math.max(0, limit - count), resetMs, window };
    });
    if (shared !== undefined) return this.#saw(name, shared);

    const reading = this.#local.take(name, amount, limit, windowMs, this.#situation());
    // Back, but not trusted by all yet: those who trust it should know of this count.
    if (this.link.isSettling) void this.#report(name).catch(throwUnlessUnavailable);
    return reading;
  }

  async read(name: string, limit: number, windowMs: number): Promise<CounterReading> {
    const shared = await this.#attempt(name, async () =>
      readAnswer.parse(await this.#eval(readScript, name, [])),
    );
    if (shared === undefined) return this.#local.read(name, limit, windowMs, this.#situation());
    if (shared === null)
      return { admitted: limit > 0, count: 0, remaining: limit, resetMs: windowMs, window: "" };
    const [count, resetMs, window] = shared;
    const remaining = Math.max(0, limit - count);
    return this.#saw(name, { admitted: count < limit, count, remaining, resetMs, window });
  }

  async adjust(name: string, window: string, amount: number): Promise<void> {
    this.#local.adjust(name, window, amount);
    await this.#attempt(name, () => this.#eval(adjustScript, name, [amount, window]));
  }

  async close(): Promise<void> {
    this.#local.clear();
  }

  /** Undefined while Redis is not trusted. What this replica counted alone goes first. */
  async #attempt<T>(name: string, work: () => Promise<T>): Promise<T | undefined> {
    if (!this.link.isTrusted) return undefined;
    try {
      await this.#report(name);
      return await work();
    } catch (error) {
      throwUnlessUnavailable(error);
      return undefined;
    }
  }

  #eval(script: string, name: string, values: readonly (string | number)[]): Promise<unknown> {
    return this.link.run((redis) => redis.eval(script, 1, this.link.name("count", name), ...values));
  }

  #saw(name: string, reading: CounterReading): CounterReading {
    this.#local.saw(name, reading);
    return reading;
  }

  async #reportAll(): Promise<void> {
    const names = this.#local.names();
    for (let start = 0; start < names.length; start += reportsAtOnce) {
      await Promise.all(names.slice(start, start + reportsAtOnce).map((name) => this.#report(name)));
    }
  }

  async #report(name: string): Promise<void> {
    const unreported = this.#local.unreported(name);
    if (unreported === null) return;
    const { amount, leftMs, seen, window } = unreported;
    await this.#eval(mergeScript, name, [amount, leftMs, seen, window]);
  }

  #situation(): Situation {
    return { outage: this.link.outage, replicas: this.link.replicas };
  }
}
