/** Who may use the engine's sequences: first come, first served. A waiter whose signal aborts leaves at once. */
export class Slots {
  /** Each tells its waiter that it is its turn. */
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(private capacity: number) {}

  /** The engine may come back from a restart with another number of sequences. */
  setCapacity(capacity: number): void {
    this.capacity = capacity;
    this.#dispatch();
  }

  /** Resolves to the function that gives the slot back, safe to call more than once. */
  async acquire(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    let entered = false;
    await new Promise<void>((resolve) => {
      const leave = () => {
        this.#waiting.delete(enter);
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const enter = () => {
        entered = true;
        this.#taken += 1;
        leave();
      };
      signal.addEventListener("abort", leave);
      this.#waiting.add(enter);
      this.#dispatch();
    });
    const release = () => {
      if (!entered) return;
      entered = false;
      this.#taken -= 1;
      this.#dispatch();
    };
    if (signal.aborted) release();
    signal.throwIfAborted();
    return release;
  }

  #dispatch(): void {
    for (const enter of this.#waiting) {
      if (this.#taken >= this.capacity) return;
      enter();
    }
  }
}
