/**
 * The value of one argument, written as plain text up to a closing tag, as JSON.
 *
 * Text of a string goes on as it arrives. What may be JSON of another type has to end first: only then is it known
 * whether it is JSON, and what is none is a string.
 */
import { upTo, type Input, type Reading } from "./input.js";
import type { ParameterKind } from "./parameter-kinds.js";

/** A value that is not known to be text is kept up to this length; longer ones are text. */
const longestKept = 256 * 1024;
/** As Python writes them: some templates do, so models do. */
const pythonWords = new Map([
  ["True", "true"],
  ["False", "false"],
  ["None", "null"],
]);

/** False when the text ended before the closing tag. */
export function* taggedValue(
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
    if (this.#isString) this.write('"');
    else
      this.write(
        kind === "string" || !isJson(this.#kept, kind) ? `"${inside(this.#kept)}"` : asJson(this.#kept),
      );
  }
}

function isJson(text: string, kind: ParameterKind): boolean {
  if (kind === "nullable") return asJson(text) === "null";
  try {
    JSON.parse(asJson(text));
    return true;
  } catch {
    return false;
  }
}

function asJson(text: string): string {
  const trimmed = text.trim();
  return pythonWords.get(trimmed) ?? trimmed;
}

/** Not `JSON.stringify`, which writes half a surrogate pair as an escape: the other half may be on its way. */
const inside = (text: string): string =>
  text.replace(/["\\]|[^ -\uffff]/g, (char) => JSON.stringify(char).slice(1, -1));
