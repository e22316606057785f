import { describe, expect, it } from "vitest";
import { isSealedHere, SealedSummaries } from "./sealed-summaries.js";

const summaries = new SealedSummaries(Buffer.alloc(32, 1));

describe("sealed summaries", () => {
  it.each(["They count herons. 🐦", ""])("open for the account that they were sealed for: %j", (text) => {
    const sealed = summaries.seal("acc_1", text);
    expect(summaries.open("acc_1", sealed)).toBe(text);
    expect(isSealedHere(sealed)).toBe(true);
  });

  it("open on every server with the same service key", () => {
    const elsewhere = new SealedSummaries(Buffer.alloc(32, 1));
    expect(elsewhere.open("acc_1", summaries.seal("acc_1", "herons"))).toBe("herons");
  });

  it("open for nobody else", () => {
    const sealed = summaries.seal("acc_1", "herons");
    expect(summaries.open("acc_2", sealed)).toBeNull();
    expect(new SealedSummaries(Buffer.alloc(32, 2)).open("acc_1", sealed)).toBeNull();
  });

  it("are never the same twice, and do not show their text", () => {
    const [one, two] = [summaries.seal("acc_1", "herons"), summaries.seal("acc_1", "herons")];
    expect(one).not.toBe(two);
    expect(Buffer.from(one.slice("sotto.1.".length), "base64url").includes("herons")).toBe(false);
  });

  it("do not open when a character of them was changed, or is missing", () => {
    const sealed = summaries.seal("acc_1", "herons");
    for (let at = 0; at < sealed.length; at++) {
      const other = sealed[at] === "A" ? "B" : "A";
      const changed = sealed.slice(0, at) + other + sealed.slice(at + 1);
      // The last character has bits that belong to no byte.
      if (at < sealed.length - 1) expect(summaries.open("acc_1", changed)).toBeNull();
      expect(summaries.open("acc_1", sealed.slice(0, at))).toBeNull();
    }
  });

  it.each(["", "sotto.1.", "sotto.1.!!", "gAAAAABo"])("do not open from %j", (text) => {
    expect(summaries.open("acc_1", text)).toBeNull();
  });
});
