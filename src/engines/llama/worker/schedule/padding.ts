/**
 * Makes the sequences of a step as long as one another, where that is faster.
 *
 * The native code goes through the weights once for as many tokens of each sequence as the shortest has, and again for
 * what is left, of neighbouring sequences only: prompts of many lengths take many passes, the last of them for a few
 * tokens. So tokens are added behind the shorter ones, and taken back when they are computed. What comes before them
 * does not see them: attention looks back only.
 */
export interface Padded {
  sequenceId: number;
  tokens: number;
  /** How many it may be padded to. */
  most: number;
}

/** Of the lengths that occur, so many are tried: with a hundred sequences, trying all would take longer than it saves. */
const mostLevels = 8;

/**
 * What each is padded to, in ascending order of sequence. `passTokens`: how many tokens cost as much as a pass that has none;
 * `mostTokens`: of all together.
 */
export function padding(entries: readonly Padded[], passTokens: number, mostTokens: number): number[] {
  const lengths = entries.map(({ tokens }) => tokens);
  const distinct = [...new Set(lengths)].sort((a, b) => a - b);
  const longest = distinct.at(-1) ?? 0;
  if (distinct.length < 2 || passTokens <= 0) return lengths;
  const sequences = entries.map(({ sequenceId }) => sequenceId);
  const every = Math.ceil(distinct.length / mostLevels);
  let best = { lengths, cost: costOf(sequences, lengths, passTokens) };
  for (const level of distinct.filter((_, index) => index % every === 0)) {
    // The shorter ones are padded to this level or not at all, the longer ones to the longest.
    for (const lower of [level, 0]) {
      const padded = entries.map(({ tokens, most }) =>
        Math.min(most, tokens > level ? longest : Math.max(tokens, lower)),
      );
      if (padded.reduce((sum, length) => sum + length, 0) > mostTokens) continue;
      const cost = costOf(sequences, padded, passTokens);
      if (cost < best.cost) best = { lengths: padded, cost };
    }
  }
  return best.lengths;
}

/** The same tokens where nothing is added. */
export function paddedTo(length: number, tokens: Uint32Array): Uint32Array {
  if (length === tokens.length) return tokens;
  const padded = new Uint32Array(length);
  padded.set(tokens);
  return padded;
}

/** In tokens: as the native code splits a batch (`split_equal`). */
function costOf(sequences: readonly number[], lengths: readonly number[], passTokens: number): number {
  const left = [...lengths];
  let cost = 0;
  for (let first = 0; first < left.length;) {
    if (left[first] === 0) {
      first += 1;
      continue;
    }
    let end = first + 1;
    while (left[end] !== undefined && left[end] !== 0 && sequences[end] === (sequences[end - 1] ?? 0) + 1)
      end += 1;
    const shortest = Math.min(...left.slice(first, end));
    for (let at = first; at < end; at++) left[at] = (left[at] ?? 0) - shortest;
    cost += passTokens + shortest * (end - first);
  }
  return cost;
}
