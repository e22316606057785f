import { describe, expect, it } from "vitest";
import { cacheBytesPerToken, scaledFromF16, type AttentionShape } from "./kv-cache.js";

const shape: AttentionShape = {
  layers: 22,
  embeddingLength: 2048,
  heads: 32,
  keyValueHeads: 4,
  keyLength: undefined,
  valueLength: undefined,
};

describe("the KV cache", () => {
  it("is counted for one token from the shape of the attention", () => {
    expect(cacheBytesPerToken(shape, "f16")).toBe(22_528);
    expect(cacheBytesPerToken({ ...shape, keyValueHeads: [4, 2] }, "f16")).toBe(6 * 128 * 2);
    const uneven = { ...shape, keyValueHeads: 1, keyLength: 192, valueLength: 128 };
    expect(cacheBytesPerToken(uneven, "f16")).toBe(22 * 320 * 2);
  });

  it("is smaller where its values are quantised", () => {
    expect(cacheBytesPerToken(shape, "q8_0")).toBe(22_528 * (17 / 32));
    expect(scaledFromF16(22_528, "q8_0")).toBe(cacheBytesPerToken(shape, "q8_0"));
  });
});
