/**
 * A prompt without a conversation to the tokens the model reads. In a text the names of special tokens become those
 * tokens: whoever sends one writes the model's format itself. Around a gap stand files, so there nothing does. Tokens
 * are read as they are.
 *
 * The gap is marked with the model's own tokens: prefix, suffix, then the middle to be written; a model without a token
 * for the middle was trained with the suffix first.
 */
import type { RawPrompt } from "../../../../core/chat/request.js";
import type { PrepareResult } from "../../messages.js";
import type { Vocabulary } from "../vocabulary.js";
import type { Piece, PieceTokenizer } from "./piece-tokenizer.js";

export function buildRawPrompt(
  prompt: RawPrompt,
  tokenizer: PieceTokenizer,
  { infill }: Pick<Vocabulary, "infill">,
): PrepareResult {
  if (prompt.type === "tokens") return tokenizer.fit(Uint32Array.from(prompt.tokens));
  if (prompt.type === "text") return read([{ text: prompt.text, special: true }], tokenizer);
  if (infill === null) return { type: "no_infill" };
  const prefix = { text: prompt.prefix, special: false };
  const suffix = { text: prompt.suffix, special: false };
  const inOrder: Piece[] =
    infill.middle === null
      ? [infill.suffix, suffix, infill.prefix, prefix]
      : [infill.prefix, prefix, infill.suffix, suffix, infill.middle];
  return read(inOrder, tokenizer);
}

function read(pieces: readonly Piece[], tokenizer: PieceTokenizer): PrepareResult {
  const chars = pieces.reduce<number>(
    (sum, piece) => sum + (typeof piece === "number" ? 1 : piece.text.length),
    0,
  );
  return tokenizer.tooManyChars(chars) ?? tokenizer.read(pieces);
}
