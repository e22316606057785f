/**
 * How many prompt tokens each prompt gets in one step: the same for all.
 *
 * The native code takes as many tokens of every sequence as the shortest has, in one pass through the weights, and
 * the rest in further passes. Replies have one token each, so the first token of every prompt goes with them and
 * costs little; what comes after it is a pass of its own. Its fast kernels take four tokens at a time, and what is
 * left over one by one, each nearly as slow as four.
 *
 * A prompt that ends sooner than its share makes the step shorter for all, and none stands still: a short question
 * is read in its first steps even while a long document is being read beside it.
 */
export function promptShare(
  remaining: readonly number[],
  budgetTokens: number,
  besideReplies: boolean,
): number {
  const most = Math.max(1, Math.floor(budgetTokens / remaining.length));
  const ownPass = inFours(most, remaining.length);
  return Math.min(...remaining, besideReplies ? ownPass + 1 : ownPass);
}

/** The largest share that makes whole fours of so many prompts, if there is one. */
function inFours(most: number, prompts: number): number {
  for (let share = most; share > most - 4 && share > 0; share--) {
    if ((share * prompts) % 4 === 0) return share;
  }
  return most;
}
