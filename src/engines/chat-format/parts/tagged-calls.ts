/**
 * A call with its arguments one by one between tags, such as
 * `<function=f>\n<parameter=a>\nvalue\n</parameter>\n</function>`. The JSON of the arguments is ours.
 *
 * The arguments may also be one JSON object in the place of the tags: where their schema cannot be held between tags,
 * our grammar has them written like that, and so do some models.
 *
 * Once the call has begun nothing of it is text: what stands between its parts is dropped, and so is the rest of a
 * call that does not end.
 */
import { isJson } from "../../../core/is-json.js";
import type { TaggedCalls } from "../reply-syntax.js";
import { longestName } from "./json-calls.js";
import { oneOf, peek, skipSpace, upTo, type Input, type Reading } from "./input.js";
import { argumentsText } from "./named-calls.js";
import { parameterKind, type ParameterKind, type Schema } from "./parameter-kinds.js";
import type { Output } from "./output.js";

/** A value that is not known to be text is kept up to this length; longer ones are text. */
const longestKept = 256 * 1024;
/** As Python writes them: some templates do, so models do. */
const pythonWords = new Map([
  ["True", "true"],
  ["False", "false"],
  ["None", "null"],
]);

export interface TaggedOptions {
  payload: TaggedCalls;
  /** What ends the call after its payload; may be empty. */
  close: string;
  tools: ReadonlyMap<string, Schema | undefined>;
  /** The marker before the name has been read already. */
  nameIsNext: boolean;
}

/** False when no call begins here. */
export function* taggedCall(input: Input, output: Output, options: TaggedOptions): Reading<boolean> {
  const { payload, close } = options;
  input.record();
  yield* skipSpace(input);
  if (!options.nameIsNext && payload.nameOpen !== "") {
    if ((yield* oneOf(input, [payload.nameOpen])) === null) return false;
  }
  const enders = [payload.keyOpen, payload.end, close].filter((marker) => marker !== "");
  const name = yield* shortText(input, [payload.nameClose, ...enders]);
  if (name === null || !/^[\w.:-]+$/.test(name.text)) return false;
  input.stopRecording();
  output.call(name.text);
  if (name.marker === payload.nameClose && (yield* jsonArguments(input, output, options))) return true;
  yield* argumentsOf(input, output, { ...options, enders, name: name.text, first: name.marker });
  return true;
}

/** The whole of the arguments as JSON, with what ends them; false if something else stands there. */
function* jsonArguments(input: Input, output: Output, { payload, close }: TaggedOptions): Reading<boolean> {
  yield* skipSpace(input);
  if ((yield* peek(input)) !== "{") return false;
  yield* argumentsText(input, output);
  const end = payload.end === "" ? close : payload.end;
  if (end !== "") yield* upTo(input, [end], () => undefined);
  return true;
}

interface ArgumentsOptions extends TaggedOptions {
  enders: readonly string[];
  name: string;
  /** The marker that ended the name: it may have begun the first argument, or ended the call. */
  first: string;
}

function* argumentsOf(input: Input, output: Output, options: ArgumentsOptions): Reading {
  const { payload, enders, name, first } = options;
  const schema = options.tools.get(name);
  let marker: string | null = enders.includes(first) ? first : yield* upTo(input, enders, () => undefined);
  let separator = "{";
  while (marker === payload.keyOpen) {
    const key = yield* shortText(input, [payload.keyClose]);
    if (key === null) return;
    output.write("arguments", `${separator}${JSON.stringify(key.text)}:`);
    separator = ",";
    if (!(yield* valueOpener(input, payload))) return;
    const closers = [payload.valueClose, payload.valueClose.trim()];
    const kind = parameterKind(schema, key.text);
    const isWhole = yield* taggedValue(input, kind, closers, (json) => output.write("arguments", json));
    if (!isWhole) return;
    marker = yield* upTo(input, enders, () => undefined);
  }
  // Without an end the arguments stay open, as they do in other notations.
  if (marker === null) return;
  output.write("arguments", separator === "{" ? "{}" : "}");
}

/** A line break is often left out; a tag is not. */
function* valueOpener(input: Input, { valueOpen }: TaggedCalls): Reading<boolean> {
  if (valueOpen.trim() !== "") return (yield* upTo(input, [valueOpen], () => undefined)) !== null;
  yield* oneOf(input, [valueOpen]);
  return true;
}

/** Text up to a marker, trimmed; null if it is too long or does not come. */
function* shortText(
  input: Input,
  markers: readonly string[],
): Reading<{ text: string; marker: string } | null> {
  let text = "";
  for (;;) {
    const marker = yield* oneOf(input, markers);
    if (marker !== null) return { text: text.trim(), marker };
    if (text.length > longestName || input.unread === "") return null;
    text += input.take(1);
  }
}

/**
 * The value of one argument, written as plain text up to a closing tag, as JSON. Text of a string goes on as it
 * arrives. What may be JSON of another type has to end first: only then is it known whether it is JSON, and what is
 * none is a string. False when the text ended before the closing tag.
 */
function* taggedValue(
  input: Input,
  kind: ParameterKind,
  closers: readonly string[],
  write: (json: string) => void,
): Reading<boolean> {
  // `null` is four characters, and one more tells it from the beginning of a text.
  const text = new StringOrJson(write, { string: 0, nullable: 4, other: longestKept }[kind]);
  const closer = yield* upTo(input, closers, (more) => text.add(more));
  if (closer === null) return false;
  text.finish(kind);
  return true;
}

class StringOrJson {
  #kept = "";
  #isString = false;

  constructor(
    private readonly write: (json: string) => void,
    private readonly longestKept: number,
  ) {}

  add(text: string): void {
    if (!this.#isString) {
      this.#kept += text;
      if (this.#kept.length <= this.longestKept) return;
      this.#isString = true;
      this.write('"' + inside(this.#kept));
      this.#kept = "";
    } else this.write(inside(text));
  }

  finish(kind: ParameterKind): void {
    const json = asJson(this.#kept);
    if (this.#isString) this.write('"');
    else this.write(isValue(json, kind) ? json : `"${inside(this.#kept)}"`);
  }
}

const isValue = (json: string, kind: ParameterKind): boolean =>
  kind === "nullable" ? json === "null" : kind === "other" && isJson(json);

function asJson(text: string): string {
  const trimmed = text.trim();
  return pythonWords.get(trimmed) ?? trimmed;
}

/** Not `JSON.stringify`, which writes half a surrogate pair as an escape: the other half may be on its way. */
const inside = (text: string): string =>
  text.replace(/["\\]|[^ -\uffff]/g, (char) => JSON.stringify(char).slice(1, -1));
