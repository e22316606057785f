/**
 * Lets a running server learn what others changed: replicas, and the command line on the same database. It
 * looks at the store's table of changes every second, one small query, and at once when a wake-up says
 * that there is something new. A key or an account that changed is dropped from memory, and whether its
 * streams are still allowed is looked at again; one that ended loses them.
 *
 * When the store is unreachable it keeps its place and continues from there. When changes are missing (they are kept
 * for an hour) or the numbers went back (a backup was restored), everything is dropped from memory, every
 * stream is looked at, and what answers for the models is read again.
 */
import type { Change, ChangeStore } from "./changes.js";
import type { CutTarget } from "../serving/completion.js";
import type { KeyRing } from "../keys/key-ring.js";
import { withTimeLimit } from "../time-limit.js";

const readAtOnce = 500;
const storeTimeoutMs = 5_000;

export interface ChangeFollowerParts {
  changes: Pick<ChangeStore, "last" | "readAfter">;
  keys: Pick<KeyRing, "forget" | "forgetAccount" | "forgetAll">;
  /** Ends the replies that a key or an account has under way. */
  cutStreams: (target: CutTarget) => void;
  /** Looks again whether they are still allowed. */
  reviewStreams: (target: CutTarget | "all") => void;
  /** A model was given another source. */
  onModelsChanged?: () => void;
  /** Called once for each change of health. */
  onStoreHealth?: (health: "ok" | "unreachable") => void;
  everyMs?: number;
}

export class ChangeFollower {
  #last: number | null = null;
  #round: Promise<void> | null = null;
  #isWanted = false;
  #isClosed = false;
  #health: "ok" | "unreachable" = "ok";
  #timer: NodeJS.Timeout | undefined;

  private constructor(private readonly parts: ChangeFollowerParts) {}

  /** Follows what is changed from now on. */
  static async start(parts: ChangeFollowerParts): Promise<ChangeFollower> {
    const follower = new ChangeFollower(parts);
    await follower.look();
    return follower;
  }

  /** Looks now; resolves when it has looked. Never rejects. */
  look(): Promise<void> {
    // A round under way may have read before the change that this call is about.
    if (this.#round !== null) this.#isWanted = true;
    this.#round ??= this.#rounds().finally(() => {
      this.#round = null;
      this.#schedule();
    });
    return this.#round;
  }

  /** Waits for a round under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#round;
  }

  async #rounds(): Promise<void> {
    this.#isWanted = true;
    while (this.#isWanted && !this.#isClosed) {
      this.#isWanted = false;
      try {
        await this.#catchUp();
        this.#tell("ok");
      } catch {
        this.#tell("unreachable");
      }
    }
  }

  async #catchUp(): Promise<void> {
    const newest = await withTimeLimit(this.parts.changes.last(), storeTimeoutMs);
    const last = this.#last ?? newest;
    if (newest < last) this.#startOver();
    this.#last = Math.min(last, newest);
    while (this.#last < newest) this.#last = await this.#readAfter(this.#last, newest);
  }

  /** The number of the last that was read. */
  async #readAfter(last: number, newest: number): Promise<number> {
    const read = await withTimeLimit(this.parts.changes.readAfter(last, readAtOnce), storeTimeoutMs);
    if (read[0]?.id !== last + 1) this.#startOver();
    this.#apply(read);
    return read.at(-1)?.id ?? newest;
  }

  /** What changed is not known any more. */
  #startOver(): void {
    this.#forgetAll();
    this.parts.onModelsChanged?.();
  }

  /** Of one subject the last change counts: a key that is enabled again by now keeps its streams. */
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
        keys.forget(subject);
        cutStreams({ keyId: subject });
        return;
      case "key_changed":
        keys.forget(subject);
        reviewStreams({ keyId: subject });
        return;
      case "account_ended":
        keys.forgetAccount(subject);
        cutStreams({ accountId: subject });
        return;
      case "account_changed":
        keys.forgetAccount(subject);
        reviewStreams({ accountId: subject });
        return;
      case "sessions_ended":
        reviewStreams({ accountId: subject });
        return;
      case "plans_changed":
        this.#forgetAll();
        return;
      case "models_changed":
        onModelsChanged?.();
    }
  }

  #forgetAll(): void {
    this.parts.keys.forgetAll();
    this.parts.reviewStreams("all");
  }

  #tell(health: "ok" | "unreachable"): void {
    if (this.#health === health) return;
    this.#health = health;
    this.parts.onStoreHealth?.(health);
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.look(), this.parts.everyMs ?? 1_000).unref();
  }
}
