/**
 * Which member of a pool gets the next piece of work: where the conversation is warm, if that one is not too
 * much busier than the least busy; else the least busy. Pure: nothing here waits, or knows what a member is.
 */
export interface Candidate {
  weight: number;
  capacity: number;
  runs: number;
  /** Tokens, prompt and reply, of the runs under way. */
  work: number;
  /** Requests of others that wait there, where it reports them. */
  waiting: number;
  /** When it was last chosen, in any unit: among equals the one that waited longest is next. */
  lastChosen: number;
}

/** What a request of others that waits is taken for, in tokens. */
const usualWork = 500;

/** How many times busier the warm one may be. Reading a prompt again costs less than a long wait. */
export const warmthFactor = 2;

/** Work in proportion to what a member can do. */
export const loadOf = ({ weight, capacity, work, waiting }: Candidate): number =>
  (work + waiting * usualWork) / (Math.max(1, capacity) * weight);

const isFull = ({ runs, capacity }: Candidate): boolean => runs >= capacity;

export function choose<C extends Candidate>(
  candidates: readonly C[],
  warm: C | undefined,
  ownWork: number,
): C | undefined {
  const [first, ...others] = candidates;
  if (first === undefined) return undefined;
  const least = others.reduce((best, candidate) => (isBefore(candidate, best) ? candidate : best), first);
  if (warm === undefined || !candidates.includes(warm)) return least;
  if (isFull(warm) && !isFull(least)) return least;
  // One run of the same size may stand before it: else two idle members would never keep a conversation.
  const slack = ownWork / (Math.max(1, warm.capacity) * warm.weight);
  return loadOf(warm) <= warmthFactor * loadOf(least) + slack ? warm : least;
}

function isBefore(a: Candidate, b: Candidate): boolean {
  if (isFull(a) !== isFull(b)) return isFull(b);
  const difference = loadOf(a) - loadOf(b);
  return difference === 0 ? a.lastChosen < b.lastChosen : difference < 0;
}
