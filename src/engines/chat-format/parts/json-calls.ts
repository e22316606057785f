/**
 * Calls as JSON after a marker: one object, several in a row, or a list. Which of them a family is supposed to write
 * says little about what its models write, so each is read.
 *
 * A call is `{"name": "f", "arguments": {…}}`, with any other fields and in any order.
 * The arguments are passed on as they are written, as soon as the name is known; before, they are kept. A string that
 * holds JSON is decoded. No arguments, `null` and an empty string are an empty object. An object inside a field
 * `function` is read as the call itself.
 */
import type { JsonCalls } from "../reply-syntax.js";
import { literal, oneOf, peek, skipSpace, type Input, type Reading } from "./input.js";
import { jsonString, jsonValue, punctuation, shortString } from "./json-value.js";
import { TrimmedText, type Output } from "./output.js";

/** Names are at most 64 long in requests; a little more does no harm here. */
export const longestName = 128;
/** Arguments that come before the name are kept up to this length. */
const longestKept = 32 * 1024;
const longestSkipped = 32 * 1024;

type CallFields = Pick<JsonCalls, "nameField" | "argumentsField">;

export interface JsonCallsOptions extends CallFields {
  /**
   * For replies that are not marked as calls: what an object must be to count as one. Its first field is the name, or
   * the type, and the name is one that this accepts.
   */
  accepts?: (name: string) => boolean;
}

/** False when something stood there that is no call. */
export function* jsonCalls(input: Input, output: Output, options: JsonCallsOptions): Reading<boolean> {
  input.record();
  yield* skipSpace(input);
  const isList = yield* literal(input, "[");
  if (isList) {
    yield* skipSpace(input);
    if (yield* literal(input, "]")) return options.accepts === undefined;
  }
  for (;;) {
    if (!(yield* callObject(input, output, options))) return false;
    yield* skipSpace(input);
    if (isList && (yield* literal(input, "]"))) return true;
    yield* oneOf(input, [",", ";"]);
    yield* skipSpace(input);
    if ((yield* peek(input)) !== "{") return true;
  }
}

/**
 * True once a call was read to its end. False when it turned out to be none: what was taken is then still recorded if
 * the call had not begun.
 */
function* callObject(input: Input, output: Output, options: JsonCallsOptions): Reading<boolean> {
  const call = new Call(input, output);
  input.record();
  return (yield* fields(input, call, options)) && call.finish();
}

class Call {
  #kept = "";
  hasBegun = false;
  hasArguments = false;

  constructor(
    private readonly input: Input,
    private readonly output: Output,
  ) {}

  begin(name: string): void {
    this.hasBegun = true;
    this.input.stopRecording();
    this.output.call(name);
    this.output.write("arguments", this.#kept);
    this.#kept = "";
  }

  readonly write = (text: string): void => {
    if (this.hasBegun) this.output.write("arguments", text);
    else this.#kept += text;
  };

  finish(): boolean {
    if (this.hasBegun && !this.hasArguments) this.output.write("arguments", "{}");
    return this.hasBegun;
  }
}

function* fields(input: Input, call: Call, options: JsonCallsOptions): Reading<boolean> {
  if (!(yield* punctuation(input, "{"))) return false;
  if (yield* punctuation(input, "}")) return true;
  let isFirst = true;
  do {
    const key = yield* shortString(input, longestName);
    if (key === null || !(yield* punctuation(input, ":"))) return false;
    if (isFirst && options.accepts !== undefined && key !== options.nameField && key !== "type") return false;
    isFirst = false;
    if (!(yield* field(input, call, key, options))) return false;
  } while (yield* punctuation(input, ","));
  // Not `punctuation`: whitespace after the object is not the object's.
  return yield* literal(input, "}");
}

function* field(input: Input, call: Call, key: string, options: JsonCallsOptions): Reading<boolean> {
  if (key === options.nameField && !call.hasBegun) {
    const name = yield* shortString(input, longestName);
    if (name === null || name === "" || options.accepts?.(name) === false) return false;
    call.begin(name);
    return true;
  }
  if (isArguments(key, options) && !call.hasArguments) {
    call.hasArguments = true;
    return yield* argumentsValue(input, call);
  }
  if (key === "function" && !call.hasBegun && (yield* peek(input)) === "{") {
    return yield* fields(input, call, options);
  }
  return yield* jsonValue(input, () => undefined, longestSkipped);
}

/** Models confuse the two names that families use, whatever their template says. */
const isArguments = (key: string, { argumentsField }: CallFields): boolean =>
  key === argumentsField || key === "arguments" || key === "parameters";

function* argumentsValue(input: Input, call: Call): Reading<boolean> {
  const longest = call.hasBegun ? Number.POSITIVE_INFINITY : longestKept;
  const first = yield* peek(input);
  if (first === "n") {
    const isNull = yield* jsonValue(input, () => undefined);
    if (isNull) call.write("{}");
    return isNull;
  }
  if (first !== '"') return yield* jsonValue(input, call.write, longest);
  const content = new TrimmedText(call.write, true);
  const isWhole = yield* jsonString(input, (text) => content.write(text), longest);
  if (isWhole && content.isBlank) call.write("{}");
  return isWhole;
}
