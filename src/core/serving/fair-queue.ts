/**
 * Which request runs next on a model when not all of them fit.
 *
 * Start-time fair queueing between accounts. Each request gets a start tag: the queue's virtual time, or the
 * end of its account's previous request if that is later; the account's end then moves on by the request's
 * cost in tokens. The smallest start tag runs first, and the virtual time follows the tags that started. So
 * an account with a hundred requests waiting and one with a single request take turns by tokens, and inside
 * an account the first to come is the first served. What a run did not use of its cost is given back to its
 * account when it leaves. An account with a weight pays as much less for a token, and so gets as much more of the engine
 * while others wait.
 *
 * Requests that may wait (`isFlex`) run when no other waits, in turns of their own: an account's others do not pay for
 * them. They have half of the queue at most, and no place that is reserved; the limit on the wait is theirs, too.
 *
 * Places are shared by account as well (place-shares.ts): no account keeps all of them while another waits.
 *
 * Bounded in length and in wait: past either, `overloaded` with the time after which there should be room, which
 * differs from caller to caller (retry-after.ts). A waiter whose signal aborts leaves immediately. An engine sends no
 * event when its capacity grows, as a pool's does when one of its engines recovers, so it is polled while anything
 * waits.
 */
import { ServiceError } from "../errors.js";
import { DrainRate } from "./drain-rate.js";
import { type PlaceRequest, PlaceShares, type PlaceSharesOptions } from "./place-shares.js";
import { RetryAfter } from "./retry-after.js";
import { waitForTurn } from "../wait-for-turn.js";

interface FairQueueOptions extends PlaceSharesOptions {
  maxLength: number;
  maxWaitMs: number;
}

export interface Slot {
  /** Safe to call more than once. `usedCost` is what the run cost in the end. */
  leave(usedCost: number): void;
}

interface Entrant extends PlaceRequest {
  /** In tokens. */
  cost: number;
}

interface Waiter extends Entrant {
  startTag: number;
  enter: (slot: Slot) => void;
}

/** How often the capacity is read while anything waits. */
const pollMs = 250;

/** How many end tags are kept before those of accounts that are no longer ahead are dropped. */
const fewAccounts = 1000;

export class FairQueue {
  readonly #waiting = new Set<Waiter>();
  /** Virtual time at which each account's latest request ends; only of accounts ahead of virtual time. */
  readonly #endTags = new Map<string, number>();
  #virtualTime = 0;
  readonly #places: PlaceShares;
  readonly #drainRate = new DrainRate();
  readonly #retryAfter = new RetryAfter();
  #poll: NodeJS.Timeout | undefined;
  #pruneAtSize = fewAccounts;

  constructor(private readonly options: FairQueueOptions) {
    this.#places = new PlaceShares(options);
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Places that are taken. */
  get running(): number {
    return this.#places.taken;
  }

  /** Throws what `enter` would throw for a full queue, before any work is spent on the request. */
  requireRoom(entrant: PlaceRequest): void {
    const { maxLength } = this.options;
    if (this.#waiting.size < (entrant.isFlex === true ? maxLength / 2 : maxLength)) return;
    const isNext = this.#places.fits(entrant) && this.#firstInTurn() === undefined;
    if (!isNext && !this.#places.displaces(entrant)) throw this.#overloaded("The queue is full");
  }

  async enter(entrant: Entrant, signal: AbortSignal): Promise<Slot> {
    signal.throwIfAborted();
    if (this.#waiting.size === 0 && this.#places.fits(entrant)) return this.#enterNow(entrant);
    this.requireRoom(entrant);
    return waitForTurn<Slot>((enter) => this.#join(entrant, enter), {
      signal,
      limitMs: this.options.maxWaitMs,
      tooLate: () => this.#overloaded("The request waited too long"),
    });
  }

  /** Without a wait, and so without its timer and its listener. */
  #enterNow(entrant: Entrant): Slot {
    this.#virtualTime = Math.max(this.#virtualTime, this.#tag(entrant));
    return this.#slot(entrant);
  }

  #join(entrant: Entrant, enter: (slot: Slot) => void): () => void {
    const waiter: Waiter = { ...entrant, startTag: this.#tag(entrant), enter };
    this.#waiting.add(waiter);
    this.#dispatch();
    return () => {
      this.#waiting.delete(waiter);
      this.#giveBack(entrant, entrant.cost);
      // Those behind may need less room.
      this.#dispatch();
    };
  }

  #dispatch(): void {
    for (;;) {
      const next = this.#next();
      if (next === undefined) break;
      this.#waiting.delete(next);
      this.#virtualTime = Math.max(this.#virtualTime, next.startTag);
      next.enter(this.#slot(next));
    }
    this.#drainRate.setWaiting(this.#waiting.size > 0, this.options.clock.monotonicMs());
    this.#pollWhileWaiting();
    if (this.#places.taken === 0 && this.#waiting.size === 0) this.#reset();
  }

  #pollWhileWaiting(): void {
    if (this.#waiting.size === 0) {
      clearInterval(this.#poll);
      this.#poll = undefined;
      return;
    }
    this.#poll ??= setInterval(() => {
      this.#dispatch();
    }, pollMs).unref();
  }

  #slot(entrant: Entrant): Slot {
    const { clock, capacity } = this.options;
    this.#places.take(entrant);
    const startedMs = clock.monotonicMs();
    let left = false;
    return {
      leave: (usedCost) => {
        if (left) return;
        left = true;
        this.#places.giveBack(entrant);
        this.#giveBack(entrant, Math.max(0, entrant.cost - usedCost));
        const nowMs = clock.monotonicMs();
        this.#drainRate.departed(nowMs - startedMs, capacity(), nowMs);
        this.#dispatch();
      },
    };
  }

  /** A request that needs many places is overtaken only by those that preempt others: otherwise it would starve. */
  #next(): Waiter | undefined {
    const first = this.#firstInTurn();
    if (first !== undefined && this.#places.fits(first)) return first;
    return this.#smallestTag((waiter) => this.#places.displaces(waiter));
  }

  #firstInTurn(): Waiter | undefined {
    return this.#smallestTag((waiter) => !this.#places.isHeldBack(waiter));
  }

  #smallestTag(matches: (waiter: Waiter) => boolean): Waiter | undefined {
    let smallest: Waiter | undefined;
    for (const waiter of this.#waiting) {
      const isSmaller = smallest === undefined || comesBefore(waiter, smallest);
      if (isSmaller && matches(waiter)) smallest = waiter;
    }
    return smallest;
  }

  #tag(entrant: Entrant): number {
    const payer = payerOf(entrant);
    const startTag = Math.max(this.#virtualTime, this.#endTags.get(payer) ?? 0);
    this.#endTags.set(payer, startTag + entrant.cost / (entrant.weight ?? 1));
    this.#places.noteArrival(entrant.accountId);
    if (this.#endTags.size >= this.#pruneAtSize) this.#pruneEndTags();
    return startTag;
  }

  /** Drops tags that the virtual time has passed. Rare, so its cost for each request is negligible. */
  #pruneEndTags(): void {
    for (const [id, endTag] of this.#endTags) if (endTag <= this.#virtualTime) this.#endTags.delete(id);
    this.#pruneAtSize = Math.max(fewAccounts, 2 * this.#endTags.size);
  }

  #giveBack(entrant: Entrant, cost: number): void {
    const payer = payerOf(entrant);
    const endTag = (this.#endTags.get(payer) ?? 0) - cost / (entrant.weight ?? 1);
    // An account that is not ahead needs no memory: it would start at the virtual time anyway.
    if (endTag > this.#virtualTime) this.#endTags.set(payer, endTag);
    else this.#endTags.delete(payer);
  }

  /** In an idle queue no account is ahead of another; resetting keeps the tags small and the map empty. */
  #reset(): void {
    this.#virtualTime = 0;
    if (this.#endTags.size > 0) this.#endTags.clear();
  }

  /** Reserves a retry slot for a refused caller: call it once for each. */
  #overloaded(reason: string): ServiceError {
    const { clock, maxLength } = this.options;
    const nowMs = clock.monotonicMs();
    const capacity = this.options.capacity();
    const retryAfterSeconds = this.#retryAfter.next(
      {
        ahead: this.#waiting.size,
        intervalMs: this.#drainRate.intervalMs(capacity, nowMs),
        room: maxLength + capacity,
      },
      nowMs,
    );
    return new ServiceError("overloaded", {
      message: `${reason}: the service is at capacity. Try again in ${retryAfterSeconds} s.`,
      retryAfterSeconds,
    });
  }
}

function comesBefore(waiter: Waiter, other: Waiter): boolean {
  const [mayWait, mayOtherWait] = [waiter.isFlex === true, other.isFlex === true];
  return mayWait === mayOtherWait ? waiter.startTag < other.startTag : mayOtherWait;
}

/** Whose turn it is: an account has one of its own for what may wait. */
const payerOf = ({ accountId, isFlex }: Entrant): string =>
  isFlex === true ? `${accountId} flex` : accountId;
