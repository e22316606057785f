/**
 * Carries users' text through a chat template unread. What must not become a special token is replaced by a
 * placeholder before the template is rendered; afterwards the rendered text is split at the placeholders into
 * parts to read with special tokens and parts to read as plain text.
 *
 * Text that is the same gets the same placeholder: templates compare, such as the name of a parameter with the required
 * ones. A placeholder is made of private-use characters, which no template trims, splits at or changes the case of,
 * around a random number, so that content cannot forge one.
 */
import { randomBytes } from "node:crypto";

export interface PromptPiece {
  text: string;
  /** Whether special tokens may be read in it. */
  special: boolean;
}

const open = "\uE000";
const close = "\uE001";
const firstDigit = 0xe010;
const hide = (hexDigits: string): string =>
  hexDigits.replace(/./g, (digit) => String.fromCharCode(firstDigit + Number.parseInt(digit, 16)));
const unhide = (hidden: string): string =>
  hidden.replace(/./g, (char) => (char.charCodeAt(0) - firstDigit).toString(16));

export class Shield {
  readonly #covered: string[] = [];
  readonly #places = new Map<string, number>();
  readonly #mark = open + hide(randomBytes(12).toString("hex")) + close;

  /** What stands for the text while the template is rendered. */
  cover(text: string): string {
    if (text === "") return "";
    const index = this.#places.get(text) ?? this.#covered.push(text) - 1;
    this.#places.set(text, index);
    return this.#mark + hide(index.toString(16)) + close;
  }

  /** The pieces of a rendered text in order, none of them empty. */
  split(rendered: string): PromptPiece[] {
    const [before = "", ...rest] = rendered.split(this.#mark);
    const pieces: PromptPiece[] = [{ text: before, special: true }];
    for (const part of rest) {
      const end = part.indexOf(close);
      const covered = this.#covered[Number.parseInt(unhide(part.slice(0, end)), 16)] ?? "";
      pieces.push({ text: covered, special: false }, { text: part.slice(end + 1), special: true });
    }
    return pieces.filter(({ text }) => text !== "");
  }
}
