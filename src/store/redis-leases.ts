/**
 * Permissions to run that replicas share. Each is an id in Redis that ends by itself and is renewed by its
 * holder, so those of a replica that was killed are free within half a minute.
 *
 * While Redis is away a replica gives out its share of the limit, counting all it holds, wherever they came
 * from. Renewing also writes what Redis has lost or never knew, so after its return all are there again.
 */
import { randomUUID } from "node:crypto";
import type { Lease, Leases } from "../core/ports.js";
import { throwUnlessAway, type RedisLink } from "./redis-link.js";
import { acquireScript, heldScript, renewScript } from "./redis-scripts.js";

const liveMs = 25_000;
/** Three tries before one ends. */
const renewEveryMs = 8_000;

export interface RedisLeaseTimes {
  liveMs: number;
  renewEveryMs: number;
}

export class RedisLeases implements Leases {
  /** Held by this replica, by name. */
  readonly #held = new Map<string, Set<string>>();
  readonly #timer: NodeJS.Timeout;
  readonly #liveMs: number;

  constructor(
    private readonly link: RedisLink,
    times: RedisLeaseTimes = { liveMs, renewEveryMs },
  ) {
    this.#liveMs = times.liveMs;
    this.#timer = setInterval(() => void this.#renewAll().catch(throwUnlessAway), times.renewEveryMs).unref();
    link.onReturn(() => this.#renewAll());
  }

  async acquire(name: string, limit: number): Promise<Lease | null> {
    const id = randomUUID();
    const shared = await this.#attempt(acquireScript, name, [id, limit, this.#liveMs]);
    const isGiven = shared === undefined ? this.#hasShareLeft(name, limit) : shared === 1;
    return isGiven ? this.#hold(name, id) : null;
  }

  async held(name: string): Promise<number> {
    const shared = await this.#attempt(heldScript, name, []);
    return typeof shared === "number" ? shared : (this.#held.get(name)?.size ?? 0);
  }

  /** Frees what this replica still holds. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    const names = [...this.#held];
    this.#held.clear();
    await Promise.all(names.map(([name, ids]) => this.#free(name, [...ids])));
  }

  #hasShareLeft(name: string, limit: number): boolean {
    const share = Math.max(1, Math.floor(limit / this.link.replicas));
    return (this.#held.get(name)?.size ?? 0) < share;
  }

  #hold(name: string, id: string): Lease {
    const ids = this.#held.get(name) ?? new Set<string>();
    this.#held.set(name, ids.add(id));
    return {
      release: () => {
        if (!ids.delete(id)) return;
        if (ids.size === 0 && this.#held.get(name) === ids) this.#held.delete(name);
        void this.#free(name, [id]);
      },
    };
  }

  /** Never rejects: one that is not freed now ends by itself. */
  async #free(name: string, ids: readonly string[]): Promise<void> {
    await this.link.run((redis) => redis.zrem(this.#key(name), ...ids)).catch(throwUnlessAway);
  }

  async #renewAll(): Promise<void> {
    await Promise.all(
      [...this.#held].map(([name, ids]) =>
        this.link.run((redis) => redis.eval(renewScript, 1, this.#key(name), this.#liveMs, ...ids)),
      ),
    );
  }

  /** Undefined while Redis is away or not trusted. */
  async #attempt(script: string, name: string, values: readonly (string | number)[]): Promise<unknown> {
    if (!this.link.isTrusted) return undefined;
    return this.link.run((redis) => redis.eval(script, 1, this.#key(name), ...values)).catch(throwUnlessAway);
  }

  #key(name: string): string {
    return this.link.name("lease", name);
  }
}
