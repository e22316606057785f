/**
 * Refuses a request that was recorded and is sent again: the encapsulated key of an encrypted request is random, and
 * is accepted once in the life of the key that it was made for.
 *
 * Uses are remembered by 53 bits of a keyed hash, in a set of their own for each key, which goes with the key: 40 MB
 * for the million that one may have. Before it has had so many it is replaced (`HpkeKeys.replace`), and with the
 * last of them it is accepted no longer. Replicas share uses through Redis; where there is none, or while it is
 * unreachable, each knows its own only. After a restart without Redis they are forgotten: see docs/encryption.md.
 */
import { hash, randomBytes } from "node:crypto";
import type { HpkeKey, HpkeKeys } from "./hpke-keys.js";

const maxUses = 1_000_000;

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
  readonly #uses = new WeakMap<HpkeKey, Set<number>>();
  readonly #secret = randomBytes(32).toString("hex");
  readonly #maxUses: number;
  #isReplacing = false;

  constructor(private readonly options: SingleUseOptions) {
    this.#maxUses = options.maxUses ?? maxUses;
  }

  /** Whether it is the first use. */
  async claim(key: HpkeKey, encapsulated: Uint8Array): Promise<boolean> {
    const { keys, now, shared } = this.options;
    const uses = this.#uses.get(key) ?? new Set();
    this.#uses.set(key, uses);
    const name = Buffer.from(encapsulated).toString("hex");
    const use = fingerprint(hash("sha256", this.#secret + name, "buffer"));
    if (uses.has(use)) return false;
    uses.add(use);
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
}

/** As many bits of the keyed hash as a number has. */
const fingerprint = (digest: Buffer): number => digest.readUIntBE(0, 6) * 32 + (digest.readUInt8(6) >> 3);
