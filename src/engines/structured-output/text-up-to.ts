/**
 * Any text up to and including the first occurrence of a marker: one rule for each state of the automaton that looks
 * for it. Each rule ends with the next, so following them takes no memory.
 */
import {
  chars,
  choice,
  rule,
  sequence,
  text,
  type CodeRange,
  type Expression,
  type Grammar,
} from "./gbnf.js";

export function textUpTo(marker: string, name: string, grammar: Grammar): Expression {
  const expected = Array.from(marker);
  const stateName = (state: number) => (state === 0 ? name : `${name}-${state}`);
  for (const state of expected.keys()) {
    const next = new Map<string, number>();
    for (const char of new Set(expected.slice(0, state + 1))) {
      const reached = nextState(expected, state, char);
      if (reached > 0) next.set(char, reached);
    }
    grammar.define(stateName(state), () =>
      choice(
        ...[...next].map(([char, reached]) =>
          reached === expected.length ? text(char) : sequence(text(char), rule(stateName(reached))),
        ),
        sequence(chars(...allBut([...next.keys()])), rule(name)),
      ),
    );
  }
  return rule(name);
}

/** How much of the marker the text ends with, after `state` characters of it and this one. */
function nextState(marker: readonly string[], state: number, char: string): number {
  const read = [...marker.slice(0, state), char];
  for (let length = Math.min(read.length, marker.length); length > 0; length--) {
    if (read.slice(-length).every((one, index) => one === marker[index])) return length;
  }
  return 0;
}

function allBut(excluded: readonly string[]): CodeRange[] {
  const codes = excluded.map((char) => char.codePointAt(0) ?? 0).sort((a, b) => a - b);
  const bounds = [-1, ...codes, 0x110000];
  return bounds.slice(1).flatMap((end, index): CodeRange[] => {
    const first = (bounds[index] ?? 0) + 1;
    return first < end ? [[first, end - 1]] : [];
  });
}
