/**
 * Bounds concurrency: first come, first served, also when one that needs several
 * permits has to wait for them. The queue is bounded in length and in wait; past either, `refusal` is thrown.
 * Where accounts must not block one another, the queue has to be fair between them: fair-queue.ts, and
 * fair-shares.ts for request bodies.
 */
import { waitForTurn } from "./wait-for-turn.js";

export interface SemaphoreOptions {
  permits: number;
  maxWaiting: number;
  maxWaitMs: number;
  /** The error when the queue is full or the wait was too long. */
  refusal: (cause: "full" | "too late") => Error;
}

interface Waiter {
  count: number;
  enter: () => void;
}

export class Semaphore {
  readonly #waiting = new Set<Waiter>();
  #taken = 0;

  constructor(private readonly options: SemaphoreOptions) {}

  /** Releases the permit when the work ends, whether or not it succeeds. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const release = await this.acquire();
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Resolves to the function that releases the permits, safe to call more than once. */
  async acquire({ signal, count = 1 }: { signal?: AbortSignal; count?: number } = {}): Promise<() => void> {
    signal?.throwIfAborted();
    const { maxWaiting, maxWaitMs, refusal } = this.options;
    if (this.#waiting.size === 0 && this.#fits(count)) this.#taken += count;
    else if (this.#waiting.size >= maxWaiting) throw refusal("full");
    else
      await waitForTurn<true>((grant) => this.#join(count, () => grant(true)), {
        signal,
        limitMs: maxWaitMs,
        tooLate: () => refusal("too late"),
      });
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#taken -= count;
      this.#dispatch();
    };
  }

  #join(count: number, grant: () => void): () => void {
    const waiter = { count, enter: grant };
    this.#waiting.add(waiter);
    return () => {
      this.#waiting.delete(waiter);
      // Those behind may need fewer.
      this.#dispatch();
    };
  }

  #dispatch(): void {
    for (const waiter of this.#waiting) {
      if (!this.#fits(waiter.count)) return;
      this.#waiting.delete(waiter);
      // Taken here and not by the waiter when it resumes, so that no newcomer gets in between.
      this.#taken += waiter.count;
      waiter.enter();
    }
  }

  /** A request for more permits than exist runs alone. */
  #fits(count: number): boolean {
    const { permits } = this.options;
    return this.#taken + Math.min(count, permits) <= permits;
  }
}
