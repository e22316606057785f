/**
 * The grammar of JSON itself: strings, numbers and values of any kind.
 *
 * Each character of a string is written in one way that is one code point when it is read, so that lengths can
 * be counted: escapes of half a surrogate pair do not occur. One space may follow a colon or a comma; more
 * would let a model fill its reply with them.
 */
import {
  chars,
  choice,
  one,
  optional,
  repeat,
  sequence,
  text,
  type CodeRange,
  type Expression,
  type Grammar,
} from "../gbnf.js";

/** Characters that stand for themselves in a string: no quote, no backslash, no control, no surrogate. */
export const plainRanges: readonly CodeRange[] = [
  [0x20, 0x21],
  [0x23, 0x5b],
  [0x5d, 0x7e],
  [0xa0, 0xd7ff],
  [0xe000, 0xfffd],
  [0x10000, 0x10ffff],
];

const digit = chars([0x30, 0x39]);
const hexDigit = chars([0x30, 0x39], [0x41, 0x46], [0x61, 0x66]);
const space = optional(text(" "));
export const comma = sequence(text(","), space);
export const colon = sequence(text(":"), space);
const quote = text('"');

/** Any character of a string, escaped where it must be. */
export function anyChar(grammar: Grammar): Expression {
  return grammar.define("char", () =>
    choice(
      chars(...plainRanges),
      sequence(text("\\"), chars(...Array.from('"\\bfnrt', one))),
      sequence(
        text("\\u"),
        choice(
          sequence(chars([0x30, 0x39], [0x61, 0x63], [0x65, 0x66]), hexDigit, hexDigit, hexDigit),
          sequence(text("d"), chars([0x30, 0x37]), hexDigit, hexDigit),
        ),
      ),
    ),
  );
}

export function stringOf(content: Expression): Expression {
  return sequence(quote, content, quote);
}

export function anyString(grammar: Grammar): Expression {
  return grammar.define("string", () => stringOf(repeat(anyChar(grammar), 0)));
}

/** As many digits as a number keeps exactly. */
const exactDigits = 15;

export function anyInteger(grammar: Grammar): Expression {
  return grammar.define("integer", () =>
    sequence(
      optional(text("-")),
      choice(text("0"), sequence(chars([0x31, 0x39]), repeat(digit, 0, exactDigits - 1))),
    ),
  );
}

/** Above all that is written as any number: fifteen digits and an exponent of two. */
export const largestNumber = 1e115;

export function anyNumber(grammar: Grammar): Expression {
  return grammar.define("number", () =>
    sequence(
      anyInteger(grammar),
      optional(sequence(text("."), repeat(digit, 1, exactDigits))),
      optional(sequence(chars(one("E"), one("e")), optional(chars(one("+"), one("-"))), repeat(digit, 1, 2))),
    ),
  );
}

export const boolean = choice(text("true"), text("false"));
export const nothing = text("null");

export function anyValue(grammar: Grammar): Expression {
  return grammar.define("value", () =>
    choice(anyObject(grammar), anyArray(grammar), anyString(grammar), anyNumber(grammar), boolean, nothing),
  );
}

export function anyObject(grammar: Grammar): Expression {
  return grammar.define("object", () => mapOf(grammar, anyValue(grammar), false));
}

function anyArray(grammar: Grammar): Expression {
  return grammar.define("array", () => listOf(anyValue(grammar), 0, undefined));
}

function mapOf(grammar: Grammar, value: Expression, needsOne: boolean): Expression {
  const member = sequence(anyString(grammar), colon, value);
  const members = sequence(member, repeat(sequence(comma, member), 0));
  return sequence(text("{"), needsOne ? members : optional(members), text("}"));
}

export function listOf(item: Expression, min: number, max: number | undefined): Expression {
  if (max === 0) return text("[]");
  const more = repeat(sequence(comma, item), Math.max(0, min - 1), max === undefined ? undefined : max - 1);
  const items = sequence(item, more);
  return sequence(text("["), min === 0 ? optional(items) : items, text("]"));
}
