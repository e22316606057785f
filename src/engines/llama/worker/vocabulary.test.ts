import { describe, expect, it } from "vitest";
import { tokenBytes } from "./vocabulary.js";

const [sentencePiece, bytePairs] = [1, 2];
const [normal, control, byte] = [4, 8, 32];
const bytes = (text: string, attributes: number, type: number) => [...tokenBytes(text, attributes, type)];
const utf8 = (text: string) => [...Buffer.from(text)];

describe("bytes of a token", () => {
  it("are read from SentencePiece's way of writing them", () => {
    expect(bytes("▁the", normal, sentencePiece)).toEqual(utf8(" the"));
    expect(bytes("語", normal, sentencePiece)).toEqual(utf8("語"));
    expect(bytes("<0xE2>", byte, sentencePiece)).toEqual([0xe2]);
    expect(bytes("<0xE2>", normal, sentencePiece)).toEqual(utf8("<0xE2>"));
  });

  it("are read from the characters of byte-level BPE", () => {
    expect(bytes("Ġthe", normal, bytePairs)).toEqual(utf8(" the"));
    expect(bytes("Ċ", normal, bytePairs)).toEqual([0x0a]);
    expect(bytes("èªŀ", normal, bytePairs)).toEqual(utf8("語"));
    expect(bytes("ðŁĺ", normal, bytePairs)).toEqual([0xf0, 0x9f, 0x98]);
  });

  it("are the text itself for tokens that steer, and where the table does not apply", () => {
    expect(bytes("<|im_end|>", control, bytePairs)).toEqual(utf8("<|im_end|>"));
    expect(bytes("語", normal, bytePairs)).toEqual(utf8("語"));
  });
});
