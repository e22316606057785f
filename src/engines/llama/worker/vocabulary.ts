/**
 * A model's vocabulary in native code: of the model that is loaded, or opened once more without any weights, for a
 * thread of its own. Handles of one thread are no use to another.
 */
import { createRequire } from "node:module";

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

export interface NativeModel {
  tokenize(text: string, special: boolean): Uint32Array;
  detokenize(tokens: Uint32Array, special: boolean): string;
  tokenBos(): number;
  tokenEos(): number;
  /** Below 0 where there is none, as with the others. */
  sepToken(): number;
  /** These three: below 0 where the vocabulary has no such token. */
  prefixToken(): number;
  middleToken(): number;
  suffixToken(): number;
  getTokenAttributes(token: number): number;
  getVocabularyType(): number;
  isEogToken(token: number): boolean;
  shouldPrependBosToken(): boolean;
  shouldAppendEosToken(): boolean;
}

export interface VocabularySource {
  weights: string;
  binding: string;
  texts: readonly string[];
  chatTemplate: string | undefined;
}

interface NativeModels {
  AddonModel: new (
    weights: string,
    options: Record<string, unknown>,
  ) => NativeModel & { init(): Promise<boolean> };
}

export async function openVocabulary({ weights, binding, texts }: VocabularySource): Promise<Vocabulary> {
  const classes = createRequire(binding)(binding) as NativeModels;
  requireMethods(classes, ["AddonModel"]);
  const model = new classes.AddonModel(weights, { addonExports: classes, vocabOnly: true, gpuLayers: 0 });
  if (!(await model.init())) throw new Error("The vocabulary could not be loaded.");
  return readVocabulary(model, texts);
}

/** As the native code numbers the kinds of vocabulary. */
const [bytePairs, wordPieces] = [2, 3];

/** Bits of a token's attributes, as the native code gives them. */
const attribute = { unknown: 1, control: 8, userDefined: 16, byte: 32 };

interface TokenFacts {
  token: number;
  text: string;
  attributes: number;
}

export function readVocabulary(model: NativeModel, texts: readonly string[]): Vocabulary {
  requireMethods(model, ["tokenize", "detokenize", "getTokenAttributes", "isEogToken", "sepToken"]);
  requireMethods(model, ["prefixToken", "middleToken", "suffixToken"]);
  const tokens: TokenFacts[] = texts.map((text, token) => ({
    token,
    text,
    // Asked of the native code, which corrects what some files say of their tokens.
    attributes: model.getTokenAttributes(token),
  }));
  const type = model.getVocabularyType();
  const textOf = (token: number) => texts[token] ?? "";
  const bos = model.tokenBos();
  // WordPiece ends a text with its separator, whatever the file says.
  const isWordPiece = type === wordPieces;
  const [separator] = existing(model.sepToken());
  const [end] = isWordPiece || !model.shouldAppendEosToken() ? [] : existing(model.tokenEos());
  return {
    tokenize: (text, special) => model.tokenize(text, special),
    detokenize: (ids) => model.detokenize(ids, false),
    detokenizeAll: (ids) => model.detokenize(ids, true),
    bytesOf: (token) => tokenBytes(textOf(token), tokens[token]?.attributes ?? 0, type),
    isEndOfGeneration: (token) => model.isEogToken(token),
    firstToken: bos >= 0 && model.shouldPrependBosToken() ? bos : null,
    lastToken: (isWordPiece ? separator : end) ?? null,
    betweenTexts: [end, separator].filter((token) => token !== undefined),
    bosText: textOf(bos),
    eosText: textOf(model.tokenEos()),
    specialTexts: tokens.filter(hasSpecialText).map(({ text }) => text),
    specialTokens: new Set(tokens.filter(isSpecialToken).map(({ token }) => token)),
    infill: infillTokens(model),
    longestTokenChars: texts.reduce((longest, { length }) => Math.max(longest, length), 1),
  };
}

const existing = (token: number): number[] => (token >= 0 ? [token] : []);

function infillTokens(model: NativeModel): InfillTokens | null {
  const [prefix, suffix, middle] = [model.prefixToken(), model.suffixToken(), model.middleToken()];
  return prefix < 0 || suffix < 0 ? null : { prefix, suffix, middle: middle < 0 ? null : middle };
}

export function requireMethods(handle: unknown, names: readonly string[]): void {
  const missing = names.find((name) => !(name in (Object(handle) as object)));
  if (missing !== undefined)
    throw new Error(
      `This version of node-llama-cpp has no '${missing}': install the version that Sotto pins.`,
    );
}

/** Whether the token steers the model. User-defined ones do when they look like a marker: `<…`, `[…`. */
function isSpecialToken({ text, attributes }: TokenFacts): boolean {
  if ((attributes & attribute.control) !== 0) return true;
  return (attributes & attribute.userDefined) !== 0 && text.length > 1 && /^[<[]/.test(text);
}

/** Whether the token's text must not be read as the token. `<unk>` steers nothing, but is not what was written. */
function hasSpecialText(facts: TokenFacts): boolean {
  return facts.text !== "" && (isSpecialToken(facts) || (facts.attributes & attribute.unknown) !== 0);
}

/**
 * The exact bytes of a token. Detokenised text does not tell them: a token may hold part of a character. Vocabularies
 * write their tokens in one of two ways: SentencePiece as text with `▁` for a space and `<0xE2>` for single bytes;
 * byte-level BPE with a printable character for each byte, in the table that GPT-2 introduced.
 */
export function tokenBytes(text: string, attributes: number, vocabularyType: number): Buffer {
  if ((attributes & attribute.byte) !== 0) {
    const hex = /^<0x([0-9A-F]{2})>$/i.exec(text)?.[1];
    if (hex !== undefined) return Buffer.from(hex, "hex");
  }
  if ((attributes & literal) !== 0 || vocabularyType === wordPieces) return Buffer.from(text);
  if (vocabularyType === bytePairs) return byteLevelBytes(text);
  return Buffer.from(text.replaceAll("▁", " "));
}

/** Such tokens are written as they are. */
const literal = attribute.unknown | attribute.control | attribute.userDefined;

function byteLevelBytes(text: string): Buffer {
  const bytes = Array.from(text, (char) => byteOfChar.get(char));
  // A character outside of the table was never encoded by it.
  return bytes.every((byte) => byte !== undefined) ? Buffer.from(bytes) : Buffer.from(text);
}

/** Printable Latin-1 characters stand for themselves, the other bytes for the characters from U+0100 on. */
const byteOfChar = new Map<string, number>();
for (let byte = 0, next = 0x100; byte < 0x100; byte++) {
  const printable = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
  byteOfChar.set(String.fromCharCode(printable ? byte : next++), byte);
}
