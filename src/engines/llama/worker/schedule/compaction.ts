/**
 * Sequence compaction: which sequences to move so that those in use are adjacent.
 *
 * The native code computes sequences together only where their numbers follow each other: a gap between them
 * means one more pass through all weights, at every step. Replies end in any order and conversations return to
 * where their prefix is cached, so gaps are the rule. Closing one costs a single copy within memory.
 */
export interface Move {
  from: number;
  to: number;
}

/** The fewest moves. `inUse` is in ascending order. */
export function compactionMoves(inUse: readonly number[], sequences: number): Move[] {
  const starts = Array.from({ length: sequences - inUse.length + 1 }, (_, start) => start);
  const isWithin = (start: number) => (id: number) => id >= start && id < start + inUse.length;
  const staying = starts.map((start) => inUse.filter(isWithin(start)).length);
  const best = staying.indexOf(Math.max(...staying));
  const gaps = inUse.map((_, index) => best + index).filter((id) => !inUse.includes(id));
  return inUse.filter((id) => !isWithin(best)(id)).map((from, index) => ({ from, to: gaps[index] ?? from }));
}
