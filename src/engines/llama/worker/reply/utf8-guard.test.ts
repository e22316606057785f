import { describe, expect, it } from "vitest";
import { Utf8Guard } from "./utf8-guard.js";

/** Tokens 0 to 255 are single bytes, 256 is a space before a lead byte. */
const bytesOf = (token: number) => Uint8Array.of(...(token < 256 ? [token] : [0x20, 0xf0]));
const guard = new Utf8Guard({ bytesOf }, 257);

describe("UTF-8 guard", () => {
  it("forbids exactly the continuations that make a sequence overlong", () => {
    for (const lead of [0xc3, 0xe0, 0xe1, 0xed, 0xf0, 0xf1]) {
      const forbidden = guard.forbiddenAfter(lead);
      for (let next = 0x80; next < 0xc0; next++) {
        const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
        const whole = Buffer.from([lead, next, 0x80, 0x80].slice(0, length)).toString("utf8");
        // Halves of surrogate pairs (after ED) are outside of every range of a grammar.
        if (lead !== 0xed) expect(forbidden.includes(next)).toBe(whole.includes("\uFFFD"));
      }
    }
  });

  it("looks at a token's last byte", () => {
    expect(guard.forbiddenAfter(256)).toContain(0x8f);
    expect(guard.forbiddenAfter(256)).not.toContain(0x90);
    expect(guard.forbiddenAfter(0x41)).toEqual([]);
  });
});
