import { describe, expect, it } from "vitest";
import { hashPassword, verifyPassword } from "../../adapters/password-hash.js";
import { KnownDevices } from "./known-devices.js";
import { SignIn } from "./sign-in.js";
import { memoryCounters } from "../../store/counters/counters.js";
import { FakeClock } from "../../../test/support/inputs/fake-clock.js";
import { openTemporaryStore } from "../../../test/support/stores/temporary-store.js";

const stranger = { network: "10.0.0.1", device: null };

describe("signing in", () => {
  it("does the same work for known and unknown addresses: one comparison of equal cost", async () => {
    const opened = await openTemporaryStore();
    const { store } = opened;
    const clock = new FakeClock();
    const compared: string[] = [];
    const signIn = new SignIn(
      store.accounts,
      {
        hash: hashPassword,
        verify: (hash, password) => {
          compared.push(hash);
          return verifyPassword(hash, password);
        },
      },
      new KnownDevices(store, clock),
      memoryCounters(clock).admissions,
      clock,
    );
    const account = { role: "user", planId: "free" } as const;
    const passwordHash = await hashPassword("the right one");
    await store.createAccount({ ...account, email: "ada@example.com", passwordHash });
    await store.createAccount({ ...account, email: "keys@example.com", passwordHash: null });

    for (const email of ["ada@example.com", "keys@example.com", "nobody@example.com"]) {
      await expect(signIn.checkPassword(email, "a wrong one", stranger)).rejects.toThrow("is wrong");
    }
    const costs = compared.map((hash) => hash.split("$").slice(1, 4).join("$"));
    expect(costs).toEqual(new Array(3).fill("argon2id$v=19$m=19456,t=2,p=1"));
    expect(compared[0]).toBe(passwordHash);
    expect(await store.audit.list(null, 10)).toEqual([]);
    await opened.dispose();
  });
});
