/**
 * Calls as JSON after a marker: one object, several in a row, or a list. Which of them a family is supposed to write
 * says little about what its models write, so each is read.
 */
import { callObject, type CallObjectOptions } from "./call-object.js";
import { peek, skipSpace, type Input, type Reading } from "./input.js";
import type { Output } from "./output.js";

/** False when something stood there that is no call. */
export function* jsonCalls(input: Input, output: Output, options: CallObjectOptions): Reading<boolean> {
  input.record();
  yield* skipSpace(input);
  const isList = (yield* peek(input)) === "[";
  if (isList) {
    input.take(1);
    yield* skipSpace(input);
    if (yield* closesList(input)) return options.accepts === undefined;
  }
  for (;;) {
    if (!(yield* callObject(input, output, options))) return false;
    yield* skipSpace(input);
    if (isList && (yield* closesList(input))) return true;
    yield* separator(input);
    if ((yield* peek(input)) !== "{") return true;
  }
}

function* closesList(input: Input): Reading<boolean> {
  if ((yield* peek(input)) !== "]") return false;
  input.take(1);
  return true;
}

function* separator(input: Input): Reading {
  const next = yield* peek(input);
  if (next === "," || next === ";") input.take(1);
  yield* skipSpace(input);
}
