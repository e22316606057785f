/**
 * How many prompt tokens each waiting prompt gets in one step.
 *
 * The budget is shared evenly, and what a short prompt does not need goes to the longer ones: a short question
 * is read in its first steps even while a long document is being read beside it. Every prompt gets at least
 * one token, so that none stands still.
 */
export function sharePrefill(remaining: readonly number[], budgetTokens: number): number[] {
  const shares = remaining.map(() => 0);
  const shortestFirst = remaining
    .map((tokens, index) => ({ tokens, index }))
    .sort((a, b) => a.tokens - b.tokens);
  let left = Math.max(budgetTokens, remaining.length);
  shortestFirst.forEach(({ tokens, index }, position) => {
    const evenShare = Math.floor(left / (shortestFirst.length - position));
    const share = Math.min(tokens, evenShare);
    shares[index] = share;
    left -= share;
  });
  return shares;
}
