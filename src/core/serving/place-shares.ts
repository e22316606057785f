/**
 * An engine's places, shared by account.
 *
 * An account alone may have all of them. What happens when another one comes depends on the engine. One that sets
 * requests aside is given more than it has places for: up to its share, an account runs at once while some other one has
 * more than that, and the engine takes the place from it. So what all run together is bounded, since shares get
 * smaller with every account. An engine that cannot gets no more than it has places, and there the last one is left to
 * an account that runs nothing, as long as several accounts have come lately.
 */
import type { Clock } from "../clock.js";

export interface PlaceSharesOptions {
  capacity: () => number;
  preempts?: (() => boolean) | undefined;
  clock: Clock;
}

interface Asking {
  accountId: string;
  places: number;
}

/** How long an account counts as one that may come again. */
const latelyMs = 10 * 60_000;

export class PlaceShares {
  #taken = 0;
  readonly #heldBy = new Map<string, number>();
  /** When the two accounts that came last did. */
  readonly #lastCame = new Map<string, number>();

  constructor(private readonly options: PlaceSharesOptions) {}

  get taken(): number {
    return this.#taken;
  }

  take(accountId: string, places: number): void {
    this.#taken += places;
    this.#heldBy.set(accountId, this.#heldFor(accountId) + places);
  }

  giveBack(accountId: string, places: number): void {
    this.#taken -= places;
    const left = this.#heldFor(accountId) - places;
    if (left > 0) this.#heldBy.set(accountId, left);
    else this.#heldBy.delete(accountId);
  }

  /** To be told of every request. */
  came(accountId: string): void {
    this.#lastCame.delete(accountId);
    this.#lastCame.set(accountId, this.options.clock.monotonicMs());
    const [oldest] = this.#lastCame.keys();
    if (this.#lastCame.size > 2 && oldest !== undefined) this.#lastCame.delete(oldest);
  }

  /** Whether there is a place for it now. A request for more places than exist runs alone. */
  fits(asking: Asking): boolean {
    return this.#wouldTake(asking) <= this.options.capacity() && !this.isHeldBack(asking);
  }

  /** Only the last place is left, which is not for this account: others may pass. */
  isHeldBack(asking: Asking): boolean {
    const capacity = this.options.capacity();
    if (capacity < 2 || this.#heldFor(asking.accountId) === 0 || this.#canSetAside()) return false;
    return this.#wouldTake(asking) >= capacity && this.#othersCame(asking.accountId);
  }

  /** Whether the engine sets another account's request aside for it. */
  displaces({ accountId, places }: Asking): boolean {
    if (!this.#canSetAside()) return false;
    const own = this.#heldFor(accountId);
    const accounts = this.#heldBy.size + (own > 0 ? 0 : 1);
    const share = Math.floor(this.options.capacity() / accounts);
    if (own + places > share) return false;
    for (const held of this.#heldBy.values()) if (held > share) return true;
    return false;
  }

  #canSetAside(): boolean {
    return this.options.preempts?.() === true;
  }

  #wouldTake({ places }: Asking): number {
    return this.#taken + Math.min(places, Math.max(1, this.options.capacity()));
  }

  #heldFor(accountId: string): number {
    return this.#heldBy.get(accountId) ?? 0;
  }

  #othersCame(accountId: string): boolean {
    const sinceMs = this.options.clock.monotonicMs() - latelyMs;
    for (const [id, cameMs] of this.#lastCame) if (id !== accountId && cameMs > sinceMs) return true;
    return false;
  }
}
