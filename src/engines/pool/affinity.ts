/**
 * Remembers where prefixes of conversations are warm. The prefix is the account and the messages up to
 * the first of the user, which stay the same however long the conversation grows. Only a keyed hash is kept, with
 * a key that is gone with the process, for a bounded number of conversations, the latest, and for ten minutes after
 * their last turn: engines on this machine keep nothing warm for longer. Where nothing is reused, nothing is kept.
 */
import { hash, randomBytes } from "node:crypto";
import { systemClock, type Clock } from "../../core/clock.js";
import type { Generation } from "../../core/serving/engine-port.js";

const remembered = 20_000;
const keptMs = 10 * 60_000;

export interface AffinityOptions {
  clock?: Pick<Clock, "monotonicMs">;
  keeps?: boolean;
}

interface Entry<Place> {
  place: Place;
  accountId: string;
  untilMs: number;
}

export class Affinity<Place> {
  readonly #key = randomBytes(32).toString("hex");
  /** The oldest, which expires first, is at the beginning. */
  readonly #entries = new Map<string, Entry<Place>>();
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #keeps: boolean;
  #sweep: NodeJS.Timeout | undefined;

  constructor({ clock = systemClock, keeps = true }: AffinityOptions = {}) {
    this.#clock = clock;
    this.#keeps = keeps;
  }

  get size(): number {
    return this.#entries.size;
  }

  keyOf({ accountId, messages }: Generation): string {
    let prefix = `${this.#key}${accountId.length}:${accountId}`;
    for (const { role, content } of messages) {
      prefix += `${role}${content.length}:${content}`;
      if (role === "user") break;
    }
    return hash("sha256", prefix, "base64url");
  }

  find(key: string): Place | undefined {
    const entry = this.#entries.get(key);
    return entry === undefined || entry.untilMs <= this.#clock.monotonicMs() ? undefined : entry.place;
  }

  set(key: string, accountId: string, place: Place): void {
    if (!this.#keeps) return;
    this.#entries.delete(key);
    this.#entries.set(key, { place, accountId, untilMs: this.#clock.monotonicMs() + keptMs });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > remembered && oldest !== undefined) this.#entries.delete(oldest);
    this.#sweep ??= this.#sweepIn(keptMs);
  }

  /** Drops every entry for the place. */
  forget(place: Place): void {
    this.#forgetWhere((entry) => entry.place === place);
  }

  forgetAccount(accountId: string): void {
    this.#forgetWhere((entry) => entry.accountId === accountId);
  }

  clear(): void {
    clearTimeout(this.#sweep);
    this.#sweep = undefined;
    this.#entries.clear();
  }

  #forgetWhere(matches: (entry: Entry<Place>) => boolean): void {
    for (const [key, entry] of this.#entries) if (matches(entry)) this.#entries.delete(key);
  }

  #sweepIn(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      const nowMs = this.#clock.monotonicMs();
      this.#sweep = undefined;
      for (const [key, { untilMs }] of this.#entries) {
        if (untilMs > nowMs) {
          this.#sweep = this.#sweepIn(untilMs - nowMs);
          return;
        }
        this.#entries.delete(key);
      }
    }, ms).unref();
  }
}
