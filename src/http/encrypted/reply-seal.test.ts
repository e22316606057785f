import { expect, it } from "vitest";
import { replyCipher } from "./reply-seal.js";

/** The vector that the protocol's own implementations share. */
it("derives the reply's keys as other implementations of the protocol do", () => {
  const bytes = (from: number) => Buffer.from(Array.from({ length: 32 }, (_, index) => from + index));
  const cipher = replyCipher(bytes(0x00), bytes(0x20), bytes(0x40));
  const sealed = Buffer.from(
    "47e74d9a561b60ff42ac7ffbb4caf6b6d5ad0bb7621e41840d2ab7de7208ff7a59d0a2a482cc",
    "hex",
  );
  expect(cipher.open(sealed)?.toString()).toBe("hello from test vector");
});
