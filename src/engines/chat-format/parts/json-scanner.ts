/**
 * Follows one JSON value character by character, and says where it ends and whether it is one. The value itself is
 * not built: its text is passed on as it is.
 */

/**
 * What a character is to the value: inside it, its last one, the first one after it, a control character that stands
 * bare in a string and must be escaped, or wrong.
 */
export type Step = "inside" | "last" | "after" | "control" | "wrong";

/** Between the words, numbers and strings, where whitespace means nothing. */
type Between =
  | "value"
  /** As `value`, or the end of an empty list. */
  | "first item"
  /** A key, or the end of an empty object. */
  | "first key"
  | "key"
  | "colon"
  | "after value";

type State = Between | "string" | "escape" | "hex" | "word" | "number";

/** Deeper nesting is refused: nothing sensible has it. */
const deepest = 200;
const words = ["true", "false", "null"];
/** Complete numbers, and beginnings of numbers. */
const wholeNumber = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;
const partOfNumber = /^-?((0|[1-9][0-9]*)(\.[0-9]*)?|(0|[1-9][0-9]*)(\.[0-9]+)?[eE][+-]?[0-9]*)?$/;
const longestNumber = 400;

export class JsonScanner {
  #state: State = "value";
  readonly #open: ("{" | "[")[] = [];
  #isKey = false;
  #hexLeft = 0;
  #scalar = "";

  step(char: string): Step {
    switch (this.#state) {
      case "string":
        return this.#inString(char);
      case "escape":
        if (char === "u") {
          this.#hexLeft = 4;
          return this.#go("hex");
        }
        return '"\\/bfnrt'.includes(char) ? this.#go("string") : "wrong";
      case "hex":
        if (!/[0-9a-fA-F]/.test(char)) return "wrong";
        this.#hexLeft -= 1;
        return this.#go(this.#hexLeft === 0 ? "string" : "hex");
      case "word":
        return this.#inWord(char);
      case "number":
        return this.#inNumber(char);
      case "value":
      case "first item":
      case "first key":
      case "key":
      case "colon":
      case "after value":
        return " \n\r\t".includes(char) ? "inside" : this.#between(char, this.#state);
    }
  }

  /** Whether the value is whole if the text ends here: only numbers can be, of those that are still open. */
  isWholeAtEnd(): boolean {
    return this.#state === "number" && this.#open.length === 0 && wholeNumber.test(this.#scalar);
  }

  #between(char: string, state: Between): Step {
    switch (state) {
      case "first item":
        return char === "]" ? this.#close("[") : this.#begin(char);
      case "value":
        return this.#begin(char);
      case "first key":
        return char === "}" ? this.#close("{") : this.#beginKey(char);
      case "key":
        return this.#beginKey(char);
      case "colon":
        return char === ":" ? this.#go("value") : "wrong";
      case "after value":
        if (char === ",") return this.#go(this.#open.at(-1) === "{" ? "key" : "value");
        if (char === "}") return this.#close("{");
        return char === "]" ? this.#close("[") : "wrong";
    }
  }

  #begin(char: string): Step {
    if (char === "{" || char === "[") {
      if (this.#open.length === deepest) return "wrong";
      this.#open.push(char);
      return this.#go(char === "{" ? "first key" : "first item");
    }
    if (char === '"') {
      this.#isKey = false;
      return this.#go("string");
    }
    this.#scalar = char;
    if (words.some((word) => word.startsWith(char))) return this.#go("word");
    return partOfNumber.test(char) ? this.#go("number") : "wrong";
  }

  #beginKey(char: string): Step {
    this.#isKey = true;
    return char === '"' ? this.#go("string") : "wrong";
  }

  #inString(char: string): Step {
    if (char === "\\") return this.#go("escape");
    if (char === '"') return this.#isKey ? this.#go("colon") : this.#endValue();
    return char < " " ? "control" : "inside";
  }

  #inWord(char: string): Step {
    this.#scalar += char;
    if (words.includes(this.#scalar)) return this.#endValue();
    return words.some((word) => word.startsWith(this.#scalar)) ? "inside" : "wrong";
  }

  #inNumber(char: string): Step {
    const longer = this.#scalar + char;
    if (partOfNumber.test(longer) && longer.length <= longestNumber) {
      this.#scalar = longer;
      return "inside";
    }
    if (!wholeNumber.test(this.#scalar)) return "wrong";
    if (this.#endValue() === "last") return "after";
    return this.step(char);
  }

  #close(bracket: "{" | "["): Step {
    return this.#open.pop() === bracket ? this.#endValue() : "wrong";
  }

  #endValue(): Step {
    this.#state = "after value";
    return this.#open.length === 0 ? "last" : "inside";
  }

  #go(state: State): Step {
    this.#state = state;
    return "inside";
  }
}
