/**
 * Follows changes made by other replicas, and by the command line on the same database. The store's table of changes
 * is polled every second, with one small query, and immediately after a wake-up. A key or an account that changed is
 * dropped from memory and its streams are reviewed; one that ended loses its streams.
 *
 * When the store is unreachable, the follower keeps its position and continues from there. When changes are missing
 * (they are kept for an hour) or the numbers went back (a backup was restored), everything is dropped from memory,
 * every stream is reviewed, and the models' sources are read again.
 */
import type { Change, ChangeStore } from "./changes.js";
import type { CutTarget } from "../serving/running.js";
import type { KeyRing } from "../keys/key-ring.js";
import { PeriodicTask } from "../periodic-task.js";
import { withTimeLimit } from "../time-limit.js";

const batchSize = 500;
const storeTimeoutMs = 5_000;

export interface ChangeFollowerParts {
  changes: Pick<ChangeStore, "last" | "readAfter">;
  keys: Pick<KeyRing, "forget" | "forgetAccount" | "forgetAll">;
  /** Ends the running replies of a key or an account. */
  cutStreams: (target: CutTarget) => void;
  /** Checks again whether they are still allowed. */
  reviewStreams: (target: CutTarget | "all") => void;
  /** Drops what is kept in memory of an account's conversations. */
  dropCaches?: (accountId: string) => void;
  /** A model was given another source. */
  onModelsChanged?: () => void;
  /** Called once for each change of health. */
  onStoreHealth?: (health: "ok" | "unreachable") => void;
  everyMs?: number;
}

export class ChangeFollower {
  #last: number | null = null;
  #isClosed = false;
  #health: "ok" | "unreachable" = "ok";
  readonly #polls: PeriodicTask;

  private constructor(private readonly parts: ChangeFollowerParts) {
    this.#polls = new PeriodicTask(() => this.#poll(), parts.everyMs ?? 1_000);
  }

  /** Follows what is changed from now on. */
  static async start(parts: ChangeFollowerParts): Promise<ChangeFollower> {
    const follower = new ChangeFollower(parts);
    await follower.look();
    return follower;
  }

  /** Polls now; resolves when it has. Never rejects. */
  look(): Promise<void> {
    return this.#polls.runAgain();
  }

  /** Waits for a poll under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#polls.stop();
  }

  async #poll(): Promise<void> {
    if (this.#isClosed) return;
    try {
      await this.#catchUp();
      this.#setHealth("ok");
    } catch {
      this.#setHealth("unreachable");
    }
  }

  async #catchUp(): Promise<void> {
    const newest = await withTimeLimit(this.parts.changes.last(), storeTimeoutMs);
    const last = this.#last ?? newest;
    if (newest < last) this.#startOver();
    this.#last = Math.min(last, newest);
    while (this.#last < newest) this.#last = await this.#readAfter(this.#last, newest);
  }

  /** Returns the number of the last change that was read. */
  async #readAfter(last: number, newest: number): Promise<number> {
    const read = await withTimeLimit(this.parts.changes.readAfter(last, batchSize), storeTimeoutMs);
    if (read[0]?.id !== last + 1) this.#startOver();
    this.#apply(read);
    return read.at(-1)?.id ?? newest;
  }

  /** For when it is no longer known what changed. */
  #startOver(): void {
    this.#forgetAll();
    this.parts.onModelsChanged?.();
  }

  /** Only the last change of each subject counts: a key that has been enabled again keeps its streams. */
  #apply(read: readonly Change[]): void {
    const bySubject = new Map(
      read.map((change) => [`${change.kind.split("_")[0] ?? ""} ${change.subject}`, change]),
    );
    for (const { kind, subject } of bySubject.values()) this.#applyOne(kind, subject);
  }

  #applyOne(kind: Change["kind"], subject: string): void {
    const { keys, cutStreams, reviewStreams, onModelsChanged } = this.parts;
    switch (kind) {
      case "key_ended":
      case "key_changed":
        keys.forget(subject);
        (kind === "key_ended" ? cutStreams : reviewStreams)({ keyId: subject });
        return;
      case "account_ended":
      case "account_changed":
        keys.forgetAccount(subject);
        (kind === "account_ended" ? cutStreams : reviewStreams)({ accountId: subject });
        return;
      case "sessions_ended":
        reviewStreams({ accountId: subject });
        return;
      case "plans_changed":
        this.#forgetAll();
        return;
      case "caches_dropped":
        this.parts.dropCaches?.(subject);
        return;
      case "models_changed":
        onModelsChanged?.();
    }
  }

  #forgetAll(): void {
    this.parts.keys.forgetAll();
    this.parts.reviewStreams("all");
  }

  #setHealth(health: "ok" | "unreachable"): void {
    if (this.#health === health) return;
    this.#health = health;
    this.parts.onStoreHealth?.(health);
  }
}
