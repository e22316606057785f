import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { eventually } from "../../../test/support/eventually.js";
import { FakeClock } from "../../../test/support/inputs/fake-clock.js";
import { openTemporaryStore, type TemporaryStore } from "../../../test/support/stores/temporary-store.js";
import { ServiceError } from "../errors.js";
import { createKey, revokeKey, rotateKey, type IssuedKey } from "./issue-keys.js";
import { createAccount, requireAccount, resumeAccount, suspendAccount } from "../accounts/accounts.js";
import { keyHash, mintKey } from "./key-format.js";
import { KeyRing } from "./key-ring.js";
import type { KeyRecord } from "../entities.js";
import type { Store } from "../store.js";

const email = "ada@example.com";
const hour = 3_600_000;

let clock: FakeClock;
let temporary: TemporaryStore;
let store: Store;
let ring: KeyRing;

beforeEach(async () => {
  clock = new FakeClock();
  temporary = await openTemporaryStore(clock);
  store = temporary.store;
  ring = new KeyRing(store, clock);
  const request = { email, password: null, role: "user", planId: "free" } as const;
  await createAccount(store, request, () => Promise.reject(new Error("no password to hash")));
});

afterEach(async () => {
  await ring.close();
  await temporary.dispose();
});

async function issueKey(expiresAt: Date | null = null): Promise<IssuedKey> {
  const request = { name: "test", models: null, operations: null, expiresAt };
  return createKey(store, clock, await requireAccount(store, email), request);
}

const refused = (text: string) =>
  expect(ring.verify(text)).rejects.toMatchObject({ code: "invalid_api_key" });
const unknowable = (text: string) =>
  expect(ring.verify(text)).rejects.toMatchObject({
    code: "overloaded",
    status: 503,
    retryAfterSeconds: 5,
    message: "The account database is unreachable. Try again shortly.",
  });

describe("verifying a key", () => {
  it("gives the key, its account and its plan", async () => {
    const { key, text } = await issueKey();
    const caller = await ring.verify(text);
    expect(caller.key).toEqual(key);
    expect(caller.account.email).toBe(email);
    expect(caller.plan.id).toBe("free");
  });

  it("refuses an unknown key", async () => {
    await refused(mintKey());
  });

  it("refuses a malformed key without asking the store", async () => {
    const lookups = vi.spyOn(store, "findKeyByHash");
    await refused("sk-sotto-nonsense");
    expect(lookups).not.toHaveBeenCalled();
  });

  it("does not make a known key wait for a flood of unknown ones", async () => {
    const { text } = await issueKey();
    await ring.verify(text);
    clock.advance(2_000);
    const real = store.findKeyByHash.bind(store);
    const known = Buffer.from(keyHash(text) ?? []);
    const stuck: (() => void)[] = [];
    const lookups = vi.spyOn(store, "findKeyByHash").mockImplementation(async (hash) => {
      if (known.equals(Buffer.from(hash))) return real(hash);
      return new Promise((resolve) => stuck.push(() => resolve(null)));
    });
    const flood = Array.from({ length: 50 }, () => refused(mintKey()));
    await eventually(() => stuck.length === 2);
    expect((await ring.verify(text)).account.email).toBe(email);
    expect(lookups.mock.calls.length).toBe(3);
    await eventually(() => {
      for (const answer of stuck.splice(0)) answer();
      return lookups.mock.calls.length === 51;
    });
    for (const answer of stuck) answer();
    await Promise.all(flood);
  });

  it("says nothing about the key it refuses", async () => {
    const text = mintKey();
    const error: unknown = await ring.verify(text).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ServiceError);
    expect(JSON.stringify(error) + String(error)).not.toContain(text.slice(9, 20));
  });

  it("refuses an expired key from the very moment, also from memory", async () => {
    const { text } = await issueKey(new Date(clock.now().getTime() + 500));
    await ring.verify(text);
    clock.advance(499);
    await ring.verify(text);
    clock.advance(1);
    await refused(text);
  });

  it("refuses a rotated key when its grace period ends, not before", async () => {
    const old = await issueKey();
    const { text } = await rotateKey(store, clock, old.key.id, hour);
    clock.advance(hour - 1);
    await ring.verify(old.text);
    clock.advance(1);
    await refused(old.text);
    await ring.verify(text);
  });

  it("refuses the keys of a suspended account until it is resumed", async () => {
    const { text } = await issueKey();
    await suspendAccount(store, clock, email);
    await refused(text);
    const { id } = await resumeAccount(store, email);
    ring.forgetAccount(id);
    await ring.verify(text);
  });
});

describe("the memory of keys", () => {
  it("asks the store once a second for a key in use", async () => {
    const { text } = await issueKey();
    const lookups = vi.spyOn(store, "findKeyByHash");
    for (let i = 0; i < 5; i++) await ring.verify(text);
    clock.advance(999);
    await ring.verify(text);
    expect(lookups).toHaveBeenCalledTimes(1);
    clock.advance(1);
    await ring.verify(text);
    expect(lookups).toHaveBeenCalledTimes(2);
  });

  it("shares one query between requests that come together", async () => {
    const { text } = await issueKey();
    const lookups = vi.spyOn(store, "findKeyByHash");
    await Promise.all(Array.from({ length: 50 }, () => ring.verify(text)));
    expect(lookups).toHaveBeenCalledTimes(1);
  });

  it("sees a revocation made elsewhere within a second", async () => {
    const { key, text } = await issueKey();
    await ring.verify(text);
    await revokeKey(store, clock, key.id);
    clock.advance(1_000);
    await refused(text);
  });

  it("sees a revocation made here at once", async () => {
    const { key, text } = await issueKey();
    await ring.verify(text);
    await revokeKey(store, clock, key.id);
    ring.forget(key.id);
    await refused(text);
  });

  it("does not take back what it forgot from a query that was under way", async () => {
    const { key, text } = await issueKey();
    const record = await store.findKeyByHash(keyHash(text) ?? new Uint8Array());
    let answer = (_: KeyRecord | null): void => {};
    const lookup = vi.spyOn(store, "findKeyByHash");
    lookup.mockReturnValueOnce(new Promise((resolve) => (answer = resolve)));
    const underWay = ring.verify(text);
    await revokeKey(store, clock, key.id);
    ring.forget(key.id);
    await refused(text);
    answer(record);
    await underWay;
    await refused(text);
  });

  it("holds no unknown keys, so that guessing cannot fill it", async () => {
    const text = mintKey();
    const lookups = vi.spyOn(store, "findKeyByHash");
    await refused(text);
    await refused(text);
    expect(lookups).toHaveBeenCalledTimes(2);
  });

  it("evicts the least recently used key when it is full", async () => {
    const { text } = await issueKey();
    const record = await ring.verify(text);
    const lookups = vi.spyOn(store, "findKeyByHash").mockResolvedValue(record);
    const others = Array.from({ length: 10_000 }, () => mintKey());
    for (const other of others.slice(0, 5_000)) await ring.verify(other);
    await ring.verify(text);
    for (const other of others.slice(5_000)) await ring.verify(other);
    expect(lookups).toHaveBeenCalledTimes(10_000);

    await ring.verify(text);
    expect(lookups).toHaveBeenCalledTimes(10_000);
    await ring.verify(others[0] ?? "");
    expect(lookups).toHaveBeenCalledTimes(10_001);
  });
});

describe("while the store is unreachable", () => {
  const goAway = () => vi.spyOn(store, "findKeyByHash").mockRejectedValue(new Error("gone"));

  it("lets a key in for 60 s after it was last read, then answers 503", async () => {
    const { text } = await issueKey();
    await ring.verify(text);
    goAway();
    clock.advance(59_999);
    await ring.verify(text);
    clock.advance(1);
    await unknowable(text);
  });

  it("answers 503 for a key it has not read, never 401", async () => {
    const { text } = await issueKey();
    goAway();
    await unknowable(text);
    await unknowable(mintKey());
  });

  it("still refuses a malformed key", async () => {
    goAway();
    await refused("sk-sotto-nonsense");
  });

  it("still ends keys on time", async () => {
    const { text } = await issueKey(new Date(clock.now().getTime() + 10_000));
    await ring.verify(text);
    goAway();
    clock.advance(10_000);
    await refused(text);
  });

  it("does not let in a key it was told to forget", async () => {
    const { key, text } = await issueKey();
    await ring.verify(text);
    goAway();
    ring.forget(key.id);
    await unknowable(text);
  });

  it("asks at most once a second for a key it can answer for", async () => {
    const { text } = await issueKey();
    await ring.verify(text);
    const lookups = goAway();
    clock.advance(2_000);
    for (let i = 0; i < 5; i++) await ring.verify(text);
    expect(lookups).toHaveBeenCalledTimes(1);
  });

  it("does not wait indefinitely for a store that does not answer", async () => {
    const { text } = await issueKey();
    const impatient = new KeyRing(store, clock, { storeMs: 20, staleAfterMs: 10 });
    await impatient.verify(text);
    vi.spyOn(store, "findKeyByHash").mockReturnValue(new Promise(() => {}));
    clock.advance(30_000);
    await impatient.verify(text);
    await expect(impatient.verify(mintKey())).rejects.toMatchObject({ code: "overloaded" });
    clock.advance(30_000);
    await expect(impatient.verify(text)).rejects.toMatchObject({ code: "overloaded" });
    vi.restoreAllMocks();
    await impatient.verify(text);
    await impatient.close();
  });

  it("does not let an answer that came late replace a newer one", async () => {
    const { key, text } = await issueKey();
    const impatient = new KeyRing(store, clock, { storeMs: 20, staleAfterMs: 10 });
    const record = await impatient.verify(text);
    let answerLate: (late: KeyRecord) => void = () => {};
    vi.spyOn(store, "findKeyByHash").mockReturnValueOnce(
      new Promise((resolve) => {
        answerLate = resolve;
      }),
    );
    clock.advance(5_000);
    await impatient.verify(text);
    await revokeKey(store, clock, key.id);
    const isRefused = () =>
      impatient.verify(text).then(
        () => false,
        (error: unknown) => error instanceof ServiceError && error.code === "invalid_api_key",
      );
    // The question that has no answer is given up first.
    await eventually(() => {
      clock.advance(3_000);
      return isRefused();
    });
    answerLate(record);
    await expect(impatient.verify(text)).rejects.toMatchObject({ code: "invalid_api_key" });
    await impatient.close();
  });

  it("returns to normal when the store recovers", async () => {
    const { text } = await issueKey();
    goAway();
    await unknowable(text);
    vi.restoreAllMocks();
    await ring.verify(text);
  });
});

describe("the days of last use", () => {
  const today = () => new Date(clock.now().toISOString().slice(0, 10));

  it("are written with the model that was asked for, whichever comes first", async () => {
    const { key, text } = await issueKey();
    await ring.verify(text);
    ring.noteModel(key.id, "prism");
    await ring.verify(text);
    await ring.flush();
    expect(await store.findKey(key.id)).toMatchObject({ lastUsedAt: today(), lastUsedModel: "prism" });
  });

  it("are written in one batch, not on each request", async () => {
    const keys = [await issueKey(), await issueKey()];
    const writes = vi.spyOn(store, "touchKeys");
    for (const { text } of [...keys, ...keys]) await ring.verify(text);
    expect(writes).not.toHaveBeenCalled();

    await ring.flush();
    await ring.flush();
    expect(writes).toHaveBeenCalledTimes(1);
    for (const { key } of keys) expect((await store.findKey(key.id))?.lastUsedAt).toEqual(today());
  });

  it("are written when the ring closes", async () => {
    const { key, text } = await issueKey();
    await ring.verify(text);
    await ring.close();
    expect((await store.findKey(key.id))?.lastUsedAt).toEqual(today());
  });

  it("are kept for the next write when one fails", async () => {
    const { key, text } = await issueKey();
    await ring.verify(text);
    vi.spyOn(store, "touchKeys").mockRejectedValueOnce(new Error("gone"));
    await ring.flush();
    expect((await store.findKey(key.id))?.lastUsedAt).toBeNull();
    await ring.flush();
    expect((await store.findKey(key.id))?.lastUsedAt).toEqual(today());
  });

  it("are not written for refused requests", async () => {
    const { key, text } = await issueKey();
    await revokeKey(store, clock, key.id);
    await refused(text);
    await ring.flush();
    expect((await store.findKey(key.id))?.lastUsedAt).toBeNull();
  });
});
