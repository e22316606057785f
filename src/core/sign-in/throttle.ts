/**
 * Slows down guessing: at most so many attempts by one name in a sliding window.
 *
 * The window slides in slices, each a count of its own. An attempt is counted in the current slice, atomically, so that
 * every attempt of a burst gets another place, and the counts of the slices before it are read in the same step and
 * added. Of a parallel burst never more than the limit get through. Attempts that
 * are refused do not count: a blocked name is admitted again after a window, however often it tries.
 *
 * Slices follow the wall clock, so that replicas that share a counter share them. A clock that jumps moves
 * the window and either suspends protection or delays people for one window.
 */
import { DashboardError } from "../dashboard-error.js";
import type { Clock } from "../clock.js";
import { personalName, type Admissions } from "../counters.js";

const slices = 6;

export interface ThrottleRule {
  /** Separates the counts of this throttle from all others. */
  name: string;
  limit: number;
  windowMs: number;
}

/** Takes the attempt back, for one that turned out to be no guess. */
export type Refund = () => Promise<void>;

export class Throttle {
  constructor(
    private readonly admissions: Admissions,
    private readonly clock: Clock,
    private readonly rule: ThrottleRule,
  ) {}

  /** Throws `throttled` when `who` has made too many attempts. */
  async attempt(who: string): Promise<Refund> {
    const { limit, windowMs } = this.rule;
    const sliceMs = windowMs / slices;
    const slice = Math.floor(this.clock.now().getTime() / sliceMs);
    const windowOf = (past: number, amount: number) => ({
      name: `${personalName}${this.rule.name}:${who}:${slice - past}`,
      amount,
      limit,
      windowMs,
    });
    const current = windowOf(0, 1);
    const earlier = Array.from({ length: slices - 1 }, (_, index) => windowOf(index + 1, 0));
    const ask = { first: [current], leases: [], then: [], read: earlier };
    const { refusedBy, readings } = await this.admissions.admit(ask);
    /** By slice, the current one first. */
    const counts = [current, ...earlier].map(({ name }) => readings.get(name)?.count ?? 0);
    const window = readings.get(current.name)?.window ?? "";
    const refund = async () => {
      await this.admissions.settle([{ name: current.name, window, amount: -1 }], null);
    };
    if (refusedBy === null && sumOf(counts) <= limit) return refund;

    if (refusedBy === null) {
      await refund();
      counts[0] = (counts[0] ?? 0) - 1;
    }
    const opensMs = (slice + slicesUntilRoom(counts, limit)) * sliceMs;
    throw tooMany((opensMs - this.clock.now().getTime()) / 1000);
  }
}

/** How many slices must begin until enough of those that are counted now have left the window. */
function slicesUntilRoom(counts: readonly number[], limit: number): number {
  let wait = 1;
  while (wait < slices && sumOf(counts.slice(0, slices - wait)) + 1 > limit) wait += 1;
  return wait;
}

function tooMany(seconds: number): DashboardError {
  const minutes = Math.max(1, Math.ceil(seconds / 60));
  const when = minutes === 1 ? "a minute" : `${minutes} minutes`;
  return new DashboardError("throttled", `Too many attempts. Try again in ${when}.`, {
    retryAfterSeconds: Math.max(1, Math.ceil(seconds)),
  });
}

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);
