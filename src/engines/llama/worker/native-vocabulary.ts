/**
 * A model's vocabulary in native code: of the model that is loaded, or opened once more without any weights, for a
 * thread of its own. Handles of one thread are no use to another.
 */
import { createRequire } from "node:module";
import { tokenBytes } from "./token-bytes.js";
import {
  hasSpecialText,
  type InfillTokens,
  isSpecialToken,
  type TokenFacts,
  type Vocabulary,
} from "./vocabulary.js";

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
  ) => NativeModel & {
    init(): Promise<boolean>;
  };
}

export async function openVocabulary({ weights, binding, texts }: VocabularySource): Promise<Vocabulary> {
  const classes = createRequire(binding)(binding) as NativeModels;
  requireMethods(classes, ["AddonModel"]);
  const model = new classes.AddonModel(weights, { addonExports: classes, vocabOnly: true, gpuLayers: 0 });
  requireModelMethods(model);
  if (!(await model.init())) throw new Error("The vocabulary could not be loaded.");
  return readVocabulary(model, texts);
}

/** The native code's number for that type of vocabulary. */
const wordPiece = 3;

export function readVocabulary(model: NativeModel, texts: readonly string[]): Vocabulary {
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
  const isWordPiece = type === wordPiece;
  const [separator] = existing(model.sepToken());
  const [end] = isWordPiece || !model.shouldAppendEosToken() ? [] : existing(model.tokenEos());
  const lastToken = (isWordPiece ? separator : end) ?? null;
  return {
    tokenize: (text, special) => model.tokenize(text, special),
    detokenize: (ids) => model.detokenize(ids, false),
    detokenizeAll: (ids) => model.detokenize(ids, true),
    bytesOf: (token) => tokenBytes(textOf(token), tokens[token]?.attributes ?? 0, type),
    isEndOfGeneration: (token) => model.isEogToken(token),
    firstToken: bos >= 0 && model.shouldPrependBosToken() ? bos : null,
    lastToken,
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

export function requireModelMethods(model: NativeModel): void {
  requireMethods(model, ["tokenize", "detokenize", "getTokenAttributes", "isEogToken", "sepToken"]);
  requireMethods(model, ["prefixToken", "middleToken", "suffixToken"]);
}

export function requireMethods(handle: unknown, names: readonly string[]): void {
  for (const name of names) {
    if ((typeof handle === "object" || typeof handle === "function") && handle !== null && name in handle)
      continue;
    throw new Error(`This version of node-llama-cpp has no '${name}': install the version that Sotto pins.`);
  }
}
