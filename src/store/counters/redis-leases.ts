/**
 * Leases that replicas share. Each is an id in a sorted set of Redis that expires and is renewed by its holder, so
 * those of a replica that was killed are free within half a minute.
 *
 * During an outage a replica grants its share of the limit, less all that it holds itself, granted before or since;
 * what the others hold is unknown. When Redis recovers, renewing writes what this replica holds, and what was
 * released meanwhile is removed.
 */
import { randomUUID } from "node:crypto";
import type { Lease } from "../../core/counters.js";
import { ExpiringWindows } from "./expiring-windows.js";
import type { LocalLeases } from "./memory-leases.js";
import { throwUnlessUnavailable, type RedisLink } from "./redis-link.js";
import { heldScript, renewScript } from "./redis-scripts.js";

/** Renewed three times before it expires. */
const usualTimes = { liveMs: 25_000, renewEveryMs: 8_000 };
/** How long a refusal is taken to say what others hold. */
const refusalMs = 1_000;
/** More are left to expire. */
const maxUnremoved = 10_000;

export class RedisLeases implements LocalLeases {
  /** Ids held by this replica, by name. */
  readonly #held = new Map<string, Set<string>>();
  /** How many others held when one was last refused. */
  readonly #elsewhere: ExpiringWindows<{ count: number; endsMs: number }>;
  /** What could not be removed, and may still be in Redis. */
  #unremoved: LeaseEntry[] = [];
  readonly #timer: NodeJS.Timeout;
  readonly liveMs: number;

  constructor(
    private readonly link: RedisLink,
    { liveMs, renewEveryMs } = usualTimes,
  ) {
    this.liveMs = liveMs;
    this.#elsewhere = new ExpiringWindows(link.clock);
    this.#timer = setInterval(
      () => void this.#renewAll().catch(throwUnlessUnavailable),
      renewEveryMs,
    ).unref();
    link.onRecovery(async () => {
      await this.#renewAll();
      await this.remove(this.#unremoved.splice(0));
    });
  }

  acquire(name: string, limit: number): Lease | null {
    return this.heldHere(name) < limit ? this.hold([name], randomUUID()) : null;
  }

  heldHere(name: string): number {
    return this.#held.get(name)?.size ?? 0;
  }

  /** How many are held as far as is known here. */
  recall(name: string): number {
    return this.heldHere(name) + (this.#elsewhere.live(name)?.count ?? 0);
  }

  /** Redis refused one, since this many are held. */
  refused(name: string, held: number): void {
    const count = Math.max(0, held - this.heldHere(name));
    this.#elsewhere.set(name, { count, endsMs: this.link.clock.monotonicMs() + refusalMs });
  }

  /** Renewed from now on, until it is released. One id for all names. */
  hold(names: readonly string[], id: string, hasReserved = false): RedisLease {
    for (const name of names) this.#held.set(name, (this.#held.get(name) ?? new Set<string>()).add(id));
    return new RedisLease(
      () => this.#stopHolding(names, id),
      (entries) => void this.remove(entries),
      hasReserved,
    );
  }

  async held(name: string): Promise<number> {
    if (!this.link.isTrusted) return this.heldHere(name);
    const held = await this.link
      .run((redis) => redis.eval(heldScript, 1, this.key(name)))
      .catch(throwUnlessUnavailable);
    return typeof held === "number" ? held : this.heldHere(name);
  }

  /** Releases what this replica still holds. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#elsewhere.close();
    const held = [...this.#held].flatMap(([name, ids]) => [...ids].map((id) => this.entry(name, id)));
    this.#held.clear();
    await this.remove(held);
  }

  /** Never rejects: what cannot be removed now is removed when Redis recovers, or expires. */
  async remove(entries: readonly LeaseEntry[]): Promise<void> {
    await Promise.all(
      entries.map((entry) =>
        this.link
          .run((redis) => redis.zrem(entry.key, entry.id))
          .catch((error: unknown) => {
            throwUnlessUnavailable(error);
            if (this.#unremoved.length < maxUnremoved) this.#unremoved.push(entry);
          }),
      ),
    );
  }

  entry(name: string, id: string): LeaseEntry {
    return { key: this.key(name), id };
  }

  key(name: string): string {
    return this.link.name("lease", name);
  }

  #stopHolding(names: readonly string[], id: string): LeaseEntry[] {
    return names.flatMap((name) => {
      const ids = this.#held.get(name);
      if (ids?.delete(id) !== true) return [];
      if (ids.size === 0) this.#held.delete(name);
      return [this.entry(name, id)];
    });
  }

  async #renewAll(): Promise<void> {
    await Promise.all(
      [...this.#held].map(([name, ids]) =>
        this.link.run((redis) => redis.eval(renewScript, 1, this.key(name), this.liveMs, ...ids)),
      ),
    );
  }
}

/** An id in one of the sets of leases in Redis. */
export interface LeaseEntry {
  key: string;
  id: string;
}

export class RedisLease implements Lease {
  constructor(
    /** Stops renewing it, and returns what is to be removed from Redis: nothing from the second call on. */
    readonly stopHolding: () => LeaseEntry[],
    private readonly remove: (entries: readonly LeaseEntry[]) => void,
    /** Redis keeps beside it what it reserved of quotas. */
    readonly hasReserved: boolean,
  ) {}

  release(): void {
    const entries = this.stopHolding();
    if (entries.length > 0) this.remove(entries);
  }
}
