/**
 * The exact bytes of each token of a vocabulary. Detokenised text does not tell them: a token may hold part of
 * a character. Vocabularies write their tokens in one of two ways: SentencePiece as text with `▁` for a space
 * and `<0xE2>` for single bytes; byte-level BPE with a printable character for each byte, in the table that
 * GPT-2 introduced.
 */

/** The kinds of vocabulary, as the native code numbers them. */
const bytePairs = 2;
const wordPieces = 3;

const byteAttribute = 32;
/** Unknown, control and user-defined tokens are written as they are. */
const literalAttributes = 1 | 8 | 16;

export function tokenBytes(text: string, attributes: number, vocabularyType: number): Buffer {
  if ((attributes & byteAttribute) !== 0) {
    const hex = /^<0x([0-9A-F]{2})>$/i.exec(text)?.[1];
    if (hex !== undefined) return Buffer.from(hex, "hex");
  }
  if ((attributes & literalAttributes) !== 0 || vocabularyType === wordPieces) return Buffer.from(text);
  if (vocabularyType === bytePairs) return byteLevelBytes(text);
  return Buffer.from(text.replaceAll("▁", " "));
}

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
