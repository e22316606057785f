/**
 * How many leases of each name the other replicas hold, as far as this one knows: from what they report every second,
 * and from its own acquisitions, which return how many there are in total. A report may be a second old when it is
 * read, so a count from an acquisition is kept beside it for two, and the larger one is used.
 */
import { z } from "zod";
import type { Clock } from "../../core/ports.js";

const freshMs = 2_000;

/** What each of the others holds: counts by name, as JSON. */
export const holdingsSchema = z.array(
  z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(z.record(z.string(), z.number())),
);

export class HoldingsElsewhere {
  #told = new Map<string, number>();
  readonly #seen = new Map<string, { count: number; atMs: number }>();

  constructor(private readonly clock: Clock) {}

  /** An acquisition said so just now. */
  saw(name: string, count: number): void {
    this.#seen.set(name, { count: Math.max(0, count), atMs: this.clock.monotonicMs() });
  }

  /** Replaces what was heard before. */
  heard(others: z.infer<typeof holdingsSchema>): void {
    this.#forgetOld();
    this.#told = new Map();
    for (const held of others) {
      for (const [name, count] of Object.entries(held)) {
        this.#told.set(name, (this.#told.get(name) ?? 0) + count);
      }
    }
  }

  /** Keeps what is known at this moment: from now on nothing is heard. */
  freeze(): void {
    this.#forgetOld();
  }

  count(name: string): number {
    return Math.max(this.#told.get(name) ?? 0, this.#seen.get(name)?.count ?? 0);
  }

  /** Without what acquisitions said, which includes those of this replica that have no answer yet. */
  told(name: string): number {
    return this.#told.get(name) ?? 0;
  }

  #forgetOld(): void {
    const nowMs = this.clock.monotonicMs();
    for (const [name, { atMs }] of this.#seen) if (nowMs - atMs > freshMs) this.#seen.delete(name);
  }
}
