/**
 * How much work a pattern makes of following it. The native engine keeps every way that a text can still go on,
 * and compares each new one with all the others: `(.?){64}x` leaves so many open that a single token takes
 * seconds, in which everybody's replies stand still.
 *
 * The pattern is read as positions (one for each character that it writes) and the positions that may follow
 * each. Two things are then counted:
 *
 * - Width. A text is made up that leaves as much open as it can, a character at a time: the positions that are
 *   reached together, and those that follow them, are what one step costs.
 * - Ways. A token that does not fit is tried along every way through its characters before it is refused, so
 *   optional parts in sequence that overlap (`a?a?a?…`) multiply with each character. Counted are the ways that
 *   a few equal characters can go, from anywhere in the pattern.
 */
import type { CodeRange, Expression } from "../gbnf.js";
import { Work } from "../work.js";

/** Tens of nanoseconds each: about ten milliseconds for a character. */
const mostStepWork = 500_000;
/** From one position: for a token, that is multiplied by how many are open. */
const mostWays = 1_000;
/** Characters of a token that are likely to be all alike. */
const tokenChars = 6;
const mostPositions = 20_000;
const mostFollowers = 100_000;
/** Longer than any pattern can put off what grows. */
const steps = 1_200;
/** Different characters to try at each step. */
const mostTried = 16;
/** Of looking itself. A pattern that takes more to understand is too ambiguous as well. */
const mostLooks = 1_000_000;

export function isCostly(pattern: Expression, work = new Work()): boolean {
  try {
    const positions = new Positions();
    const { first } = positions.read(pattern);
    const looks = new Looks(work);
    return hasManyWays(positions.all, looks) || isWideFrom(first, positions.all, looks);
  } catch (error) {
    if (error instanceof TooMany) return true;
    throw error;
  }
}

class Looks {
  #left = mostLooks;

  constructor(private readonly work: Work) {}

  spend(looks: number): void {
    this.#left -= looks;
    this.work.spend(looks);
    if (this.#left < 0) throw new TooMany();
  }
}

function isWideFrom(first: readonly number[], all: readonly Position[], looks: Looks): boolean {
  let reached = new Set(first);
  for (let step = 0; step < steps && reached.size > 0; step++) {
    let widest = new Set<number>();
    for (const code of charactersFor(reached, all)) {
      const next = new Set<number>();
      let looked = 0;
      for (const index of reached) {
        const position = all[index];
        if (position === undefined || !writes(position, code)) continue;
        looked += position.followers.length;
        for (const follower of position.followers) next.add(follower);
      }
      looks.spend(reached.size + looked);
      if (looked * next.size > mostStepWork) return true;
      if (next.size > widest.size) widest = next;
    }
    // The same again from here on.
    if (widest.size === reached.size && [...widest].every((index) => reached.has(index))) return false;
    reached = widest;
  }
  return false;
}

function hasManyWays(all: readonly Position[], looks: Looks): boolean {
  for (const code of charactersFor(all.keys(), all)) {
    looks.spend(all.length);
    const open = all.flatMap((position, index) => (writes(position, code) ? [index] : []));
    let ways = new Float64Array(all.length);
    for (const index of open) ways[index] = 1;
    for (let length = 1; length < tokenChars; length++) {
      const longer = new Float64Array(all.length);
      for (const index of open) {
        const followers = all[index]?.followers ?? [];
        looks.spend(1 + followers.length);
        let sum = 0;
        for (const follower of followers) sum += ways[follower] ?? 0;
        if (sum > mostWays) return true;
        longer[index] = sum;
      }
      ways = longer;
    }
  }
  return false;
}

const writes = (position: Position, code: number): boolean =>
  position.writes.some(([low, high]) => low <= code && code <= high);

/** One of each range that can come now: where ranges overlap, one of these is in both. */
function charactersFor(reached: Iterable<number>, all: readonly Position[]): Set<number> {
  const codes = new Set<number>();
  for (const index of reached) {
    for (const [low] of all[index]?.writes ?? []) if (codes.size < mostTried) codes.add(low);
  }
  return codes;
}

class TooMany extends Error {}

/** A part of the pattern: where it can begin and end, and whether it can be left out. */
interface Part {
  first: readonly number[];
  last: readonly number[];
  mayBeEmpty: boolean;
}

interface Position {
  writes: readonly CodeRange[];
  followers: number[];
}

const anything: CodeRange[] = [[0, 0x10ffff]];
const nothing: Part = { first: [], last: [], mayBeEmpty: true };

class Positions {
  readonly all: Position[] = [];
  #followers = 0;

  read(expression: Expression): Part {
    switch (expression.type) {
      case "text":
        return Array.from(expression.text).reduce<Part>(
          (before, char) => this.#join(before, this.#position([codeOf(char)])),
          nothing,
        );
      case "chars":
        return this.#position(expression.ranges);
      case "rule":
        return this.#position(anything);
      case "sequence":
        return expression.parts.reduce<Part>((before, part) => this.#join(before, this.read(part)), nothing);
      case "choice": {
        // Where it begins, all of them are open.
        if (expression.options.length ** 2 > mostStepWork) throw new TooMany();
        const options = expression.options.map((option) => this.read(option));
        const first = options.flatMap((option) => option.first);
        if (first.length ** 2 > mostStepWork) throw new TooMany();
        return {
          first,
          last: options.flatMap(({ last }) => last),
          mayBeEmpty: options.some(({ mayBeEmpty }) => mayBeEmpty),
        };
      }
      case "repeat":
        return this.#repeat(expression);
    }
  }

  /** Written out, as the native parser does. */
  #repeat({ part, min, max }: Extract<Expression, { type: "repeat" }>): Part {
    let rest = nothing;
    if (max === undefined) {
      const again = this.read(part);
      this.#link(again.last, again.first);
      rest = { ...again, mayBeEmpty: true };
    } else {
      for (let left = max - min; left > 0; left--) {
        rest = { ...this.#join(this.read(part), rest), mayBeEmpty: true };
      }
    }
    for (let left = min; left > 0; left--) rest = this.#join(this.read(part), rest);
    return rest;
  }

  #position(writes: readonly CodeRange[]): Part {
    const position = this.all.push({ writes, followers: [] }) - 1;
    if (position > mostPositions) throw new TooMany();
    return { first: [position], last: [position], mayBeEmpty: false };
  }

  #join(before: Part, after: Part): Part {
    this.#link(before.last, after.first);
    return {
      first: before.mayBeEmpty ? [...before.first, ...after.first] : before.first,
      last: after.mayBeEmpty ? [...before.last, ...after.last] : after.last,
      mayBeEmpty: before.mayBeEmpty && after.mayBeEmpty,
    };
  }

  #link(ends: readonly number[], beginnings: readonly number[]): void {
    this.#followers += ends.length * beginnings.length;
    if (this.#followers > mostFollowers) throw new TooMany();
    for (const end of ends) this.all[end]?.followers.push(...beginnings);
  }
}

function codeOf(char: string): CodeRange {
  const code = char.codePointAt(0) ?? 0;
  return [code, code];
}
