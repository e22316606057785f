/**
 * The completions that are waiting or running, each held to the permission it was admitted with. Nothing
 * outlives it: what ends a key, a session or an account, or takes a model away, ends the reply with the error
 * that a new request would get.
 *
 * An end comes in one of two ways. Times that the caller's record tells (expiry, the end of a grace period, of
 * a session) are kept by one timer for the soonest of them, which wakes up once a second at the latest, since
 * the wall clock may be set while it waits. Everything else is a change: `cut` for what has certainly ended,
 * `review` for what may have. A review reads the caller again and judges it as a new request is judged.
 *
 * A caller is verified before its body is read, so a change may fall in between. A request that comes in after such
 * a change is reviewed at once, without having to wait for it.
 *
 * While the store cannot be asked, a reply goes on until the end that its record tells, and is reviewed again
 * every second.
 */
import { ServiceError } from "../../protocol/errors.js";
import type { ModelId } from "../../protocol/models.js";
import { endOf, isUsable, refusalOf, requirePermission } from "./permission.js";
import type { Clock } from "../clock.js";
import type { KeyRecord } from "../entities.js";
import { withTimeLimit } from "../time-limit.js";

/** Whose runs are meant. */
export type CutTarget = { accountId: string } | { keyId: string };

export interface RunningParts {
  clock: Clock;
  /** The caller as the store has it now; null when it is gone. Without it the record at hand is judged. */
  reread?: ((caller: KeyRecord) => Promise<KeyRecord | null>) | undefined;
}

export interface Run {
  /** Aborts with why it must end. */
  readonly signal: AbortSignal;
  /** Call it once, when all is settled. */
  leave(): void;
}

interface Held {
  caller: KeyRecord;
  /** Undefined where the client named none of ours. */
  model: ModelId | undefined;
  abort: AbortController;
  needsReview: boolean;
}

const longestSleepMs = 1_000;
/** Callers read again at once. */
const readsAtOnce = 4;
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
    const [abort, unfollow] = client instanceof AbortController ? [client, nothing] : following(client);
    const held: Held = { caller, model, abort, needsReview: false };
    this.#held.add(held);
    if (verifiedMs <= this.#lastChangeMs) this.#startReview((one) => one === held);
    this.#sleepUntil(endOf(caller));
    return {
      signal: held.abort.signal,
      leave: () => {
        this.#held.delete(held);
        unfollow();
        if (this.#held.size === 0) this.#sleepNoMore();
      },
    };
  }

  /** Ends what a revoked key or a suspended account has waiting or running. */
  cut(target: CutTarget): void {
    this.#noteChange();
    for (const held of this.#held) if (isOf(target, held)) end(held, refusalOf(held.caller));
  }

  /** Reads the callers of `target`, or all of them, again and ends what they may not do any more. */
  review(target: CutTarget | "all"): void {
    this.#noteChange();
    this.#startReview((held) => target === "all" || isOf(target, held));
  }

  /** Ends everything with this error. */
  endAll(reason: ServiceError): void {
    for (const held of this.#held) end(held, reason);
  }

  #noteChange(): void {
    this.#lastChangeMs = this.parts.clock.monotonicMs();
  }

  #startReview(isMeant: (held: Held) => boolean): void {
    for (const held of this.#held) if (isMeant(held)) held.needsReview = true;
    if (!this.#reviewing) void this.#review();
  }

  /** Never rejects. What is asked for meanwhile is taken up by the same round. */
  async #review(): Promise<void> {
    this.#reviewing = true;
    const unread = new Set<Held>();
    try {
      for (;;) {
        const callers = new Map<string, Held[]>();
        for (const held of this.#held) {
          if (!held.needsReview || held.abort.signal.aborted || unread.has(held)) continue;
          const name = nameOf(held.caller);
          if (callers.size === readsAtOnce && !callers.has(name)) continue;
          callers.set(name, [...(callers.get(name) ?? []), held]);
        }
        if (callers.size === 0) return;
        await Promise.all([...callers.values()].map((runs) => this.#reviewRuns(runs, unread)));
      }
    } finally {
      this.#reviewing = false;
      if (unread.size > 0) this.#sleep(longestSleepMs);
    }
  }

  /** All of one caller. */
  async #reviewRuns(runs: readonly Held[], unread: Set<Held>): Promise<void> {
    const [first] = runs;
    if (first === undefined) return;
    // Before it is read: a change that comes while it is needs another look.
    for (const held of runs) held.needsReview = false;
    const { reread } = this.parts;
    try {
      const caller =
        reread === undefined ? first.caller : await withTimeLimit(reread(first.caller), storeTimeoutMs);
      for (const held of runs) this.#judge(held, caller);
    } catch {
      for (const held of runs) {
        if (!isUsable(held.caller, this.parts.clock.now())) end(held, refusalOf(held.caller));
        held.needsReview = true;
        unread.add(held);
      }
    }
  }

  #judge(held: Held, caller: KeyRecord | null): void {
    if (caller === null || !isUsable(caller, this.parts.clock.now())) {
      end(held, refusalOf(held.caller));
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

  /** Those whose time has come are read again before they end: a session that is in use goes on. */
  #wake(): void {
    const now = this.parts.clock.now();
    this.#sleepNoMore();
    for (const held of this.#held) {
      if (held.abort.signal.aborted) continue;
      if (!isUsable(held.caller, now)) {
        if (held.caller.session === undefined) end(held, refusalOf(held.caller));
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

  #sleepNoMore(): void {
    clearTimeout(this.#timer);
    this.#timerAtMs = Infinity;
  }
}

const nothing = (): void => undefined;

function following(signal: AbortSignal): [abort: AbortController, unfollow: () => void] {
  const abort = new AbortController();
  const follow = () => {
    abort.abort(signal.reason);
  };
  signal.addEventListener("abort", follow, { once: true });
  if (signal.aborted) follow();
  return [
    abort,
    () => {
      signal.removeEventListener("abort", follow);
    },
  ];
}

function end(held: Held, reason: ServiceError): void {
  held.abort.abort(reason);
}

const isOf = (target: CutTarget, { caller }: Held): boolean =>
  "keyId" in target ? caller.key.id === target.keyId : caller.account.id === target.accountId;

/** Runs with the same name stand on the same permission. */
const nameOf = ({ key, account, session }: KeyRecord): string =>
  session === undefined ? key.id : `${account.id} ${Buffer.from(session.hash).toString("latin1")}`;
