/** What the prompt and the reply need to know of a model's tokens. */
export interface Vocabulary {
  /**
   * Text to tokens; nothing is added at the start but the space that some vocabularies put before a first
   * word. With `special`, the text of a special token becomes that token.
   */
  tokenize(text: string, special: boolean): Uint32Array;
  /** Special tokens have no text. An incomplete character at the end is one U+FFFD. */
  detokenize(tokens: Uint32Array): string;
  /** The same with the texts of special tokens. */
  detokenizeAll(tokens: Uint32Array): string;
  /** Exact, also where the token is part of a character. */
  bytesOf(token: number): Uint8Array;
  isEndOfGeneration(token: number): boolean;
  /** Set when every prompt of this model begins with this token. */
  readonly firstToken: number | null;
  /** Set when every text that is embedded ends with this token. */
  readonly lastToken: number | null;
  /** What stands between two texts that are read together. */
  readonly betweenTexts: readonly number[];
  /** What chat templates call `bos_token` and `eos_token`; empty where the model has none. */
  readonly bosText: string;
  readonly eosText: string;
  /** Texts that `tokenize` may turn into something other than plain text. */
  readonly specialTexts: readonly string[];
  /** Tokens that steer the model and that no user's text may produce. */
  readonly specialTokens: ReadonlySet<number>;
  /** What marks the texts around a gap; null where the model was not trained to fill one. */
  readonly infill: InfillTokens | null;
  readonly longestTokenChars: number;
}

export interface InfillTokens {
  prefix: number;
  suffix: number;
  /** Null: the suffix comes first, and the text goes on after the prefix. */
  middle: number | null;
}

/** Bits of a token's attributes, as the native code gives them. */
const attribute = { unknown: 1, control: 8, userDefined: 16 };

export interface TokenFacts {
  token: number;
  text: string;
  attributes: number;
}

/** Whether the token steers the model. User-defined ones do when they look like a marker: `<…`, `[…`. */
export function isSpecialToken({ text, attributes }: TokenFacts): boolean {
  if ((attributes & attribute.control) !== 0) return true;
  return (attributes & attribute.userDefined) !== 0 && text.length > 1 && /^[<[]/.test(text);
}

/** Whether the token's text must not be read as the token. `<unk>` steers nothing, but is not what was written. */
export function hasSpecialText(facts: TokenFacts): boolean {
  return facts.text !== "" && (isSpecialToken(facts) || (facts.attributes & attribute.unknown) !== 0);
}
