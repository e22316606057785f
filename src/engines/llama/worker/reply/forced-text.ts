/**
 * The text that a grammar leaves no choice about, such as names and punctuation of JSON that follows a schema.
 *
 * The native code only tells whether a token may come next. So characters are tried, each as a token of its own, as
 * long as only one of them may come. Only those that the grammar spells out are tried, and a few that stand for all
 * others. So the text is a guess, a good one, and has to be checked like any other.
 *
 * Grammars of JSON leave it open whether a space follows a colon or a comma: it is expected where the last one had it.
 */
import type { Vocabulary } from "../vocabulary.js";
import type { GrammarState, NativeGrammars } from "./lazy-grammar.js";

/** Copying the state of a longer grammar takes milliseconds. */
const longestGrammar = 16_384;
const mostChars = 64;
/** They may come within strings and numbers. */
const samples = "ab12";

type CharacterTokens = ReadonlyMap<string, number>;

/** The token of each character that has one. */
export function characterTokens(vocabulary: Pick<Vocabulary, "bytesOf">, size: number): CharacterTokens {
  const tokens = new Map<string, number>();
  for (let token = 0; token < size; token++) {
    const bytes = vocabulary.bytesOf(token);
    if (bytes.length === 1 && (bytes[0] ?? 0xff) < 0x80) tokens.set(String.fromCharCode(...bytes), token);
  }
  return tokens;
}

export class ForcedText {
  readonly #tried: readonly (readonly [char: string, token: number])[];

  constructor(
    private readonly grammars: Pick<NativeGrammars, "copy" | "allows" | "accept">,
    gbnf: string,
    characters: CharacterTokens,
  ) {
    const spelled = gbnf.length > longestGrammar ? "" : spelledOut(gbnf);
    const tried = spelled === "" ? [] : new Set(samples + spelled);
    this.#tried = [...tried].flatMap((char) => {
      const token = characters.get(char);
      return token === undefined ? [] : [[char, token] as const];
    });
  }

  /** `recent`: what was written before. */
  after(state: GrammarState, recent: string): string {
    let text = "";
    let ahead: GrammarState | undefined;
    while (text.length < mostChars) {
      const next = this.#onlyNext(ahead ?? state, recent + text);
      if (next === undefined) break;
      ahead ??= this.grammars.copy(state);
      this.grammars.accept(ahead, next[1]);
      text += next[0];
    }
    return text;
  }

  #onlyNext(state: GrammarState, written: string): readonly [char: string, token: number] | undefined {
    const possible: (readonly [char: string, token: number])[] = [];
    for (const one of this.#tried) {
      if (!this.grammars.allows(state, one[1])) continue;
      possible.push(one);
      if (possible.length > 2) return undefined;
    }
    if (possible.length < 2) return possible[0];
    const space = possible.findIndex(([char]) => char === " ");
    if (space < 0) return undefined;
    return possible[isSpaced(written) ? space : 1 - space];
  }
}

/** The characters in its literals. */
function spelledOut(gbnf: string): string {
  const literals = gbnf.match(/"(?:[^"\\]|\\.)*"/g) ?? [];
  return literals
    .map((quoted) => quoted.slice(1, -1))
    .join("")
    .replace(/\\x([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function isSpaced(written: string): boolean {
  const colon = written.lastIndexOf('":', written.length - 3);
  return colon < 0 || (written[colon + 2] ?? " ") === " ";
}
