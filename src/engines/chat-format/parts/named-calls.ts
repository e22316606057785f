/**
 * A call as its name, a separator, and its arguments as one JSON object: `f[ARGS]{…}`. An id that a family writes
 * between them is dropped: ids are ours.
 */
import type { NamedCalls } from "../reply-syntax.js";
import { longestName } from "./json-calls.js";
import { literal, oneOf, peek, skipSpace, type Input, type Reading } from "./input.js";
import { jsonValue } from "./json-value.js";
import type { Output } from "./output.js";

/** False when it is no call, or its arguments are not JSON. */
export function* namedCall(input: Input, output: Output, payload: NamedCalls): Reading<boolean> {
  input.record();
  yield* skipSpace(input);
  yield* oneOf(input, [payload.prefix]);
  const name = yield* nameBefore(input, payload);
  if (name === null) return false;
  input.stopRecording();
  output.call(name);
  if (!(yield* argumentsText(input, output))) return false;
  yield* skipSpace(input);
  yield* literal(input, payload.suffix.trim());
  return true;
}

/** The arguments of a call that has begun, as one JSON value; nothing and `null` are an empty object. */
export function* argumentsText(input: Input, output: Output): Reading<boolean> {
  yield* skipSpace(input);
  const first = yield* peek(input);
  if (first === "{" || first === "[" || first === null)
    return yield* jsonValue(input, (text) => output.write("arguments", text));
  let value = "";
  const isWhole = yield* jsonValue(input, (text) => (value += text), longestName);
  if (isWhole) output.write("arguments", value === "null" ? "{}" : value);
  return isWhole;
}

/** The separator is sometimes left out, but no name has a brace in it. */
function* nameBefore(input: Input, { separator, idOpen }: NamedCalls): Reading<string | null> {
  let [name, isId] = ["", false];
  for (let length = 0; length <= 2 * longestName; length++) {
    if ((yield* oneOf(input, [separator])) !== null || (yield* peek(input)) === "{") {
      return /^[\w.:-]{1,128}$/.test(name.trim()) ? name.trim() : null;
    }
    if (input.unread === "") return null;
    if (!isId && idOpen !== "" && (yield* literal(input, idOpen))) isId = true;
    else {
      const char = input.take(1);
      if (!isId) name += char;
    }
  }
  return null;
}
