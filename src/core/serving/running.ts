/**
 * The completions that are waiting or running. None outlives its permission: when a key, a session or an account ends,
 * or may no longer use a model, the reply ends with the error that a new request would get.
 *
 * A permission ends in one of two ways. Times that are in the caller's record (expiry, the end of a grace period or of
 * a session) are watched by one timer for the earliest of them, which fires at least once a second, since
 * the wall clock may be changed meanwhile. Everything else is a change: `cut` for what has certainly ended,
 * `review` for what may have. A review reads the caller again and applies the checks of a new request.
 *
 * A caller is verified before its body is read, so a change may fall in between. A request that was verified before the
 * latest change is reviewed immediately.
 *
 * While the store is unreachable, a reply goes on until the end that is in its record, and is reviewed again
 * every second.
 */
import { ServiceError } from "../errors.js";
import type { ModelId } from "../models.js";
import { endOf, isUsable, refusalOf, requirePermission } from "./permission.js";
import type { Clock } from "../clock.js";
import type { KeyRecord } from "../entities.js";
import { withTimeLimit } from "../time-limit.js";

/** The runs of an account, also with its keys in teams, or of a key. */
export type CutTarget = { accountId: string } | { keyId: string };

export interface RunningParts {
  clock: Clock;
  /** The caller as the store has it now; null when it is gone. Without it the given record is checked. */
  reread?: ((caller: KeyRecord) => Promise<KeyRecord | null>) | undefined;
}

export interface Run {
  /** Aborts with the reason why it must end. */
  readonly signal: AbortSignal;
  /** The model whose permission it depends on from now on. */
  answeredBy(model: ModelId): void;
  /** Call it once, when all is settled. */
  leave(): void;
}

interface Held {
  caller: KeyRecord;
  /** Undefined where the client named none of ours. */
  model: ModelId | undefined;
  abort: AbortController;
  /** Aborts with the client's too. */
  signal: AbortSignal;
  needsReview: boolean;
}

const longestSleepMs = 1_000;
/** Callers that are read concurrently. */
const concurrentReads = 4;
const storeTimeoutMs = 5_000;

export class Running {
  readonly #held = new Set<Held>();
  #timer: NodeJS.Timeout | undefined;
  #timerAtMs = Infinity;
  #reviewing = false;
  #lastChangeMs = -Infinity;

  constructor(private readonly parts: RunningParts) {}

  get size(): number {
    return this.#held.size;
  }

  /**
   * `verifiedMs` is a time on the monotonic clock at which the caller had not been verified yet. A client's controller
   * is used as it is; a signal is followed.
   */
  enter(
    caller: KeyRecord,
    model: ModelId | undefined,
    client: AbortSignal | AbortController,
    verifiedMs: number,
  ): Run {
    const abort = client instanceof AbortController ? client : new AbortController();
    const signal =
      client instanceof AbortController ? client.signal : AbortSignal.any([client, abort.signal]);
    const held: Held = { caller, model, abort, signal, needsReview: false };
    this.#held.add(held);
    if (verifiedMs <= this.#lastChangeMs) this.#startReview((one) => one === held);
    this.#sleepUntil(endOf(caller));
    return {
      signal,
      answeredBy: (answering) => {
        held.model = answering;
      },
      leave: () => {
        this.#held.delete(held);
        if (this.#held.size === 0) this.#cancelWake();
      },
    };
  }

  /** Ends what a revoked key or a suspended account has waiting or running. */
  cut(target: CutTarget): void {
    this.#noteChange();
    for (const held of this.#held) if (isTargeted(target, held)) held.abort.abort(refusalOf(held.caller));
  }

  /** Reads the callers of `target`, or all of them, again and ends what they may not do any more. */
  review(target: CutTarget | "all"): void {
    this.#noteChange();
    this.#startReview((held) => target === "all" || isTargeted(target, held));
  }

  /** Ends everything with this error. */
  endAll(reason: ServiceError): void {
    for (const held of this.#held) held.abort.abort(reason);
  }

  #noteChange(): void {
    this.#lastChangeMs = this.parts.clock.monotonicMs();
  }

  #startReview(matches: (held: Held) => boolean): void {
    for (const held of this.#held) if (matches(held)) held.needsReview = true;
    if (!this.#reviewing) void this.#review();
  }

  /** Never rejects. Includes what is requested while it runs. */
  async #review(): Promise<void> {
    this.#reviewing = true;
    const unreviewed = new Set<Held>();
    try {
      for (;;) {
        const callers = new Map<string, Held[]>();
        for (const held of this.#held) {
          if (!held.needsReview || held.signal.aborted || unreviewed.has(held)) continue;
          const name = permissionKey(held.caller);
          if (callers.size === concurrentReads && !callers.has(name)) continue;
          callers.set(name, [...(callers.get(name) ?? []), held]);
        }
        if (callers.size === 0) return;
        await Promise.all([...callers.values()].map((runs) => this.#reviewRuns(runs, unreviewed)));
      }
    } finally {
      this.#reviewing = false;
      if (unreviewed.size > 0) this.#sleep(longestSleepMs);
    }
  }

  /** All of one caller. */
  async #reviewRuns(runs: readonly Held[], unreviewed: Set<Held>): Promise<void> {
    const [first] = runs;
    if (first === undefined) return;
    // Before it is read: a change that comes while it is needs another look.
    for (const held of runs) held.needsReview = false;
    const { reread } = this.parts;
    try {
      const caller =
        reread === undefined ? first.caller : await withTimeLimit(reread(first.caller), storeTimeoutMs);
      for (const held of runs) this.#check(held, caller);
    } catch {
      for (const held of runs) {
        if (!isUsable(held.caller, this.parts.clock.now())) held.abort.abort(refusalOf(held.caller));
        held.needsReview = true;
        unreviewed.add(held);
      }
    }
  }

  #check(held: Held, caller: KeyRecord | null): void {
    if (caller === null || !isUsable(caller, this.parts.clock.now())) {
      held.abort.abort(refusalOf(held.caller));
      return;
    }
    held.caller = caller;
    try {
      if (held.model !== undefined) requirePermission(caller, held.model);
    } catch (error) {
      held.abort.abort(error);
      return;
    }
    this.#sleepUntil(endOf(caller));
  }

  /** Sessions whose time has come are read again before their runs end: one that is in use was extended. */
  #wake(): void {
    const now = this.parts.clock.now();
    this.#cancelWake();
    for (const held of this.#held) {
      if (held.signal.aborted) continue;
      if (!isUsable(held.caller, now)) {
        if (held.caller.session === undefined) held.abort.abort(refusalOf(held.caller));
        else held.needsReview = true;
      } else this.#sleepUntil(endOf(held.caller));
    }
    this.#startReview((held) => held.needsReview);
  }

  #sleepUntil(time: Date | null): void {
    if (time !== null) this.#sleep(time.getTime() - this.parts.clock.now().getTime());
  }

  #sleep(ms: number): void {
    const waitMs = Math.min(Math.max(ms, 0), longestSleepMs);
    // Its own duration, whatever the clock: timers follow the machine's.
    const atMs = performance.now() + waitMs;
    if (atMs >= this.#timerAtMs) return;
    clearTimeout(this.#timer);
    this.#timerAtMs = atMs;
    this.#timer = setTimeout(() => this.#wake(), waitMs).unref();
  }

  #cancelWake(): void {
    clearTimeout(this.#timer);
    this.#timerAtMs = Infinity;
  }
}

const isTargeted = (target: CutTarget, { caller }: Held): boolean =>
  "keyId" in target
    ? caller.key.id === target.keyId
    : [caller.account.id, caller.member?.id].includes(target.accountId);

/** Runs with the same key depend on the same permission. */
const permissionKey = ({ key, account, session }: KeyRecord): string =>
  session === undefined ? key.id : `${account.id} ${Buffer.from(session.hash).toString("latin1")}`;
