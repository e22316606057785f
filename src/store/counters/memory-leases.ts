import type { Lease } from "../../core/counters.js";

/** Leases of this process, granted without a round trip. */
export interface LocalLeases {
  /** Null when this process holds `limit` of them. */
  acquire(name: string, limit: number): Lease | null;
  heldHere(name: string): number;
}

/** Held by this process alone, so they end with it and need no time to live. */
export class MemoryLeases implements LocalLeases {
  readonly #held = new Map<string, number>();

  acquire(name: string, limit: number): Lease | null {
    const held = this.heldHere(name);
    if (held >= limit) return null;
    this.#held.set(name, held + 1);
    let isReleased = false;
    return {
      release: () => {
        if (isReleased) return;
        isReleased = true;
        const left = this.heldHere(name) - 1;
        if (left > 0) this.#held.set(name, left);
        else this.#held.delete(name);
      },
    };
  }

  heldHere(name: string): number {
    return this.#held.get(name) ?? 0;
  }
}
