/**
 * How much work a pattern makes of following it. The native engine keeps every way that a text can still go on,
 * and compares each new one with all the others: `(.?){64}x` leaves so many open that a single token takes
 * seconds, in which everybody's replies stand still.
 *
 * The pattern is read as positions (one for each character that it writes) and the positions that may follow
 * each. Then a text is made up that leaves as much open as it can, a character at a time: the positions that
 * are reached together, and those that follow them, are what one step costs.
 */
import type { CodeRange, Expression } from "./gbnf.js";

/** Tens of nanoseconds each: about ten milliseconds for a character. */
const mostStepWork = 500_000;
const mostPositions = 20_000;
const mostFollowers = 200_000;
/** What grows does so from the start. */
const steps = 100;
/** Different characters to try at each step. */
const mostTried = 16;

export function isCostly(pattern: Expression): boolean {
  try {
    const positions = new Positions();
    return isCostlyFrom(positions.read(pattern).first, positions.all);
  } catch (error) {
    if (error instanceof TooMany) return true;
    throw error;
  }
}

function isCostlyFrom(first: readonly number[], all: readonly Position[]): boolean {
  let reached = new Set(first);
  for (let step = 0; step < steps && reached.size > 0; step++) {
    let widest = new Set<number>();
    for (const code of charactersFor(reached, all)) {
      const next = new Set<number>();
      let looked = 0;
      for (const index of reached) {
        const position = all[index];
        if (position?.writes.some(([low, high]) => low <= code && code <= high) !== true) continue;
        looked += position.followers.length;
        for (const follower of position.followers) next.add(follower);
      }
      if (looked * next.size > mostStepWork) return true;
      if (next.size > widest.size) widest = next;
    }
    reached = widest;
  }
  return false;
}

/** One of each range that can come now: where ranges overlap, one of these is in both. */
function charactersFor(reached: ReadonlySet<number>, all: readonly Position[]): Set<number> {
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
        return expression.text === "" ? nothing : this.#position(beginningOf(expression.text));
      case "chars":
        return this.#position(expression.ranges);
      case "rule":
        return this.#position(anything);
      case "sequence":
        return expression.parts.reduce<Part>((before, part) => this.#join(before, this.read(part)), nothing);
      case "choice": {
        const options = expression.options.map((option) => this.read(option));
        return {
          first: options.flatMap(({ first }) => first),
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

function beginningOf(text: string): CodeRange[] {
  const code = text.codePointAt(0) ?? 0;
  return [[code, code]];
}
