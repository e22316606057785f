/**
 * Whether to compute guessed tokens of a reply along with its newest, and how many.
 *
 * A step of a reply that runs alone goes through all weights for one token; a few more tokens in the same pass cost much
 * less than passes of their own. Each token is then sampled as if the guess had not been there, and what follows the
 * first wrong guess is discarded: the text is the same, it only comes sooner. What a pass of 4, 8 or 16 tokens
 * takes is measured (the fast kernels take four at a time), and how often guesses for this reply are right, also of
 * those that were not computed. What was said before is looked up, and a grammar may leave no choice (forced-text.ts).
 * Where neither helps, a smaller model may (draft-model.ts). Beside other replies nothing is guessed: the native code
 * would go through the weights once more for the tokens that the others do not have.
 */

/** Tokens in a pass, the newest included. */
const passes = [4, 8, 16] as const;
export const mostDrafted = 15;

/**
 * Of a pass that was not tried lately, in steps of one token: low enough to be tried, unless reading as many tokens of a
 * prompt takes longer.
 */
const untriedCost = 1.2;
/** What speculation must gain: below that it is not worth its waste. */
const leastGain = 1.05;
/** How likely a guess is right, before any was checked. */
export const firstLikelihood = 0.6;
export const weightOfLatest = 0.15;
/** A measurement as old as so many steps is dropped: the context has grown, other programs have ended. */
const staleSteps = 100;
const fewestPlain = 3;
/** The length of the runs of tokens that are looked up. */
const order = 3;

interface Cost {
  ms: number;
  samples: number;
  atStep: number;
}

/** Guesses the tokens that follow the newest; none where it cannot. */
export type Guess = (computed: readonly number[], newest: number) => ArrayLike<number>;

/** What is guessed for one reply: by the kind of guess that was right more often, or else by another. */
export class Draft {
  readonly #kinds: readonly [Kind, ...Kind[]];
  /** What was guessed for this step; the last is the latest. */
  #guesses: Guessed[] = [];

  /** `forced`: what its grammar leaves no choice about. That takes a while to find out. */
  constructor(forced?: Guess) {
    const lookup = new DraftLookup();
    const byLookup: Kind = {
      guess: (computed, newest) => lookup.draft(computed, newest, mostDrafted),
      isFree: true,
      likelihood: firstLikelihood,
    };
    this.#kinds =
      forced === undefined
        ? [byLookup]
        : [{ guess: forced, isFree: false, likelihood: firstLikelihood }, byLookup];
  }

  /** That the next token of the latest guess is right. */
  get likelihood(): number {
    return (this.#guesses.at(-1)?.by ?? this.#kinds[0]).likelihood;
  }

  /** The tokens that follow the newest, as far as they can be guessed. `pays`: with guesses as likely as that. */
  guess(
    computed: readonly number[],
    newest: number,
    pays: (likelihood: number) => boolean,
  ): readonly number[] {
    this.#guesses = [];
    for (const kind of this.#kinds.toSorted((a, b) => b.likelihood - a.likelihood)) {
      if (!kind.isFree && !pays(kind.likelihood)) continue;
      const tokens = Array.from(kind.guess(computed, newest)).slice(0, mostDrafted);
      this.add(tokens, kind);
      if (tokens.length > 0) return tokens;
    }
    return [];
  }

  /** Another guess for the same step. */
  add(tokens: readonly number[], by: { likelihood: number }): void {
    this.#guesses.push({ tokens, by, checked: 0 });
  }

  /** What the reply said next. */
  check(token: number): void {
    for (const one of this.#guesses) {
      const guessed = one.tokens[one.checked];
      if (guessed === undefined) continue;
      const isRight = guessed === token;
      one.by.likelihood += ((isRight ? 1 : 0) - one.by.likelihood) * weightOfLatest;
      one.checked = isRight ? one.checked + 1 : Infinity;
    }
  }
}

interface Guessed {
  tokens: readonly number[];
  by: { likelihood: number };
  /** So many of them were right. */
  checked: number;
}

interface Kind {
  guess: Guess;
  isFree: boolean;
  /** That the next token is right. */
  likelihood: number;
}

export class DraftPace {
  readonly #costs = new Map<number, Cost>();
  #steps = 0;

  /** `readingMs`: how long reading so many tokens of a prompt takes; 0 while that is not known. */
  constructor(private readonly readingMs: (tokens: number) => number) {}

  /** Whether any guess that is so likely pays. */
  pays(likelihood: number): boolean {
    return this.worth(mostDrafted, likelihood) > 0;
  }

  /** How many tokens to guess, or of those guessed to compute along; 0 where that does not pay. */
  worth(guessed: number, likelihood: number, msPerGuess = 0): number {
    const plain = this.#costs.get(1);
    if (plain === undefined || plain.samples < fewestPlain || guessed === 0) return 0;
    let best = { tokens: 0, rate: leastGain / plain.ms };
    for (const pass of passes) {
      const tokens = Math.min(pass - 1, guessed);
      const ms = this.#fresh(pass)?.ms ?? Math.max(plain.ms * untriedCost, this.readingMs(tokens + 1));
      const rate = expectedTokens(tokens, likelihood) / (ms + tokens * msPerGuess);
      if (rate > best.rate) best = { tokens, rate };
    }
    return best.tokens;
  }

  /** A step of one reply alone, with so many guessed tokens, took so long. */
  record(drafted: number, ms: number): void {
    this.#steps += 1;
    const pass = drafted === 0 ? 1 : (passes.find((size) => drafted < size) ?? mostDrafted + 1);
    const before = this.#fresh(pass);
    this.#costs.set(pass, {
      ms: before === undefined ? ms : before.ms + (ms - before.ms) * weightOfLatest,
      samples: (before?.samples ?? 0) + 1,
      atStep: this.#steps,
    });
  }

  #fresh(pass: number): Cost | undefined {
    const cost = this.#costs.get(pass);
    return cost !== undefined && this.#steps - cost.atStep <= staleSteps ? cost : undefined;
  }
}

/** The first is sampled in any case, each further one when all before it were guessed right. */
function expectedTokens(drafted: number, likelihood: number): number {
  let expected = 1;
  for (let at = 1; at <= drafted; at++) expected += likelihood ** at;
  return expected;
}

/**
 * Guesses how a reply goes on from what it and its prompt already say: where its last three tokens stood before, what
 * followed them there may follow again. Quotes, edits of code and repeated structures are mostly guessed right, and
 * looking it up costs nothing (prompt lookup).
 */
export class DraftLookup {
  /** Where a run of three tokens last ended, by its hash. */
  readonly #ends = new Map<number, number>();
  #indexed = order - 1;

  /** Up to `most` tokens that may follow `newest`; none where it does not occur. `computed` only grows between calls. */
  draft(computed: readonly number[], newest: number, most: number): number[] {
    // A token may have been put back for another step.
    this.#indexed = Math.min(this.#indexed, Math.max(order - 1, computed.length));
    for (; this.#indexed < computed.length; this.#indexed++)
      this.#ends.set(hashAt(computed, this.#indexed, computed[this.#indexed]), this.#indexed);
    const end = this.#ends.get(hashAt(computed, computed.length, newest));
    if (end === undefined || !isSameRun(computed, end, newest)) return [];
    return computed.slice(end + 1, end + 1 + most);
  }
}

const hashAt = (tokens: readonly number[], at: number, last = 0): number =>
  (Math.imul(tokens[at - 2] ?? 0, 0x9e3779b1) ^ Math.imul(tokens[at - 1] ?? 0, 0x85ebca6b) ^ last) | 0;

const isSameRun = (computed: readonly number[], end: number, newest: number): boolean =>
  computed[end] === newest && computed[end - 1] === computed.at(-1) && computed[end - 2] === computed.at(-2);
