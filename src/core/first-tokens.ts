/**
 * A small histogram of times to the first token: each step is twice as wide as the one before, so that an
 * estimate is off by the same share whether replies begin after 60 ms or after 6 s. Percentiles are read off
 * by interpolation inside the step they fall in.
 */

/** Where the steps end, in milliseconds; what takes longer than the last falls into one more step. */
const firstTokenBoundsMs = [50, 100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600] as const;

/** Replies in each step: one number more than there are bounds. */
export type FirstTokenHistogram = readonly number[];

export const noFirstTokens: FirstTokenHistogram = new Array<number>(firstTokenBoundsMs.length + 1).fill(0);

export function withFirstToken(histogram: FirstTokenHistogram, ms: number): FirstTokenHistogram {
  const found = firstTokenBoundsMs.findIndex((bound) => ms <= bound);
  const step = found < 0 ? firstTokenBoundsMs.length : found;
  return histogram.with(step, (histogram[step] ?? 0) + 1);
}

export const sumOfFirstTokens = (a: FirstTokenHistogram, b: FirstTokenHistogram): FirstTokenHistogram =>
  a.map((count, step) => count + (b[step] ?? 0));

/** The time within which `share` (0 to 1) of the replies had begun; null without any. */
export function firstTokenPercentile(histogram: FirstTokenHistogram, share: number): number | null {
  const total = histogram.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const wanted = share * total;
  let before = 0;
  for (const [step, count] of histogram.entries()) {
    if (count > 0 && before + count >= wanted) {
      const from = firstTokenBoundsMs[step - 1] ?? 0;
      // The last step has no end: its beginning is all that is known.
      const to = firstTokenBoundsMs[step] ?? from;
      return Math.round(from + ((to - from) * (wanted - before)) / count);
    }
    before += count;
  }
  return firstTokenBoundsMs.at(-1) ?? null;
}
