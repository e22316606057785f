import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../../../test/support/inputs/fake-clock.js";
import {
  openTemporaryStore,
  testPlan,
  type TemporaryStore,
} from "../../../test/support/stores/temporary-store.js";
import { DashboardError } from "../dashboard-error.js";
import { createKey, revokeKey, rotateKey, type IssuedKey, type KeyRequest } from "./issue-keys.js";
import { keyHash } from "./key-format.js";
import { noKeyLimits, type Account } from "../entities.js";
import type { Store } from "../store.js";

const hour = 3_600_000;
const day = 24 * hour;

let clock: FakeClock;
let temporary: TemporaryStore;
let store: Store;
let account: Account;

beforeEach(async () => {
  clock = new FakeClock();
  temporary = await openTemporaryStore(clock);
  store = temporary.store;
  account = await store.createAccount({
    email: "ada@example.com",
    passwordHash: null,
    role: "user",
    planId: "free",
  });
});

afterEach(() => temporary.dispose());

const create = (request: Partial<KeyRequest> = {}): Promise<IssuedKey> =>
  createKey(store, clock, account, {
    name: "laptop",
    models: null,
    operations: null,
    expiresAt: null,
    ...request,
  });
const after = (ms: number): Date => new Date(clock.now().getTime() + ms);

const rejects = async (work: Promise<unknown>, message: RegExp): Promise<void> => {
  const error: unknown = await work.catch((reason: unknown) => reason);
  expect(error instanceof DashboardError ? error.message : error).toMatch(message);
};

describe("creating a key", () => {
  it("gives scopes to the keys of admins only, and to those that replace them", async () => {
    await rejects(create({ scopes: ["admin:read"] }), /Only a key of an admin's own account/);
    account = { ...account, role: "admin" };
    await rejects(create({ scopes: ["admin:all"] }), /Unknown scope.*admin:write/);
    const { key } = await create({ scopes: ["scim", "admin:read", "scim"] });
    expect(key.scopes).toEqual(["admin:read", "scim"]);
    expect((await rotateKey(store, clock, key.id)).key.scopes).toEqual(key.scopes);
    account = { ...account, kind: "team" };
    await rejects(create({ scopes: ["scim"] }), /admin's own account/);
  });

  it("stores its hash and last four characters, and returns its text", async () => {
    const { key, text } = await create({
      models: ["prism", "prism"],
      operations: ["chat"],
      expiresAt: after(day),
    });
    expect(key).toMatchObject({
      accountId: account.id,
      name: "laptop",
      lastFour: text.slice(-4),
      models: ["prism"],
      operations: ["chat"],
      expiresAt: after(day),
      revokedAt: null,
      disabledAt: null,
      limits: noKeyLimits,
      lastUsedAt: null,
      lastUsedModel: null,
      tags: [],
      replaces: null,
    });
    const record = await store.findKeyByHash(keyHash(text) ?? new Uint8Array());
    expect(record?.key).toEqual(key);
  });

  it.each(["a", "x".repeat(80), "Ada's laptop 💻", "日本語"])("accepts the name %j", async (name) => {
    expect((await create({ name })).key.name).toBe(name);
  });

  it.each(["", "   ", "x".repeat(81), "a\nb", "a\u001b[31m", "a\u202eb", "a\u2028b"])(
    "refuses the name %j",
    async (name) => {
      await rejects(create({ name }), /1 to 80 characters/);
    },
  );

  it("refuses unknown models and an empty list, and names the models", async () => {
    await rejects(create({ models: ["omega", "gpt"] }), /omega, prism, lambda/);
    await rejects(create({ models: [] }), /omega, prism, lambda/);
  });

  it("refuses unknown operations and an empty list, and names the operations", async () => {
    await rejects(create({ operations: ["chat", "train"] }), /chat, models/);
    await rejects(create({ operations: [] }), /chat, models/);
  });

  it("refuses an expiry that is not in the future", async () => {
    await rejects(create({ expiresAt: clock.now() }), /expire in the past/);
    await rejects(create({ expiresAt: new Date(NaN) }), /Choose a later time/);
  });

  it("stops at the plan's number of keys, counting only those that work", async () => {
    await store.putPlan({ ...testPlan, maxKeys: 3 });
    const first = await create();
    await create({ expiresAt: after(hour) });
    await create();
    await rejects(create(), /has 3 keys, all that the plan Free allows\. Revoke one/);

    await revokeKey(store, clock, first.key.id);
    await create();
    await rejects(create(), /all that the plan/);

    clock.advance(hour);
    await create();
    await rejects(create(), /all that the plan/);
  });
});

describe("revoking a key", () => {
  it("ends it now, and keeps the first time when done again", async () => {
    const { key } = await create();
    const at = clock.now();
    expect((await revokeKey(store, clock, key.id)).revokedAt).toEqual(at);
    clock.advance(hour);
    expect((await revokeKey(store, clock, key.id)).revokedAt).toEqual(at);
  });

  it("ends a key in its grace period early", async () => {
    const { key } = await create();
    await rotateKey(store, clock, key.id);
    expect((await revokeKey(store, clock, key.id)).revokedAt).toEqual(clock.now());
  });

  it("says what to do about an unknown id, without repeating it", async () => {
    const { text } = await create();
    const error: unknown = await revokeKey(store, clock, text).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DashboardError);
    expect(String(error)).not.toContain(text);
  });
});

describe("rotating a key", () => {
  it("creates another with the same name and permissions, and ends the old one after a day", async () => {
    const old = await create({ models: ["omega"], operations: ["chat", "models"] });
    const { key, text, replaced } = await rotateKey(store, clock, old.key.id);
    expect(text).not.toBe(old.text);
    expect(key).toMatchObject({
      name: "laptop",
      models: ["omega"],
      operations: ["chat", "models"],
      revokedAt: null,
      disabledAt: null,
      limits: noKeyLimits,
    });
    expect(replaced).toEqual({ ...old.key, revokedAt: after(day) });
  });

  it("gives the new key the lifetime that the old one had", async () => {
    const old = await create({ expiresAt: after(30 * day) });
    clock.advance(29 * day);
    const { key } = await rotateKey(store, clock, old.key.id);
    expect(key.expiresAt).toEqual(after(30 * day));
  });

  it("ends the old one at once without a grace period", async () => {
    const { key } = await create();
    const { replaced } = await rotateKey(store, clock, key.id, 0);
    expect(replaced.revokedAt).toEqual(clock.now());
  });

  it("works for every key of an account that is at its limit", async () => {
    await store.putPlan({ ...testPlan, maxKeys: 2 });
    const keys = [await create(), await create()];
    for (const { key } of keys) await rotateKey(store, clock, key.id);
    await rejects(create(), /has 2 keys/);
  });

  it("refuses a key that has ended, or is being replaced already", async () => {
    const revoked = await create();
    await revokeKey(store, clock, revoked.key.id);
    await rejects(rotateKey(store, clock, revoked.key.id), /Create a new key instead/);

    const expired = await create({ expiresAt: after(hour) });
    const rotated = await create();
    await rotateKey(store, clock, rotated.key.id);
    clock.advance(hour);
    await rejects(rotateKey(store, clock, expired.key.id), /Create a new key instead/);
    await rejects(
      rotateKey(store, clock, rotated.key.id),
      /was rotated already and ends at 2030-01-02T00:00:00.000Z/,
    );
  });

  it("notes which key the new one replaces, and gives it the tags of the old one", async () => {
    const old = await create({ tags: ["CI", " team a ", "ci"] });
    expect(old.key).toMatchObject({ tags: ["ci", "team a"], replaces: null });
    const { key } = await rotateKey(store, clock, old.key.id);
    expect(key).toMatchObject({ tags: ["ci", "team a"], replaces: old.key.id, lineage: old.key.id });
    const again = await rotateKey(store, clock, key.id);
    expect(again.key).toMatchObject({ replaces: key.id, lineage: old.key.id });
  });

  it("refuses a grace period that never ends", async () => {
    const { key } = await create();
    await rejects(rotateKey(store, clock, key.id, 31 * day), /between 0 and 30 days/);
    await rejects(rotateKey(store, clock, key.id, -1), /between 0 and 30 days/);
  });
});
