/**
 * The keys that encrypted bodies are opened with: a random one for each period of time, among the service's sealed
 * settings under a name that every replica derives from the clock, so that the first to need one creates it and all
 * have the same. The next key is created some time before its period begins, so that a replica whose clock is ahead
 * hands out none that the others do not know. A key is accepted for one more period than its own; then it is
 * deleted, and nothing that was encrypted to it can be read any more.
 *
 * A key that was used so often that its uses cannot all be remembered (`single-use.ts`) is replaced within its
 * period by one of the next generation. Other replicas learn of that one within a minute.
 *
 * While the database is unreachable the keys in memory are used on.
 */
import { randomBytes } from "node:crypto";
import type { Clock } from "../clock.js";
import { PeriodicTask } from "../periodic-task.js";
import { HpkeKeyPair, keyBytes } from "./hpke.js";
import type { SealedSettings } from "./sealed-settings.js";

const hpkeKeyPrefix = "hpke_key_";
const refreshEveryMs = 60_000;
/** How long before its period the next key is created, but no more than a quarter of a period. */
const aheadMs = 30 * 60_000;

export interface HpkeKey {
  /** One byte, as in its key configuration. */
  id: number;
  /** 32 bytes, raw. */
  publicKey: Buffer;
  pair: HpkeKeyPair;
  period: number;
  generation: number;
  /** No more uses of it can be remembered. */
  isUsedUp: boolean;
}

interface HpkeKeysOptions {
  clock: Clock;
  periodMs: number;
  /** Called with the error of a failed refresh, which is retried within a minute. */
  onError: (error: unknown) => void;
}

export class HpkeKeys {
  readonly #keys = new Map<string, HpkeKey>();
  readonly #refreshing: PeriodicTask;
  readonly #listeners: (() => void)[] = [];

  private constructor(
    private readonly sealed: SealedSettings,
    private readonly options: HpkeKeysOptions,
  ) {
    this.#refreshing = new PeriodicTask(() => this.#refresh().catch(options.onError), refreshEveryMs);
  }

  /** Rejects with `SealedElsewhere` or `StoreUnavailable`. */
  static async open(sealed: SealedSettings, options: HpkeKeysOptions): Promise<HpkeKeys> {
    const keys = new HpkeKeys(sealed, options);
    try {
      await keys.#refresh();
      return keys;
    } catch (error) {
      await keys.close();
      throw error;
    }
  }

  /** The one that clients are told to use. */
  current(): HpkeKey {
    const now = this.#period();
    const [first, ...others] = this.#keys.values();
    if (first === undefined) throw new Error("There are no keys before `open` resolved.");
    return others.reduce((best, key) => (rank(key, now) > rank(best, now) ? key : best), first);
  }

  /** All that requests may have been encrypted to, the likeliest first. */
  accepted(): HpkeKey[] {
    const [now, current] = [this.#period(), this.current()];
    const others = [...this.#keys.values()].filter(
      (key) => key !== current && Math.abs(key.period - now) <= 1,
    );
    return [current, ...others].filter(({ isUsedUp }) => !isUsedUp);
  }

  /** Until when the key is accepted. */
  endOf({ period }: HpkeKey): Date {
    return new Date((period + 2) * this.options.periodMs);
  }

  /** How much of the current period is left. */
  get currentForMs(): number {
    return this.options.periodMs - (this.options.clock.now().getTime() % this.options.periodMs);
  }

  /** Called when `current` has changed, at most a minute late. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Resolves when the current period has its key, or none can be had. Undefined where it has one. */
  ready(): Promise<void> | undefined {
    return this.current().period === this.#period() ? undefined : this.#refreshing.run();
  }

  refresh(): Promise<void> {
    return this.#refreshing.runAgain();
  }

  /** Creates the next key within the period of this one, unless there is one. */
  async replace(key: HpkeKey): Promise<void> {
    const { period, generation } = key;
    if (this.current() !== key || period !== this.#period()) return;
    await this.#load({ period, generation: generation + 1 });
    this.#noteChange();
  }

  async close(): Promise<void> {
    await this.#refreshing.stop();
  }

  #period(): number {
    return Math.floor(this.options.clock.now().getTime() / this.options.periodMs);
  }

  async #refresh(): Promise<void> {
    const [period, { periodMs }] = [this.#period(), this.options];
    const stored = (await this.sealed.names(hpkeKeyPrefix)).flatMap((name) => placeOf(name) ?? []);
    const isLive = (place: Place) => Math.abs(place.period - period) <= 1;
    for (const place of stored.filter(isLive)) await this.#read(place);
    await this.#load({ period, generation: 0 });
    if (this.currentForMs <= Math.min(aheadMs, periodMs / 4)) {
      await this.#load({ period: period + 1, generation: 0 });
    }
    for (const place of stored) if (!isLive(place)) await this.sealed.delete(nameOf(place));
    for (const [name, key] of this.#keys) if (!isLive(key)) this.#keys.delete(name);
    this.#noteChange();
  }

  /** One that another replica has created. */
  async #read(place: Place): Promise<void> {
    const name = nameOf(place);
    if (this.#keys.has(name)) return;
    const privateKey = await this.sealed.get(name);
    // It was deleted just now.
    if (privateKey !== null) this.#add(place, privateKey);
  }

  async #load(place: Place): Promise<void> {
    const name = nameOf(place);
    if (!this.#keys.has(name)) this.#add(place, await this.sealed.init(name, randomBytes(keyBytes)));
  }

  #add({ period, generation }: Place, privateKey: Buffer): void {
    const pair = new HpkeKeyPair(privateKey);
    const id = (period + generation) & 0xff;
    const key = { id, publicKey: pair.publicKey, pair, period, generation, isUsedUp: false };
    this.#keys.set(nameOf(key), key);
  }

  #told: HpkeKey | null = null;

  #noteChange(): void {
    const current = this.current();
    if (this.#told === current) return;
    this.#told = current;
    for (const listener of this.#listeners) listener();
  }
}

type Place = Pick<HpkeKey, "period" | "generation">;

const nameOf = ({ period, generation }: Place): string =>
  `${hpkeKeyPrefix}${period}${generation === 0 ? "" : `_${generation}`}`;

function placeOf(name: string): Place | null {
  const [, period, generation = "0"] = /^hpke_key_(\d{1,12})(?:_(\d{1,6}))?$/.exec(name) ?? [];
  return period === undefined ? null : { period: Number(period), generation: Number(generation) };
}

/** Of the present period before any earlier one, the latest generation first; those of the next period last. */
const rank = ({ period, generation }: HpkeKey, now: number): number =>
  (period > now ? -period : period) * 1_000_000 + generation;
