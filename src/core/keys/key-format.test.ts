import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { crc32, keyHash, mintKey, randomBase62 } from "./key-format.js";

describe("the text of a key", () => {
  it("has the prefix, 43 random characters and 6 of checksum", () => {
    expect(mintKey()).toMatch(/^sk-sotto-[0-9A-Za-z]{49}$/);
  });

  it("is another every time", () => {
    expect(new Set(Array.from({ length: 1_000 }, () => mintKey())).size).toBe(1_000);
  });

  it("stays the same for the same randomness, so that issued keys keep working", () => {
    const key = mintKey((count) => new Uint8Array(count).fill(1));
    expect(key).toBe(`sk-sotto-${"1".repeat(43)}1WLNwa`);
  });

  it("is stored as its SHA-256", () => {
    const key = mintKey();
    expect(keyHash(key)).toEqual(createHash("sha256").update(key).digest());
  });

  it("is refused when any one character is wrong", () => {
    const key = mintKey();
    for (let place = 0; place < key.length; place++) {
      const wrong = key[place] === "x" ? "y" : "x";
      expect(keyHash(key.slice(0, place) + wrong + key.slice(place + 1))).toBeNull();
    }
  });

  it.each([
    ["nothing", ""],
    ["the prefix alone", "sk-sotto-"],
    ["another prefix", mintKey().replace("sotto", "proj")],
    ["a character too few", mintKey().slice(0, -1)],
    ["a character too many", `${mintKey()}0`],
    ["a line break at the end", `${mintKey()}\n`],
    ["another alphabet", mintKey().replace(/.$/, "é")],
    ["a very long text", "sk-sotto-".padEnd(1_000_000, "a")],
  ])("is refused when it is %s", (_, text) => {
    expect(keyHash(text)).toBeNull();
  });
});

describe("random base62", () => {
  it("discards the bytes that would make some characters likelier", () => {
    const bytes = [255, 248, 0, 254, 61, 247];
    const random = (count: number): Uint8Array => Uint8Array.from(bytes.splice(0, count));
    expect(randomBase62(3, random)).toBe("0zz");
  });

  it("uses every character about equally often", () => {
    const counts = new Map<string, number>();
    for (const character of randomBase62(62_000)) counts.set(character, (counts.get(character) ?? 0) + 1);
    expect(counts.size).toBe(62);
    // 1,000 expected each, with a standard deviation of 31: 200 away does not happen by chance.
    for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(200);
  });
});

describe("CRC32", () => {
  it("is the one of the standard's check value", () => {
    expect(crc32(Buffer.from("123456789"))).toBe(0xcbf43926);
  });
});
