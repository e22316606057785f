/**
 * An engine's places, shared by account.
 *
 * A single account may use all of them. What happens when a second one arrives depends on the engine. An engine that
 * can preempt is given more requests than it has places: an account below its share starts immediately while some
 * other account is above it, and the engine preempts that one. The total stays bounded, since shares shrink with
 * every account. An engine that cannot preempt gets at most as many requests as it has places, and its last place is
 * reserved for accounts that run nothing, as long as several accounts have been active recently. Shares are by weight.
 * A request that may wait (`isFlex`) takes no reserved place and preempts nothing.
 */
import type { Clock } from "../clock.js";

export interface PlaceSharesOptions {
  /** How many may run now. Read again and again, since an engine's capacity can change; it may be 0. */
  capacity: () => number;
  /** Whether the engine makes room by preempting requests; by default it does not. */
  preempts?: (() => boolean) | undefined;
  clock: Clock;
}

export interface PlaceRequest {
  accountId: string;
  /** How many of the engine's places it takes: one for each choice it makes at once. */
  places: number;
  /** How many times the share of others it has; 1 by default. */
  weight?: number;
  /** It runs when no other waits. */
  isFlex?: boolean;
}

/** How long an account counts as active after a request. */
const recentMs = 10 * 60_000;

export class PlaceShares {
  #taken = 0;
  readonly #heldBy = new Map<string, { places: number; weight: number }>();
  /** Times of the latest requests of the two accounts that were active last. */
  readonly #lastArrivals = new Map<string, number>();

  constructor(private readonly options: PlaceSharesOptions) {}

  get taken(): number {
    return this.#taken;
  }

  take({ accountId, places, weight = 1 }: PlaceRequest): void {
    this.#taken += places;
    this.#heldBy.set(accountId, { places: this.#heldFor(accountId) + places, weight });
  }

  giveBack({ accountId, places, weight = 1 }: PlaceRequest): void {
    this.#taken -= places;
    const left = this.#heldFor(accountId) - places;
    if (left > 0) this.#heldBy.set(accountId, { places: left, weight });
    else this.#heldBy.delete(accountId);
  }

  /** Call it for every request. */
  noteArrival(accountId: string): void {
    this.#lastArrivals.delete(accountId);
    this.#lastArrivals.set(accountId, this.options.clock.monotonicMs());
    if (this.#lastArrivals.size <= 2) return;
    const [oldest] = this.#lastArrivals.keys();
    if (oldest !== undefined) this.#lastArrivals.delete(oldest);
  }

  /** Whether there is a place for it now. A request for more places than exist runs alone. */
  fits(request: PlaceRequest): boolean {
    // Read once: an engine puts its status together each time.
    const capacity = this.options.capacity();
    return this.#wouldTake(request, capacity) <= capacity && !this.isHeldBack(request, capacity);
  }

  /** Only the last place is left, which is reserved for other accounts: they may overtake. */
  isHeldBack(request: PlaceRequest, capacity = this.options.capacity()): boolean {
    if (capacity < 2 || this.#wouldTake(request, capacity) < capacity || this.#canPreempt()) return false;
    const holdsNothing = request.isFlex === true ? this.#taken === 0 : this.#heldFor(request.accountId) === 0;
    return !holdsNothing && this.#othersAreActive(request.accountId);
  }

  /** Whether the engine preempts another account's request for it. */
  displaces({ accountId, places, weight = 1, isFlex = false }: PlaceRequest): boolean {
    if (isFlex || !this.#canPreempt()) return false;
    const own = this.#heldFor(accountId);
    let weights = own > 0 ? 0 : weight;
    for (const held of this.#heldBy.values()) weights += held.weight;
    const shareOf = (part: number) => Math.floor((this.options.capacity() * part) / weights);
    if (own + places > shareOf(weight)) return false;
    for (const held of this.#heldBy.values()) if (held.places > shareOf(held.weight)) return true;
    return false;
  }

  #canPreempt(): boolean {
    return this.options.preempts?.() === true;
  }

  #wouldTake({ places }: PlaceRequest, capacity: number): number {
    return this.#taken + Math.min(places, Math.max(1, capacity));
  }

  #heldFor(accountId: string): number {
    return this.#heldBy.get(accountId)?.places ?? 0;
  }

  #othersAreActive(accountId: string): boolean {
    const sinceMs = this.options.clock.monotonicMs() - recentMs;
    return [...this.#lastArrivals].some(([id, arrivedMs]) => id !== accountId && arrivedMs > sinceMs);
  }
}
