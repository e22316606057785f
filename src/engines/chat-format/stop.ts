/**
 * Cuts a reply at the first stop sequence, however the text arrives in fragments.
 *
 * One Knuth-Morris-Pratt automaton for each stop sequence reads the text once. Its state is how much of the
 * sequence the text so far ends with: so many characters are held back, since they may turn out to be its
 * beginning, and never more. What is given out is final: joined, it is the same for every way of cutting the
 * text into fragments.
 *
 * When several sequences end at the same character the longest wins, as nothing of it may be shown.
 */
export class StopMatcher {
  readonly #automata: Automaton[];
  #held = "";

  constructor(stops: readonly string[]) {
    // Half of a surrogate pair occurs in no valid text, and matching one would cut a character in two.
    this.#automata = stops.filter((stop) => stop !== "" && !/\p{Surrogate}/u.test(stop)).map(newAutomaton);
  }

  /**
   * The text that is safe to show now, and the stop sequence that was completed: the text ends just before it, and
   * nothing more will come.
   */
  push(text: string): { text: string; stop: string | null } {
    const before = this.#held.length;
    const whole = this.#held + text;
    for (let index = 0; index < text.length; index++) {
      const matched = this.#advance(text.charCodeAt(index));
      if (matched === "") continue;
      this.#held = "";
      return { text: whole.slice(0, before + index + 1 - matched.length), stop: matched };
    }
    const holdBack = Math.max(0, ...this.#automata.map((automaton) => automaton.state));
    this.#held = whole.slice(whole.length - holdBack);
    return { text: whole.slice(0, whole.length - holdBack), stop: null };
  }

  /** The text ended: what was held back is no stop sequence. */
  flush(): string {
    const rest = this.#held;
    this.#held = "";
    for (const automaton of this.#automata) automaton.state = 0;
    return rest;
  }

  /** The longest sequence that ends with this character, or none of it. */
  #advance(unit: number): string {
    let longest = "";
    for (const automaton of this.#automata) {
      const { stop, fallback } = automaton;
      while (automaton.state > 0 && stop.charCodeAt(automaton.state) !== unit) {
        automaton.state = fallback[automaton.state - 1] ?? 0;
      }
      if (stop.charCodeAt(automaton.state) === unit) automaton.state += 1;
      if (automaton.state === stop.length && stop.length > longest.length) longest = stop;
    }
    return longest;
  }
}

interface Automaton {
  stop: string;
  /** For each prefix of `stop`, the length of its longest proper prefix that is also its suffix. */
  fallback: Uint32Array;
  state: number;
}

function newAutomaton(stop: string): Automaton {
  const fallback = new Uint32Array(stop.length);
  let matched = 0;
  for (let index = 1; index < stop.length; index++) {
    while (matched > 0 && stop.charCodeAt(index) !== stop.charCodeAt(matched)) {
      matched = fallback[matched - 1] ?? 0;
    }
    if (stop.charCodeAt(index) === stop.charCodeAt(matched)) matched += 1;
    fallback[index] = matched;
  }
  return { stop, fallback, state: 0 };
}
