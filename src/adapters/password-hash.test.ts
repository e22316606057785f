import { describe, expect, it } from "vitest";
import { hashPassword, verifyPassword } from "./password-hash.js";

describe("password hashes", () => {
  it("are argon2id, salted, and accept only their own password", async () => {
    const [first, second] = await Promise.all([hashPassword("correct horse"), hashPassword("correct horse")]);
    expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(first).not.toBe(second);
    expect(await verifyPassword(first, "correct horse")).toBe(true);
    expect(await verifyPassword(first, "correct horsf")).toBe(false);
  });

  it("are all made when many are asked for at once", async () => {
    const hashes = await Promise.all(Array.from({ length: 13 }, (_, i) => hashPassword(`password ${i}`)));
    expect(new Set(hashes).size).toBe(13);
  });

  it("reject when what is stored is no hash, and give up their turn", async () => {
    await Promise.all(
      Array.from({ length: 9 }, () => expect(verifyPassword("not a hash", "x")).rejects.toThrow()),
    );
    await hashPassword("still works");
  });
});
