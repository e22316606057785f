/**
 * Refuses a request that was recorded and is sent again: the encapsulated key of an encrypted request is random, and
 * is accepted once in the life of the key that it was made for.
 *
 * Uses are remembered by 8 bytes of a keyed hash, in a table of their own for each key, which goes with the key: 16
 * MB for the million that one may have. Before it has had so many it is replaced (`HpkeKeys.replace`), and with the
 * last of them it is accepted no longer. Replicas share uses through Redis; where there is none, or while it is
 * unreachable, each knows its own only. After a restart without Redis they are forgotten: see docs/encryption.md.
 */
import { hash, randomBytes } from "node:crypto";
import type { HpkeKey, HpkeKeys } from "./hpke-keys.js";

const maxUses = 1_000_000;
const firstSlots = 1_024;

/** What replicas tell one another of. */
export interface SharedUses {
  /** True for the first of all callers within that time; also while Redis cannot be asked. */
  claim(name: string, forMs: number): Promise<boolean>;
}

interface SingleUseOptions {
  keys: Pick<HpkeKeys, "replace" | "endOf">;
  now: () => Date;
  shared: SharedUses | null;
  maxUses?: number;
  onError: (error: unknown) => void;
}

export class SingleUse {
  readonly #uses = new WeakMap<HpkeKey, Fingerprints>();
  readonly #secret = randomBytes(32).toString("hex");
  readonly #maxUses: number;
  #isReplacing = false;

  constructor(private readonly options: SingleUseOptions) {
    this.#maxUses = options.maxUses ?? maxUses;
  }

  /** Whether it is the first use. */
  async claim(key: HpkeKey, encapsulated: Uint8Array): Promise<boolean> {
    const { keys, now, shared } = this.options;
    const uses = this.#usesOf(key);
    const name = Buffer.from(encapsulated).toString("hex");
    if (!uses.add(hash("sha256", this.#secret + name, "buffer"))) return false;
    if (uses.size >= this.#maxUses) key.isUsedUp = true;
    if (uses.size * 8 >= this.#maxUses * 7) this.#replace(key);
    if (shared === null) return true;
    return shared.claim(name, Math.max(1, keys.endOf(key).getTime() - now().getTime()));
  }

  /** One at a time. When it fails, the next use tries again. */
  #replace(key: HpkeKey): void {
    if (this.#isReplacing) return;
    this.#isReplacing = true;
    void this.options.keys
      .replace(key)
      .catch(this.options.onError)
      .finally(() => {
        this.#isReplacing = false;
      });
  }

  #usesOf(key: HpkeKey): Fingerprints {
    const known = this.#uses.get(key) ?? new Fingerprints();
    this.#uses.set(key, known);
    return known;
  }
}

/** A set of 64-bit numbers, each as two halves, with open addressing, at most three quarters full. */
class Fingerprints {
  size = 0;
  #halves = new Uint32Array(2 * firstSlots);

  /** False if it is there. */
  add(digest: Buffer): boolean {
    // An empty slot is 0.
    const [high, low] = [digest.readUInt32BE(0), digest.readUInt32BE(4) || 1];
    const place = this.#placeOf(high, low);
    if (this.#halves[place + 1] !== 0) return false;
    this.#halves[place] = high;
    this.#halves[place + 1] = low;
    this.size += 1;
    if (this.size * 8 > this.#halves.length * 3) this.#grow();
    return true;
  }

  /** Where it is or would be. */
  #placeOf(high: number, low: number): number {
    const halves = this.#halves;
    const last = halves.length - 1;
    let place = (high * 2) & last;
    while (halves[place + 1] !== 0 && (halves[place] !== high || halves[place + 1] !== low)) {
      place = (place + 2) & last;
    }
    return place;
  }

  #grow(): void {
    const old = this.#halves;
    this.#halves = new Uint32Array(old.length * 2);
    for (let i = 0; i < old.length; i += 2) {
      const [high = 0, low = 0] = [old[i], old[i + 1]];
      if (low !== 0) this.#halves.set([high, low], this.#placeOf(high, low));
    }
  }
}
