/**
 * A semaphore over the engine's sequences: first come, first served, also when the first needs several and has to
 * wait for them. A waiter whose signal aborts leaves at once.
 */
interface Waiter {
  count: number;
  /** Called when it is the waiter's turn. */
  enter: () => void;
}

export class Slots {
  readonly #waiting = new Set<Waiter>();
  #taken = 0;

  constructor(private capacity: number) {}

  /** After a restart the engine may have another number of sequences. */
  setCapacity(capacity: number): void {
    this.capacity = capacity;
    this.#dispatch();
  }

  /** Resolves to the function that gives the slots back, safe to call more than once. */
  async acquire(signal: AbortSignal, count = 1): Promise<() => void> {
    signal.throwIfAborted();
    let entered = false;
    await new Promise<void>((resolve) => {
      const leave = () => {
        this.#waiting.delete(waiter);
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const enter = () => {
        entered = true;
        this.#taken += count;
        leave();
      };
      const waiter = { count, enter };
      signal.addEventListener("abort", leave);
      this.#waiting.add(waiter);
      this.#dispatch();
    });
    const release = () => {
      if (!entered) return;
      entered = false;
      this.#taken -= count;
      this.#dispatch();
    };
    if (signal.aborted) {
      release();
      // Whoever waited behind one that needed more may go now.
      this.#dispatch();
    }
    signal.throwIfAborted();
    return release;
  }

  #dispatch(): void {
    for (const { count, enter } of this.#waiting) {
      // After a restart there may be fewer than a waiter asked for: it gets what there is.
      const enough = Math.min(count, Math.max(1, this.capacity));
      if (this.#taken + enough > this.capacity) return;
      enter();
    }
  }
}
