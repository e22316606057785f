/**
 * Items of recent replies, for clients that refer to one by its id in place of sending it again. In memory only: each
 * is sealed (AES-256-GCM) under a random key of the process and bound to its account and id, for as long as the
 * computed state of a conversation is kept, ten minutes after its last use. What is over the bound of an account
 * drops its oldest item; what is over the bound of all drops the oldest of the account that has been inactive
 * longest. A reference to an item that is gone is refused with instructions, so nothing depends on it being kept.
 */
import { randomBytes } from "node:crypto";
import type { KeptItem } from "../chat/reply.js";
import type { Clock } from "../clock.js";
import { seal, unseal } from "../seal.js";
import type { Kept } from "./engine-port.js";

const keptMs = 10 * 60_000;
const sweepMs = 30_000;

export interface ItemBounds {
  items: number;
  bytes: number;
}

/** A long agent loop has hundreds of items. */
const usualPerAccount: ItemBounds = { items: 1_000, bytes: 4 * 1024 * 1024 };
const usualInAll: ItemBounds = { items: 100_000, bytes: 64 * 1024 * 1024 };

/** What an entry takes besides its text: nonce, tag, id and the map's own. */
const bytesAround = 256;

interface Entry {
  sealed: Buffer;
  untilMs: number;
}

/** Of one account. */
interface Holding {
  /** By id, the one that was used last at the end. */
  entries: Map<string, Entry>;
  bytes: number;
}

export class RecentItems {
  readonly #key = randomBytes(32);
  /** By account, the one that used any last at the end. */
  readonly #held = new Map<string, Holding>();
  readonly #all: ItemBounds = { items: 0, bytes: 0 };
  readonly #sweep = setInterval(() => this.dropExpired(), sweepMs).unref();

  constructor(
    private readonly clock: Clock,
    private readonly perAccount: ItemBounds = usualPerAccount,
    private readonly inAll: ItemBounds = usualInAll,
  ) {}

  /** How many are kept, and how many bytes they take. */
  get size(): Readonly<ItemBounds> {
    return this.#all;
  }

  keep(accountId: string, items: readonly KeptItem[]): void {
    for (const item of items) {
      const sealed = seal(this.#key, JSON.stringify(item), placeOf(accountId, item.id));
      if (sealed.length + bytesAround > this.perAccount.bytes) continue;
      this.#drop(accountId, item.id);
      this.#add(accountId, item.id, sealed);
      this.#dropExcess(accountId);
    }
  }

  /** As it was kept; undefined where this account has no such item. */
  recall(accountId: string, id: string): unknown {
    const entry = this.#held.get(accountId)?.entries.get(id);
    if (entry === undefined) return undefined;
    this.#drop(accountId, id);
    if (entry.untilMs <= this.clock.monotonicMs()) return undefined;
    this.#add(accountId, id, entry.sealed);
    return JSON.parse(String(unseal(this.#key, entry.sealed, placeOf(accountId, id))));
  }

  keptOf(accountId: string): Kept {
    const nowMs = this.clock.monotonicMs();
    const left = [...(this.#held.get(accountId)?.entries.values() ?? [])].flatMap(({ untilMs }) =>
      untilMs > nowMs ? [untilMs - nowMs] : [],
    );
    // The one that was used last is at the end.
    return { count: left.length, lastMs: left.at(-1) ?? 0 };
  }

  forgetAccount(accountId: string): void {
    for (const id of this.#held.get(accountId)?.entries.keys() ?? []) this.#drop(accountId, id);
  }

  close(): void {
    clearInterval(this.#sweep);
    for (const accountId of this.#held.keys()) this.forgetAccount(accountId);
  }

  #add(accountId: string, id: string, sealed: Buffer): void {
    const held = this.#held.get(accountId) ?? { entries: new Map<string, Entry>(), bytes: 0 };
    const bytes = sealed.length + bytesAround;
    held.entries.set(id, { sealed, untilMs: this.clock.monotonicMs() + keptMs });
    held.bytes += bytes;
    this.#all.items += 1;
    this.#all.bytes += bytes;
    this.#held.delete(accountId);
    this.#held.set(accountId, held);
  }

  #drop(accountId: string, id: string): void {
    const held = this.#held.get(accountId);
    const entry = held?.entries.get(id);
    if (held === undefined || entry === undefined) return;
    const bytes = entry.sealed.length + bytesAround;
    held.entries.delete(id);
    held.bytes -= bytes;
    this.#all.items -= 1;
    this.#all.bytes -= bytes;
    if (held.entries.size === 0) this.#held.delete(accountId);
  }

  #dropExcess(accountId: string): void {
    const own = this.#held.get(accountId);
    for (const id of own?.entries.keys() ?? []) {
      if (own === undefined || !isOver({ items: own.entries.size, bytes: own.bytes }, this.perAccount)) break;
      this.#drop(accountId, id);
    }
    for (const [quietest, { entries }] of this.#held) {
      for (const id of entries.keys()) {
        if (!isOver(this.#all, this.inAll)) return;
        this.#drop(quietest, id);
      }
    }
  }

  /** Expired items are dropped also when nobody asks for them. */
  dropExpired(): void {
    const nowMs = this.clock.monotonicMs();
    for (const [accountId, { entries }] of this.#held) {
      for (const [id, { untilMs }] of entries) {
        if (untilMs > nowMs) break;
        this.#drop(accountId, id);
      }
    }
  }
}

/** Ids of accounts have no line break. */
const placeOf = (accountId: string, id: string): string => `${accountId}\n${id}`;

const isOver = (held: ItemBounds, bounds: ItemBounds): boolean =>
  held.items > bounds.items || held.bytes > bounds.bytes;
