/**
 * Turns the key on a request into its caller, from memory whenever it can.
 *
 * A record read from the store is trusted for one second, so revocations and suspensions made by another process are
 * seen within that time; the ones made by this process call `forget` and are seen immediately. Expiry and revocation
 * times are compared with the clock on every request, not when the record is read, so a key that ends in the future
 * ends on time. Requests that need the same record share one query.
 *
 * When the store is unreachable, a record read within the last 60 s keeps working and everything else is answered
 * "try again" (503): a key is neither refused as unknown nor accepted unchecked. A store that does not answer counts
 * as unreachable: a key that is in memory waits for it for a second, any other for five.
 *
 * Records are held by the hash of their key; the key itself is never kept. Unknown keys are not held at all, so
 * guessing cannot push real callers out of memory. Two of them are looked up concurrently, so that a flood of them
 * does not delay lookups of known keys.
 *
 * The days of last use, and the models, are collected here and written in batches. A failed write keeps them for the
 * next one, of a bounded number of keys; losing a few seconds of them in a crash is the accepted price.
 */
import type { Clock } from "../clock.js";
import type { KeyRecord } from "../entities.js";
import { ServiceError } from "../errors.js";
import { keyHash, keyName } from "./key-format.js";
import type { ModelId } from "../models.js";
import { PeriodicTask } from "../periodic-task.js";
import { Semaphore } from "../semaphore.js";
import { isUsable } from "../serving/permission.js";
import type { KeyUse, Store } from "../store.js";
import { withTimeLimit } from "../time-limit.js";

const capacity = 10_000;
const freshMs = 1_000;
const usableWithoutStoreMs = 60_000;
/** How long a record is used without asking a store that was found to be unreachable. */
const freshWithoutStoreMs = 3_000;
const flushEveryMs = 5_000;
const mostLastUsed = 20_000;
/** Of keys that are not in memory. */
const lookupsAtOnce = 2;
const mostLookupsWaiting = 1_000;

export interface KeyRingWaits {
  /** For a store that does not answer. */
  storeMs: number;
  /** The same, when there is a record that can be used instead. */
  staleAfterMs: number;
}

interface Entry {
  record: KeyRecord;
  readAtMs: number;
  /** When to ask the store again. */
  freshUntilMs: number;
}

export class KeyRing {
  /** By the key's hash, the least recently used first. */
  readonly #entries = new Map<string, Entry>();
  readonly #lookups = new Map<string, Promise<KeyRecord | null>>();
  #lastUsed = new Map<string, KeyUse>();
  /** Counts calls of `forget`: a query that began before one must not put its answer back. */
  #forgotten = 0;
  /** When a record was last read from the store. */
  #lastReadMs: number | null = null;
  readonly #flushes: PeriodicTask;
  readonly #newKeys: Semaphore;

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly waits: KeyRingWaits = { storeMs: 5_000, staleAfterMs: 1_000 },
  ) {
    this.#flushes = new PeriodicTask(() => this.#write(), flushEveryMs);
    this.#newKeys = new Semaphore({
      permits: lookupsAtOnce,
      maxWaiting: mostLookupsWaiting,
      maxWaitMs: waits.storeMs,
      refusal: () => new Error("Too many keys are being looked up."),
    });
  }

  /**
   * Throws `invalid_api_key` for any key that does not work now, `overloaded` while the store is unreachable and the key
   * is not cached.
   */
  async verify(authorizationKey: string): Promise<KeyRecord> {
    const name = keyName(authorizationKey);
    const record = this.#fresh(name) ?? (await this.#find(name, authorizationKey));
    const now = this.clock.now();
    if (record === null || !isUsable(record, now)) throw new ServiceError("invalid_api_key");

    this.#noteUse(record.key.id, null, now);
    return record;
  }

  /** Notes that a request with this key named this model. */
  noteModel(keyId: string, model: ModelId): void {
    this.#noteUse(keyId, model, this.clock.now());
  }

  /** Whether there may be a key that works while the store is unreachable. */
  get isUsableWithoutStore(): boolean {
    return this.#lastReadMs !== null && this.clock.monotonicMs() - this.#lastReadMs < usableWithoutStoreMs;
  }

  /** Call after changing a key, so that the next request sees the change. */
  forget(keyId: string): void {
    this.#drop((record) => record.key.id === keyId);
  }

  /** Call after changing an account or its plan; its keys in teams are forgotten too. */
  forgetAccount(accountId: string): void {
    this.#drop(({ account, member }) => account.id === accountId || member?.id === accountId);
  }

  /** Call after changing what many accounts share, such as a plan. */
  forgetAll(): void {
    this.#drop(() => true);
  }

  /** Writes the last-used times collected so far. Never rejects. */
  flush(): Promise<void> {
    return this.#flushes.run();
  }

  close(): Promise<void> {
    return this.#flushes.finish();
  }

  #noteUse(keyId: string, model: ModelId | null, at: Date): void {
    const held = this.#lastUsed.get(keyId);
    if (held !== undefined) {
      held.at = at;
      held.model = model ?? held.model;
    } else if (this.#lastUsed.size < mostLastUsed) {
      this.#lastUsed.set(keyId, { at, model });
    }
  }

  async #write(): Promise<void> {
    if (this.#lastUsed.size === 0) return;
    const batch = this.#lastUsed;
    this.#lastUsed = new Map();
    try {
      await withTimeLimit(this.store.touchKeys(batch), this.waits.storeMs);
    } catch {
      const since = this.#lastUsed;
      this.#lastUsed = new Map([...batch].slice(-mostLastUsed));
      for (const [keyId, { model, at }] of since) this.#noteUse(keyId, model, at);
    }
  }

  #fresh(name: string): KeyRecord | null {
    const entry = this.#entries.get(name);
    if (entry === undefined || this.clock.monotonicMs() >= entry.freshUntilMs) return null;
    this.#keep(name, entry);
    return entry.record;
  }

  async #find(name: string, key: string): Promise<KeyRecord | null> {
    const hash = keyHash(key);
    if (hash === null) return null;
    const entry = this.#entries.get(name);
    try {
      const lookup = this.#lookUp(name, hash);
      const isUsableWithout = entry !== undefined && this.#isUsableWithoutStore(entry);
      return await (isUsableWithout ? withTimeLimit(lookup, this.waits.staleAfterMs) : lookup);
    } catch {
      return this.#recordWithoutStore(name);
    }
  }

  #lookUp(name: string, hash: Uint8Array): Promise<KeyRecord | null> {
    const shared = this.#lookups.get(name);
    if (shared !== undefined) return shared;

    const read = () => withTimeLimit(this.#read(name, hash), this.waits.storeMs);
    const lookup = (this.#entries.has(name) ? read() : this.#newKeys.run(read)).finally(() => {
      if (this.#lookups.get(name) === lookup) this.#lookups.delete(name);
    });
    this.#lookups.set(name, lookup);
    return lookup;
  }

  async #read(name: string, hash: Uint8Array): Promise<KeyRecord | null> {
    const forgottenBefore = this.#forgotten;
    // The age of a record counts from before the query: what changed while it ran may not be in it.
    const readAtMs = this.clock.monotonicMs();
    const record = await this.store.findKeyByHash(hash);
    // An answer that took so long that it was given up may find a newer one in its place.
    const isNewest = readAtMs >= (this.#entries.get(name)?.readAtMs ?? 0);
    if (record !== null) this.#lastReadMs = Math.max(this.#lastReadMs ?? 0, readAtMs);
    if (record === null) this.#entries.delete(name);
    else if (this.#forgotten === forgottenBefore && isNewest) {
      this.#keep(name, { record, readAtMs, freshUntilMs: readAtMs + freshMs });
    }
    return record;
  }

  #recordWithoutStore(name: string): KeyRecord {
    const nowMs = this.clock.monotonicMs();
    const entry = this.#entries.get(name);
    if (entry === undefined || !this.#isUsableWithoutStore(entry)) {
      throw new ServiceError("overloaded", {
        message: "The account database is unreachable. Try again shortly.",
        retryAfterSeconds: 5,
      });
    }
    // An unreachable store may take long to fail: do not make every request wait for it.
    entry.freshUntilMs = Math.min(nowMs + freshWithoutStoreMs, entry.readAtMs + usableWithoutStoreMs);
    this.#keep(name, entry);
    return entry.record;
  }

  #isUsableWithoutStore(entry: Entry): boolean {
    return this.clock.monotonicMs() - entry.readAtMs < usableWithoutStoreMs;
  }

  #keep(name: string, entry: Entry): void {
    this.#entries.delete(name);
    this.#entries.set(name, entry);
    if (this.#entries.size <= capacity) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  #drop(matches: (record: KeyRecord) => boolean): void {
    this.#forgotten += 1;
    // Requests that wait on a query keep its answer; later ones query again.
    this.#lookups.clear();
    for (const [name, { record }] of this.#entries) {
      if (matches(record)) this.#entries.delete(name);
    }
  }
}
