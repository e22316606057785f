/**
 * Some of a list of things, in its order, separated by commas: the properties of an object of which some are optional,
 * the items of a set of known values. Where the number of them is bounded, each rule also knows how many came before.
 */
import { choice, impossible, rule, sequence, text, type Expression, type Grammar } from "../gbnf.js";
import { comma } from "./json-text.js";

export interface Member {
  content: Expression;
  isRequired: boolean;
}

const maxRules = 1_000;

/** Whether so many can be counted. What holds by itself needs no counting. */
export function canCount(members: readonly Member[], min: number, max: number): boolean {
  return members.length * (countedUpTo(members, min, max) + 1) <= maxRules;
}

/** Its rules are one or two for each member and each count that matters. */
export function orderedSubset(
  members: readonly Member[],
  min: number,
  max: number,
  grammar: Grammar,
): Expression {
  const name = grammar.freshName("members");
  // Whether there was one before matters always: a comma follows it.
  const most = Math.max(1, countedUpTo(members, min, max));
  const rest = (index: number, count: number): Expression => rule(nameOf(index, Math.min(count, most)));
  const nameOf = (index: number, count: number): string => `${name}-${index}-${count}`;
  const from = (index: number, count: number): Expression => {
    const member = members[index];
    if (member === undefined) return count >= Math.min(min, most) ? text("") : impossible;
    const without = member.isRequired ? [] : [rest(index + 1, count)];
    if (count >= max) return choice(...without);
    const written = count === 0 ? [member.content] : [comma, member.content];
    return choice(sequence(...written, rest(index + 1, count + 1)), ...without);
  };
  // From the last to the first, without recursion: there may be thousands.
  for (let index = members.length; index > 0; index--) {
    for (let count = 0; count <= Math.min(index, most); count++) {
      grammar.define(nameOf(index, count), () => from(index, count));
    }
  }
  return from(0, 0);
}

/** Up to which number it matters how many there are. Required ones need no counting. */
function countedUpTo(members: readonly Member[], min: number, max: number): number {
  const required = members.filter(({ isRequired }) => isRequired).length;
  return Math.max(min > required ? min : 0, max < members.length ? max : 0);
}
