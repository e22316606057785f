/**
 * Times to the first token: how many fell into each step of a small histogram, their sum, and the shortest and
 * the longest. Each step is twice as wide as the one before, so that an estimate is off by the same share whether
 * replies begin after 60 ms or after 6 s.
 *
 * What is shown never lies outside of what was observed. For few replies it is exact: sum, shortest and longest
 * determine the median of up to four, and of fewer than twenty the 95th percentile (nearest rank) is the longest.
 * Beyond that it is interpolated inside the step it falls in, as far as that step was used.
 */

/** Where the steps end, in milliseconds; what takes longer than the last falls into one more step. */
const firstTokenBoundsMs = [50, 100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600] as const;

export interface FirstTokenTimes {
  /** Sum over the replies that had a first token. */
  firstTokenMs: number;
  /** Replies in each step: one number more than there are bounds. */
  firstTokens: readonly number[];
  /** Null without any. */
  firstTokenMinMs: number | null;
  firstTokenMaxMs: number | null;
}

export const noFirstTokens: readonly number[] = new Array<number>(firstTokenBoundsMs.length + 1).fill(0);

export const noFirstTokenTimes: Readonly<FirstTokenTimes> = {
  firstTokenMs: 0,
  firstTokens: noFirstTokens,
  firstTokenMinMs: null,
  firstTokenMaxMs: null,
};

/** That of one reply, into the sums themselves: it is done for each request. */
export function addFirstToken(times: FirstTokenTimes, ms: number): void {
  // Without one that is as long it is -1, which is the last.
  const step = firstTokenBoundsMs.findIndex((bound) => ms <= bound);
  times.firstTokens = times.firstTokens.with(step, (times.firstTokens.at(step) ?? 0) + 1);
  times.firstTokenMs += ms;
  times.firstTokenMinMs = Math.min(times.firstTokenMinMs ?? ms, ms);
  times.firstTokenMaxMs = Math.max(times.firstTokenMaxMs ?? ms, ms);
}

export const sumOfFirstTokenTimes = (a: FirstTokenTimes, b: FirstTokenTimes): FirstTokenTimes => ({
  firstTokenMs: a.firstTokenMs + b.firstTokenMs,
  firstTokens: a.firstTokens.map((count, step) => count + (b.firstTokens[step] ?? 0)),
  firstTokenMinMs: known(Math.min, a.firstTokenMinMs, b.firstTokenMinMs),
  firstTokenMaxMs: known(Math.max, a.firstTokenMaxMs, b.firstTokenMaxMs),
});

/** Null without any reply. */
export function firstTokenMedian(times: FirstTokenTimes): number | null {
  const { firstTokenMs, firstTokenMinMs: min, firstTokenMaxMs: max } = times;
  const count = countOf(times);
  if (count === 0) return null;
  if (count <= 2) return Math.round(firstTokenMs / count);
  if (count <= 4 && min !== null && max !== null) {
    // Rows from before the shortest and longest were kept have bounds instead of them.
    const middle = (firstTokenMs - min - max) / (count - 2);
    return Math.round(Math.min(max, Math.max(min, middle)));
  }
  return estimate(times, 0.5 * count);
}

/** The time within which 95 of 100 replies had begun; null without any. */
export function firstTokenP95(times: FirstTokenTimes): number | null {
  const count = countOf(times);
  if (count === 0) return null;
  const isLongest = Math.ceil(0.95 * count) === count;
  if (isLongest && times.firstTokenMaxMs !== null) return Math.round(times.firstTokenMaxMs);
  return estimate(times, 0.95 * count);
}

/** The time within which the first `wanted` replies had begun. */
function estimate(
  { firstTokens, firstTokenMinMs, firstTokenMaxMs }: FirstTokenTimes,
  wanted: number,
): number {
  const min = firstTokenMinMs ?? 0;
  const max = firstTokenMaxMs ?? Infinity;
  let before = 0;
  let from = 0;
  for (const [step, count] of firstTokens.entries()) {
    from = Math.max(firstTokenBoundsMs[step - 1] ?? 0, min);
    if (count > 0 && before + count >= wanted) {
      // The last step has no end: without the longest time its beginning is all that is known.
      const end = Math.min(firstTokenBoundsMs[step] ?? Infinity, max);
      const to = Number.isFinite(end) ? end : from;
      return Math.round(from + (Math.max(0, to - from) * (wanted - before)) / count);
    }
    before += count;
  }
  return Math.round(from);
}

const countOf = ({ firstTokens }: FirstTokenTimes): number =>
  firstTokens.reduce((sum, count) => sum + count, 0);

function known(choose: (a: number, b: number) => number, a: number | null, b: number | null): number | null {
  if (a === null) return b;
  return b === null ? a : choose(a, b);
}
