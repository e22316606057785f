/**
 * Recently used grammars, since clients send the same few schemas again and again. Kept in memory
 * only, for ten minutes at most, like cached prompts; the key includes the account, so that response times reveal
 * nothing about another account's schemas.
 */
import { createHash } from "node:crypto";
import type { Clock } from "../../core/clock.js";
import type { Compiled } from "./grammar-worker.js";

export type Kept = Exclude<Compiled, { type: "failed" }>;

const keptMs = 10 * 60_000;
const maxEntries = 500;
const maxChars = 4 * 1024 * 1024;

interface Entry {
  kept: Kept;
  accountId: string;
  chars: number;
  untilMs: number;
}

export class GrammarCache {
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry>();
  #chars = 0;
  #sweep: NodeJS.Timeout | undefined;

  constructor(private readonly clock: Clock) {}

  static keyOf(accountId: string, schemaText: string): string {
    return createHash("sha256").update(`${accountId}\n${schemaText}`).digest("base64");
  }

  get(key: string): Kept | undefined {
    this.forgetExpired();
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.kept;
  }

  set(key: string, accountId: string, kept: Kept): void {
    const chars = key.length + (kept.type === "grammar" ? kept.gbnf.length : kept.reason.length);
    this.#delete(key);
    this.#entries.set(key, { kept, accountId, chars, untilMs: this.clock.monotonicMs() + keptMs });
    this.#chars += chars;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= maxEntries && this.#chars <= maxChars) break;
      this.#delete(oldest);
    }
    // Those that are kept already expire earlier.
    this.#sweep ??= this.#sweepIn(keptMs);
  }

  get size(): number {
    return this.#entries.size;
  }

  forgetExpired(): void {
    const nowMs = this.clock.monotonicMs();
    for (const [key, { untilMs }] of this.#entries) if (untilMs <= nowMs) this.#delete(key);
  }

  forgetAccount(accountId: string): void {
    for (const [key, entry] of this.#entries) if (entry.accountId === accountId) this.#delete(key);
  }

  clear(): void {
    clearTimeout(this.#sweep);
    this.#sweep = undefined;
    this.#entries.clear();
    this.#chars = 0;
  }

  #sweepIn(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.forgetExpired();
      const nextMs = Math.min(...[...this.#entries.values()].map(({ untilMs }) => untilMs));
      this.#sweep =
        nextMs === Infinity ? undefined : this.#sweepIn(Math.max(1, nextMs - this.clock.monotonicMs()));
    }, ms).unref();
  }

  #delete(key: string): void {
    this.#chars -= this.#entries.get(key)?.chars ?? 0;
    this.#entries.delete(key);
  }
}
