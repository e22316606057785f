/**
 * A limited resource, bytes or turns, with a limit for all owners together and one for each. Requests that do not
 * fit wait. Owners are served round-robin, and each owner's requests in order. A request that waits for its owner's
 * share lets others pass; one that waits for the total is not overtaken, so that small requests do not starve a large
 * one. An owner that holds nothing may take more than its share: a request larger than a share runs alone.
 */
import { waitForTurn } from "../../core/wait-for-turn.js";
import { ServiceError } from "../../core/errors.js";

export interface FairSharesOptions {
  total: number;
  perOwner: number;
  maxWaitMs: number;
  maxWaiting: number;
}

interface Waiter {
  amount: number;
  grant: () => void;
}

export class FairShares {
  #used = 0;
  readonly #usedBy = new Map<string, number>();
  /** By owner, the next to be served first. None is empty. */
  readonly #waiting = new Map<string, Waiter[]>();
  #waiters = 0;

  constructor(private readonly options: FairSharesOptions) {}

  /** How many wait. */
  get waiting(): number {
    return this.#waiters;
  }

  /**
   * Resolves with what gives it back, to be called once. Throws `overloaded` when there is none in time or too
   * many wait, and the signal's reason when that aborts.
   */
  async take(owner: string, amount: number, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#waiters === 0 && this.#fits(owner, amount)) this.#use(owner, amount);
    else await this.#wait(owner, amount, signal);
    let isGiven = false;
    return () => {
      if (isGiven) return;
      isGiven = true;
      this.#use(owner, -amount);
      this.#serve();
    };
  }

  async #wait(owner: string, amount: number, signal: AbortSignal): Promise<void> {
    if (this.#waiters >= this.options.maxWaiting) throw overloaded();
    await waitForTurn<true>((grant) => this.#join(owner, { amount, grant: () => grant(true) }), {
      signal,
      limitMs: this.options.maxWaitMs,
      tooLate: overloaded,
    });
  }

  #join(owner: string, waiter: Waiter): () => void {
    const line = this.#waiting.get(owner) ?? [];
    line.push(waiter);
    this.#waiting.set(owner, line);
    this.#waiters += 1;
    // It may fit although others wait: they may be waiting for their own shares.
    this.#serve();
    return () => {
      this.#leave(owner, waiter);
      this.#serve();
    };
  }

  /** Admits everyone there is room for now. */
  #serve(): void {
    for (;;) {
      const next = this.#next();
      if (next === null) return;
      const [owner, waiter] = next;
      this.#leave(owner, waiter);
      // To the end of the round.
      const line = this.#waiting.get(owner);
      if (line !== undefined && this.#waiting.delete(owner)) this.#waiting.set(owner, line);
      this.#use(owner, waiter.amount);
      waiter.grant();
    }
  }

  #next(): [owner: string, waiter: Waiter] | null {
    for (const [owner, [waiter]] of this.#waiting) {
      if (waiter === undefined || !this.#fitsOwner(owner, waiter.amount)) continue;
      return this.#fitsTotal(waiter.amount) ? [owner, waiter] : null;
    }
    return null;
  }

  #leave(owner: string, waiter: Waiter): void {
    const line = this.#waiting.get(owner) ?? [];
    const left = line.filter((other) => other !== waiter);
    this.#waiters -= line.length - left.length;
    if (left.length === 0) this.#waiting.delete(owner);
    else this.#waiting.set(owner, left);
  }

  #use(owner: string, amount: number): void {
    this.#used += amount;
    const used = (this.#usedBy.get(owner) ?? 0) + amount;
    if (used === 0) this.#usedBy.delete(owner);
    else this.#usedBy.set(owner, used);
  }

  #fits(owner: string, amount: number): boolean {
    return this.#fitsOwner(owner, amount) && this.#fitsTotal(amount);
  }

  #fitsOwner(owner: string, amount: number): boolean {
    const used = this.#usedBy.get(owner) ?? 0;
    return used === 0 || used + amount <= this.options.perOwner;
  }

  #fitsTotal(amount: number): boolean {
    return this.#used === 0 || this.#used + amount <= this.options.total;
  }
}

const overloaded = (): ServiceError =>
  new ServiceError("overloaded", {
    message: "The server is busy with other large requests. Try again after the time in Retry-After.",
    retryAfterSeconds: 5,
  });
