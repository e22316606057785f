/**
 * Permissions to run that replicas share. Each is an id in Redis that ends by itself and is renewed by its
 * holder, so those of a replica that was killed are free within half a minute.
 *
 * During an outage a replica grants its share of the limit, less all that it holds itself, wherever that came from; what
 * the others hold is not known. When Redis recovers, renewing writes what this replica holds, and what was released
 * meanwhile is freed.
 */
import { randomUUID } from "node:crypto";
import type { Lease, Leases } from "../../core/counters.js";
import { ExpiringWindows } from "./expiring-windows.js";
import type { LocalLeases } from "./memory-counter.js";
import { throwUnlessUnavailable, type RedisLink } from "./redis-link.js";
import { heldScript, renewScript } from "./redis-scripts.js";

const liveMs = 25_000;
/** Three attempts before one expires. */
const renewEveryMs = 8_000;
/** How long a refusal is taken to say what others hold. */
const refusalMs = 1_000;
/** More are left to end by themselves. */
const mostUnfreed = 10_000;

export interface RedisLeaseTimes {
  liveMs: number;
  renewEveryMs: number;
}

export class RedisLeases implements Leases, LocalLeases {
  /** Held by this replica, by name. */
  readonly #held = new Map<string, Set<string>>();
  /** How many others held when one was last refused. */
  readonly #elsewhere: ExpiringWindows<{ count: number; endsMs: number }>;
  /** In Redis, perhaps: what could not be freed there. */
  #unfreed: HeldThere[] = [];
  readonly #timer: NodeJS.Timeout;
  readonly liveMs: number;

  constructor(
    private readonly link: RedisLink,
    times: RedisLeaseTimes = { liveMs, renewEveryMs },
  ) {
    this.liveMs = times.liveMs;
    this.#elsewhere = new ExpiringWindows(link.clock);
    this.#timer = setInterval(
      () => void this.#renewAll().catch(throwUnlessUnavailable),
      times.renewEveryMs,
    ).unref();
    link.onRecovery(async () => {
      await this.#renewAll();
      await this.free(this.#unfreed.splice(0));
    });
  }

  acquireNow(name: string, limit: number): Lease | null {
    return this.heldNow(name) < limit ? this.hold([name], randomUUID()) : null;
  }

  heldNow(name: string): number {
    return this.#held.get(name)?.size ?? 0;
  }

  /** How many are held by the latest that is known. */
  recall(name: string): number {
    return this.heldNow(name) + (this.#elsewhere.live(name)?.count ?? 0);
  }

  /** Redis refused one, since so many are held. */
  refused(name: string, held: number): void {
    const count = Math.max(0, held - this.heldNow(name));
    this.#elsewhere.set(name, { count, endsMs: this.link.clock.monotonicMs() + refusalMs });
  }

  /** Renewed from now on, until it is released. One id for all names. */
  hold(names: readonly string[], id: string, hasReserved = false): RedisLease {
    for (const name of names) this.#held.set(name, (this.#held.get(name) ?? new Set<string>()).add(id));
    return new RedisLease(
      () => this.#letGo(names, id),
      (freed) => void this.free(freed),
      hasReserved,
    );
  }

  async held(name: string): Promise<number> {
    if (!this.link.isTrusted) return this.heldNow(name);
    const held = await this.link
      .run((redis) => redis.eval(heldScript, 1, this.key(name)))
      .catch(throwUnlessUnavailable);
    return typeof held === "number" ? held : this.heldNow(name);
  }

  /** Frees what this replica still holds. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#elsewhere.close();
    const held = [...this.#held].flatMap(([name, ids]) => [...ids].map((id) => this.there(name, id)));
    this.#held.clear();
    await this.free(held);
  }

  /** Never rejects: what is not freed now is freed when Redis recovers, or ends by itself. */
  async free(freed: readonly HeldThere[]): Promise<void> {
    await Promise.all(
      freed.map((each) =>
        this.link
          .run((redis) => redis.zrem(each.key, each.id))
          .catch((error: unknown) => {
            throwUnlessUnavailable(error);
            if (this.#unfreed.length < mostUnfreed) this.#unfreed.push(each);
          }),
      ),
    );
  }

  there(name: string, id: string): HeldThere {
    return { key: this.key(name), id };
  }

  /** What Redis gets to see of a name. */
  key(name: string): string {
    return this.link.name("lease", name);
  }

  /** What Redis still has of it. */
  #letGo(names: readonly string[], id: string): HeldThere[] {
    return names.flatMap((name) => {
      const ids = this.#held.get(name);
      if (ids?.delete(id) !== true) return [];
      if (ids.size === 0) this.#held.delete(name);
      return [this.there(name, id)];
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

/** An id in one of Redis' sets of leases. */
export interface HeldThere {
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
