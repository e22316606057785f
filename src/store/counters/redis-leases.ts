/**
 * Permissions to run that replicas share. Each is an id in Redis that ends by itself and is renewed by its
 * holder, so those of a replica that was killed are free within half a minute.
 *
 * During an outage a replica grants at most its share of the limit, counting all leases it holds, wherever they came
 * from. A share alone is not enough: others may hold more than theirs, since Redis let them. So every second each
 * replica tells the others, through Redis, how many it holds of each name, and each acquisition returns how many
 * there are in total. When Redis is lost, the rest of the limit is divided: with h held in total, each of n replicas
 * may add (limit − h) / n to its own, and the sum stays within the limit. Leases that others were granted in the last
 * second or two before the loss may be missing from h; by that much, divided by n, the sum can exceed the limit. After
 * a minute most of what was held then is over, and each replica has its whole share.
 *
 * Renewing also writes leases that Redis has lost or never knew, so that all are there again after it recovers.
 */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Lease, Leases } from "../../core/ports.js";
import { HoldingsElsewhere, holdingsSchema } from "./holdings-elsewhere.js";
import { throwUnlessUnavailable, type RedisLink } from "./redis-link.js";
import { acquireScript, heldScript, holdingsScript, renewScript } from "./redis-scripts.js";

const liveMs = 25_000;
/** Three attempts before one expires. */
const renewEveryMs = 8_000;
const tellEveryMs = 1_000;
/** How long what was held when Redis was lost is taken to be held still. */
const believedMs = 60_000;

const acquireAnswer = z.tuple([z.number(), z.number()]);

export interface RedisLeaseTimes {
  liveMs: number;
  renewEveryMs: number;
}

export class RedisLeases implements Leases {
  /** Held by this replica, by name. */
  readonly #held = new Map<string, Set<string>>();
  readonly #elsewhere: HoldingsElsewhere;
  /** How many this replica held of each name when Redis was lost. */
  #heldAtLoss = new Map<string, number>();
  #outage = -1;
  readonly #id = randomUUID();
  readonly #timers: readonly NodeJS.Timeout[];
  readonly liveMs: number;

  constructor(
    private readonly link: RedisLink,
    times: RedisLeaseTimes = { liveMs, renewEveryMs },
  ) {
    this.liveMs = times.liveMs;
    this.#elsewhere = new HoldingsElsewhere(link.clock);
    this.#timers = [
      setInterval(() => void this.#renewAll().catch(throwUnlessUnavailable), times.renewEveryMs).unref(),
      setInterval(() => void this.#tell().catch(throwUnlessUnavailable), tellEveryMs).unref(),
    ];
    link.onLoss(() => this.#noteLoss());
    link.onRecovery(() => this.#renewAll());
  }

  async acquire(name: string, limit: number): Promise<Lease | null> {
    const id = randomUUID();
    const shared = await this.#attempt(acquireScript, name, [id, limit, this.liveMs]);
    if (shared === undefined) return this.#hasShareLeft(name, limit) ? this.hold([name], id) : null;
    const [isGiven, count] = acquireAnswer.parse(shared);
    this.heard(name, count, isGiven === 1);
    return isGiven === 1 ? this.hold([name], id) : null;
  }

  /** How many are held by the latest that is known. */
  recall(name: string): number {
    return this.#heldHere(name) + this.#elsewhere.told(this.key(name));
  }

  /** Redis said how many there are, in answer to an acquisition; less than 0 when it did not. */
  heard(name: string, count: number, isGiven: boolean): void {
    if (count >= 0) this.#elsewhere.saw(this.key(name), count - this.#heldHere(name) - (isGiven ? 1 : 0));
  }

  /** Renewed from now on, until it is released. One id for all names. */
  hold(names: readonly string[], id: string, hasReserved = false): RedisLease {
    for (const name of names) this.#held.set(name, (this.#held.get(name) ?? new Set<string>()).add(id));
    return new RedisLease(
      () => this.#letGo(names, id),
      (freed) => void this.#free(freed),
      hasReserved,
    );
  }

  async held(name: string): Promise<number> {
    const shared = await this.#attempt(heldScript, name, []);
    return typeof shared === "number" ? shared : this.#heldHere(name);
  }

  /** Frees what this replica still holds. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    const names = [...this.#held];
    this.#held.clear();
    await Promise.all(
      names.map(([name, ids]) => this.#free([...ids].map((id) => ({ key: this.key(name), id })))),
    );
  }

  #hasShareLeft(name: string, limit: number): boolean {
    const { replicas, outage, clock } = this.link;
    const held = this.#heldHere(name);
    if (held >= Math.max(1, Math.floor(limit / replicas))) return false;
    if (clock.monotonicMs() - outage.sinceMs >= believedMs) return true;
    const before = this.#heldAtLoss.get(name) ?? 0;
    const inAll = before + this.#elsewhere.count(this.key(name));
    if (inAll === 0) return true;
    return held < before + Math.floor(Math.max(0, limit - inAll) / replicas);
  }

  #heldHere(name: string): number {
    return this.#held.get(name)?.size ?? 0;
  }

  /** Once for each outage: one that Redis interrupts without being trusted goes on. */
  #noteLoss(): void {
    const { number } = this.link.outage;
    if (this.#outage === number) return;
    this.#outage = number;
    this.#elsewhere.freeze();
    this.#heldAtLoss = new Map([...this.#held].map(([name, ids]) => [name, ids.size]));
  }

  /** Tells the others what is held here, and hears what they hold. */
  async #tell(): Promise<void> {
    if (!this.link.isTrusted) return;
    const held = Object.fromEntries([...this.#held].map(([name, ids]) => [this.key(name), ids.size]));
    const others = await this.link.run((redis) =>
      redis.eval(
        holdingsScript,
        1,
        this.link.name("holdings", ""),
        this.#id,
        this.liveMs,
        JSON.stringify(held),
      ),
    );
    this.#elsewhere.heard(holdingsSchema.parse(others));
  }

  /** What Redis still has of it. */
  #letGo(names: readonly string[], id: string): HeldThere[] {
    return names.flatMap((name) => {
      const ids = this.#held.get(name);
      if (ids?.delete(id) !== true) return [];
      if (ids.size === 0) this.#held.delete(name);
      return [{ key: this.key(name), id }];
    });
  }

  /** Never rejects: one that is not freed now ends by itself. */
  async #free(freed: readonly HeldThere[]): Promise<void> {
    await Promise.all(
      freed.map(({ key, id }) => this.link.run((redis) => redis.zrem(key, id)).catch(throwUnlessUnavailable)),
    );
  }

  async #renewAll(): Promise<void> {
    await Promise.all(
      [...this.#held].map(([name, ids]) =>
        this.link.run((redis) => redis.eval(renewScript, 1, this.key(name), this.liveMs, ...ids)),
      ),
    );
  }

  /** Undefined while Redis is not trusted. */
  async #attempt(script: string, name: string, values: readonly (string | number)[]): Promise<unknown> {
    if (!this.link.isTrusted) return undefined;
    return this.link
      .run((redis) => redis.eval(script, 1, this.key(name), ...values))
      .catch(throwUnlessUnavailable);
  }

  /** What Redis gets to see of a name. */
  key(name: string): string {
    return this.link.name("lease", name);
  }
}

/** An id in one of Redis' sets of leases. */
interface HeldThere {
  key: string;
  id: string;
}

export class RedisLease implements Lease {
  constructor(
    /** Stops renewing it, and returns what is to be freed in Redis: nothing from the second time on. */
    readonly letGo: () => HeldThere[],
    private readonly free: (freed: readonly HeldThere[]) => void,
    /** Redis keeps beside it what it reserved of quotas. */
    readonly hasReserved: boolean,
  ) {}

  release(): void {
    const freed = this.letGo();
    if (freed.length > 0) this.free(freed);
  }
}
