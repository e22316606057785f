import { describe, expect, it } from "vitest";
import { fromHalf, toHalf } from "./half-float.js";
import { iq2xxsToQ4 } from "./iq2xxs-to-q4.js";

/** A block with scale 1, and its values in eighths as llama.cpp's own code (`dequantize_row_iq2_xxs`) has them. */
const block = Buffer.from(
  "003c82b70eee7f1a5039bef07ec2347f066ed08f5dc7512447e3404300026b6e545594a065685d64c4980bb8d4544a8721a99a01ad219eb59cf6a15ef6f15a1d830b",
  "hex",
);
// prettier-ignore
const eighths = [-56, -175, -175, -301, -56, -301, -301, -56, 56, 175, -301, 301, -175, -56, 175, -175, 56, 301, 175, 175, 56, 56, -56, -56, 175, -56, 301, -301, 56, 56, -175, -301, 104, 104, -104, 104, -104, -559, 325, -325, 104, -104, -104, -559, -325, -104, -325, 559, -104, 325, 559, -325, -325, 325, 559, -104, 104, 104, 104, 325, -325, -559, -325, -325, -232, 725, 232, 1247, -725, 725, -1247, -725, 232, 725, 232, -1247, 232, 232, -232, 725, 725, 1247, -232, -725, -232, 725, 725, -232, 232, -1247, 1247, -725, -232, 232, 1247, -725, -88, -275, 88, -275, 88, -473, -88, -88, 88, 473, -88, -473, -88, 473, -88, 88, -88, 88, 88, 88, -88, 88, -88, -88, 275, -275, 88, -88, 88, -88, 88, -88, -152, 152, -152, -817, -475, 152, -152, -475, 817, 152, 475, -152, 475, 475, -152, 475, -152, 152, 475, 152, -152, 817, 475, 152, 152, -152, -152, 152, 475, 817, -475, -152, 525, -168, 168, -525, 168, 168, -168, -168, 525, -168, -525, -903, 903, 168, 525, -525, 903, -903, -168, 168, 168, 168, 168, 903, -168, 168, 525, -525, 525, 168, -525, -168, 248, -1333, -1333, -775, -1333, 248, 248, 775, -1333, -248, 248, -248, 248, -248, -248, -248, 248, -248, 775, 1333, -1333, -1333, -248, 775, 248, 775, -248, 248, -248, -775, 248, -248, 8, -25, 43, -8, -25, 25, -8, 25, 8, -8, 8, -43, -8, -25, 25, 8, 25, 8, -8, -43, 8, 43, 25, 43, 25, 25, -8, -25, -43, 8, -25, 43];

const words = (bytes: Buffer): Uint16Array =>
  Uint16Array.from({ length: bytes.length / 2 }, (_, index) => bytes.readUInt16LE(index * 2));

/** Q4_0 read as its definition says. */
function readQ4(blocks: Uint16Array): number[] {
  const values: number[] = [];
  for (let at = 0; at < blocks.length; at += 9) {
    const scale = fromHalf(blocks[at] ?? 0);
    const bytes = Array.from(
      { length: 16 },
      (_, index) => ((blocks[at + 1 + (index >> 1)] ?? 0) >> (8 * (index & 1))) & 255,
    );
    values.push(
      ...bytes.map((byte) => ((byte & 15) - 8) * scale),
      ...bytes.map((byte) => ((byte >> 4) - 8) * scale),
    );
  }
  return values;
}

const reencoded = (scale: number): number[] => {
  const source = words(block);
  source[0] = toHalf(scale);
  const target = new Uint16Array(72);
  iq2xxsToQ4(source, target);
  return readQ4(target);
};

describe("weights re-encoded from IQ2_XXS to Q4_0", () => {
  it.each([1, 0.0078125, -0.25])(
    "are what llama.cpp reads, within a thirteenth of each value (scale %d)",
    (scale) => {
      const values = reencoded(scale);
      expect(values).toHaveLength(256);
      values.forEach((value, index) => {
        const expected = ((eighths[index] ?? 0) / 8) * scale;
        expect(Math.abs(value - expected)).toBeLessThanOrEqual(Math.abs(expected) / 13 + 1e-12);
      });
    },
  );

  it("are off by less than three hundredths in all", () => {
    const values = reencoded(1);
    const square = (numbers: number[]) => numbers.reduce((sum, number) => sum + number ** 2, 0);
    const errors = values.map((value, index) => value - (eighths[index] ?? 0) / 8);
    expect(Math.sqrt(square(errors) / square(values))).toBeLessThan(0.03);
  });
});

describe("16-bit floats", () => {
  it("come back as they were, all of them", () => {
    for (let bits = 0; bits < 0x7c00; bits++) {
      expect(toHalf(fromHalf(bits))).toBe(bits);
      expect(toHalf(-fromHalf(bits))).toBe(bits === 0 ? 0 : bits | 0x8000);
    }
  });

  it.each([
    [1 + 1 / 2048, 0x3c00],
    [1 + 3 / 2048, 0x3c02],
    [2 - 2 ** -30, 0x4000],
    [2 ** -25, 0],
    [2 ** -24, 1],
    [70_000, 0x7bff],
  ])("round %d to the nearest, ties to even", (value, bits) => {
    expect(toHalf(value)).toBe(bits);
  });
});
