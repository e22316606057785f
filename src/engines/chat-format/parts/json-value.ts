/** Readings of JSON as it grows: values passed on as they are, strings decoded. */
import { literal, peek, skipSpace, type Input, type Reading } from "./input.js";
import { JsonScanner } from "./json-scanner.js";

/**
 * One value, its text given to `write` as it arrives; false when it is no JSON, not all of it came, or it is longer
 * than `longest`. Control characters that models leave bare in strings are escaped; all other text stays as it is.
 */
export function* jsonValue(
  input: Input,
  write: (text: string) => void,
  longest = Number.POSITIVE_INFINITY,
): Reading<boolean> {
  const scanner = new JsonScanner();
  let left = longest;
  for (;;) {
    let text = "";
    for (let char = input.unread.charAt(0); char !== ""; char = input.unread.charAt(0)) {
      const step = left === 0 ? "wrong" : scanner.step(char);
      if (step === "wrong" || step === "after") {
        write(text);
        return step === "after";
      }
      input.take(1);
      left -= 1;
      text += step === "control" ? escaped(char) : char;
      if (step !== "last") continue;
      write(text);
      return true;
    }
    write(text);
    if (input.ended) return scanner.isWholeAtEnd();
    yield;
  }
}

/**
 * The content of a string, decoded and given to `write` as it arrives; false when it is no string, did not end, or is
 * longer than `longest`.
 */
export function* jsonString(
  input: Input,
  write: (text: string) => void,
  longest = Number.POSITIVE_INFINITY,
): Reading<boolean> {
  if (!(yield* literal(input, '"'))) return false;
  let left = longest;
  for (;;) {
    const plain = (/^[^"\\]+/.exec(input.unread)?.[0] ?? "").slice(0, left);
    left -= plain.length;
    if (plain !== "") write(input.take(plain.length));
    const char = yield* peek(input);
    if (char === '"') {
      input.take(1);
      return true;
    }
    if (char === null || left === 0) return false;
    if (char !== "\\") continue;
    const decoded = yield* escapeSequence(input);
    if (decoded === null) return false;
    left -= 1;
    write(decoded);
  }
}

/** A string of no more than so many characters, decoded; null for anything else. */
export function* shortString(input: Input, longest: number): Reading<string | null> {
  let text = "";
  const isString = yield* jsonString(input, (more) => (text += more), longest);
  return isString ? text : null;
}

/** Takes this character, with whitespace around it. */
export function* punctuation(input: Input, char: string): Reading<boolean> {
  yield* skipSpace(input);
  if (!(yield* literal(input, char))) return false;
  yield* skipSpace(input);
  return true;
}

/** Halves of a surrogate pair come out one by one: `Output` joins them. */
function* escapeSequence(input: Input): Reading<string | null> {
  while (/^\\(u[0-9a-fA-F]{0,3})?$/.test(input.unread) && !input.ended) yield;
  const sequence = /^\\(["\\/bfnrt]|u[0-9a-fA-F]{4})/.exec(input.unread)?.[0];
  if (sequence === undefined) return null;
  input.take(sequence.length);
  return JSON.parse(`"${sequence}"`) as string;
}

const escaped = (char: string): string => JSON.stringify(char).slice(1, -1);
