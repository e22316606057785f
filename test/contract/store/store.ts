/**
 * The promises of the `Store` interface, to be run on every implementation. Nothing here knows what kind of
 * database answers.
 */
import { createHash, randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DuplicateEmail, type NewAccount, type NewKey, type Store } from "../../../src/core/store.js";
import { noKeyLimits, type Account, type KeyLimits, type Plan } from "../../../src/core/entities.js";

export interface StoreUnderTest {
  store: Store;
  /** Opens one more connection to the same, shared database. */
  another(): Promise<Store>;
  /** Closes all connections and removes the database. */
  dispose(): Promise<void>;
}

/** `openStore` gives a fresh database whose only plan is `free`. */
export function describeStoreContract(name: string, openStore: () => Promise<StoreUnderTest>): void {
  describe(`${name} keeps the promises of a store`, () => {
    let opened: StoreUnderTest;
    let store: Store;

    beforeEach(async () => {
      opened = await openStore();
      store = opened.store;
    });
    afterEach(() => opened.dispose());

    const createAccount = (account: Partial<NewAccount> = {}): Promise<Account> =>
      store.createAccount({ ...newAccount, ...account });
    const createKey = async (key: Partial<NewKey> = {}) =>
      store.createKey({ ...newKey(), accountId: key.accountId ?? (await createAccount()).id, ...key });

    describe("accounts", () => {
      it("are returned as created, and found again", async () => {
        const before = Date.now();
        const account = await createAccount({ passwordHash: "$argon2id$…", role: "admin" });
        expect(account).toEqual({
          id: expect.stringMatching(/^acc_[0-9A-Za-z]{16,}$/) as unknown,
          kind: "person",
          email: "Ada@Example.com",
          role: "admin",
          planId: "free",
          suspendedAt: null,
          emailVerifiedAt: null,
          createdAt: expect.any(Date) as unknown,
        });
        expect(account.createdAt.getTime()).toBeGreaterThanOrEqual(before);
        expect(account.createdAt.getTime()).toBeLessThanOrEqual(Date.now());
        expect(await store.findAccountByEmail("Ada@Example.com")).toEqual(account);
        expect(await store.listAccounts()).toEqual([account]);
      });

      it("are found in any letter case, and by their whole address only", async () => {
        const account = await createAccount({ email: "Zoë@Example.com" });
        expect(await store.findAccountByEmail("zoë@EXAMPLE.com")).toEqual(account);
        expect(await store.findAccountByEmail("ZOË@example.com")).toEqual(account);
        expect(await store.findAccountByEmail("zo_@example.com")).toBeNull();
        expect(await store.findAccountByEmail("%")).toBeNull();
      });

      it("have different addresses, in any letter case", async () => {
        await createAccount();
        await expect(createAccount({ email: "ADA@example.COM" })).rejects.toBeInstanceOf(DuplicateEmail);
        expect(await store.listAccounts()).toHaveLength(1);
      });

      it("are created once when many create the same address at the same time", async () => {
        const other = await opened.another();
        const results = await Promise.allSettled(
          Array.from({ length: 20 }, (_, i) =>
            (i % 2 === 0 ? store : other).createAccount({
              ...newAccount,
              email: i % 3 === 0 ? "ADA@example.com" : "ada@example.com",
            }),
          ),
        );
        const refused = results.filter((result) => result.status === "rejected");
        expect(refused).toHaveLength(19);
        for (const { reason } of refused) expect(reason).toBeInstanceOf(DuplicateEmail);
        expect(await store.listAccounts()).toHaveLength(1);
      });

      it("must be on a plan that exists", async () => {
        await expect(createAccount({ planId: "none" })).rejects.toThrow();
        const { id, planId } = await createAccount();
        await expect(store.setAccountPlan(id, "none")).rejects.toThrow();
        expect((await store.findAccountByEmail(newAccount.email))?.planId).toBe(planId);
      });

      it("are suspended and resumed, to the millisecond, each for itself", async () => {
        const { id } = await createAccount();
        const other = await createAccount({ email: "bob@example.com" });
        const at = new Date("2031-02-03T04:05:06.789Z");
        await store.setAccountSuspended(id, at);
        expect((await store.findAccountByEmail(newAccount.email))?.suspendedAt).toEqual(at);
        expect(await store.findAccountByEmail("bob@example.com")).toEqual(other);
        await store.setAccountSuspended(id, null);
        expect((await store.findAccountByEmail(newAccount.email))?.suspendedAt).toBeNull();
      });

      it("move to another plan", async () => {
        const { id } = await createAccount();
        await store.putPlan(goldPlan);
        await store.setAccountPlan(id, "gold");
        expect((await store.findAccountByEmail(newAccount.email))?.planId).toBe("gold");
      });

      it("take their keys with them when deleted, and leave those of others", async () => {
        const doomed = await createAccount();
        const other = await createAccount({ email: "bob@example.com" });
        const lost = { ...newKey(), accountId: doomed.id };
        const key = await store.createKey(lost);
        const kept = await createKey({ accountId: other.id });

        await store.deleteAccount(doomed.id);
        expect(await store.listAccounts()).toEqual([other]);
        expect(await store.findAccountByEmail(newAccount.email)).toBeNull();
        expect(await store.findKey(key.id)).toBeNull();
        expect(await store.findKeyByHash(lost.hash)).toBeNull();
        expect(await store.listKeys(doomed.id)).toEqual([]);
        expect(await store.listKeys(other.id)).toEqual([kept]);
      });

      it("free their address when deleted", async () => {
        const { id } = await createAccount();
        await store.deleteAccount(id);
        expect((await createAccount()).id).not.toBe(id);
      });
    });

    describe("plans", () => {
      it("are there from the start: one, named free", async () => {
        const plans = await store.listPlans();
        expect(plans.map((plan) => plan.id)).toEqual(["free"]);
        expect(await store.findPlan("free")).toEqual(plans[0]);
      });

      it("are created and replaced whole", async () => {
        await store.putPlan(goldPlan);
        expect(await store.findPlan("gold")).toEqual(goldPlan);
        const changed = {
          ...goldPlan,
          name: "Golden",
          requestsPerMinute: 1,
          tokensPerMinute: 3_000_000_000,
          maxKeys: 2,
        };
        await store.putPlan(changed);
        expect(await store.findPlan("gold")).toEqual(changed);
        expect((await store.listPlans()).map((plan) => plan.id)).toEqual(["free", "gold"]);
      });

      it("are null when unknown", async () => {
        expect(await store.findPlan("gold")).toBeNull();
      });
    });

    describe("keys", () => {
      it("are returned as created, and found by id, by hash and by account", async () => {
        const account = await createAccount();
        const expiresAt = new Date("2031-02-03T04:05:06.789Z");
        const wanted: NewKey = {
          ...newKey(),
          accountId: account.id,
          name: "Ada's 💻",
          models: ["prism", "omega"],
          operations: ["chat"],
          limits: keyLimits,
          expiresAt,
        };
        const key = await store.createKey(wanted);
        expect(key).toEqual({
          id: expect.stringMatching(/^key_[0-9A-Za-z]{16,}$/) as unknown,
          accountId: account.id,
          name: "Ada's 💻",
          lastFour: wanted.lastFour,
          models: ["prism", "omega"],
          operations: ["chat"],
          createdAt: expect.any(Date) as unknown,
          expiresAt,
          revokedAt: null,
          disabledAt: null,
          limits: keyLimits,
          lastUsedAt: null,
          lastUsedModel: null,
          tags: [],
          replaces: null,
          lineage: key.id,
          allowFrom: null,
          memberId: null,
          scopes: [],
        });
        expect(await store.findKey(key.id)).toEqual(key);
        expect(await store.listKeys(account.id)).toEqual([key]);
        const record = { key, account, plan: await store.findPlan("free") };
        expect(await store.findKeyByHash(wanted.hash)).toEqual(record);
        expect(await store.findKeyRecord(key.id)).toEqual(record);
        expect(await store.findKeyRecord("key_unknown")).toBeNull();
      });

      it("distinguish no limit from an empty list", async () => {
        const { accountId } = await createKey({ models: null, operations: null });
        await createKey({ accountId, models: [], operations: [] });
        const keys = await store.listKeys(accountId);
        expect(keys.map((key) => key.models)).toEqual(expect.arrayContaining([null, []]));
        expect(keys.map((key) => key.operations)).toEqual(expect.arrayContaining([null, []]));
      });

      it("come with their account and plan as these are now", async () => {
        const wanted = newKey();
        const { accountId } = await createKey(wanted);
        await store.putPlan(goldPlan);
        await store.setAccountPlan(accountId, "gold");
        await store.setAccountSuspended(accountId, new Date(1_000));
        const record = await store.findKeyByHash(wanted.hash);
        expect(record?.plan).toEqual(goldPlan);
        expect(record?.account).toEqual(await store.findAccountByEmail(newAccount.email));
        expect(record?.account.suspendedAt).toEqual(new Date(1_000));
      });

      it("are found whether live, expired or revoked", async () => {
        const expired = { ...newKey(), expiresAt: new Date(1_000) };
        const { accountId } = await createKey(expired);
        const revoked = newKey();
        const { id } = await createKey({ ...revoked, accountId });
        await store.revokeKey(id, new Date(2_000));
        expect((await store.findKeyByHash(expired.hash))?.key.expiresAt).toEqual(new Date(1_000));
        expect((await store.findKeyByHash(revoked.hash))?.key.revokedAt).toEqual(new Date(2_000));
      });

      it("are null when unknown, also for the beginning of a hash", async () => {
        const wanted = newKey();
        await createKey(wanted);
        expect(await store.findKeyByHash(newKey().hash)).toBeNull();
        expect(await store.findKeyByHash(wanted.hash.subarray(0, 31))).toBeNull();
        expect(await store.findKeyByHash(new Uint8Array())).toBeNull();
        expect(await store.findKey("key_unknown")).toBeNull();
        expect(await store.listKeys("acc_unknown")).toEqual([]);
      });

      it("have different hashes", async () => {
        const wanted = newKey();
        const { accountId } = await createKey(wanted);
        await expect(createKey({ ...wanted, accountId })).rejects.toThrow();
      });

      it("belong to an account that exists", async () => {
        await expect(createKey({ accountId: "acc_unknown" })).rejects.toThrow();
      });

      it("are revoked earlier, never later", async () => {
        const { id } = await createKey();
        const revokedAt = async () => (await store.findKey(id))?.revokedAt?.getTime();
        await store.revokeKey(id, new Date(5_000));
        expect(await revokedAt()).toBe(5_000);
        await store.revokeKey(id, new Date(9_000));
        expect(await revokedAt()).toBe(5_000);
        await store.revokeKey(id, new Date(2_000));
        expect(await revokedAt()).toBe(2_000);
        await Promise.all([4_000, 1_500, 3_000].map((at) => store.revokeKey(id, new Date(at))));
        expect(await revokedAt()).toBe(1_500);
      });

      it("are rotated both or not at all", async () => {
        const old = await createKey();
        const taken = newKey();
        await createKey({ ...taken, accountId: old.accountId });
        // A failure half-way, as a crash would be: the second write is refused.
        const clash = { ...taken, accountId: old.accountId };
        await expect(store.rotateKey(old.id, new Date(5_000), clash)).rejects.toThrow();
        expect(await store.findKey(old.id)).toEqual(old);
        expect(await store.listKeys(old.accountId)).toHaveLength(2);

        const wanted = { ...newKey(), accountId: old.accountId, name: "new" };
        const rotated = await store.rotateKey(old.id, new Date(5_000), wanted);
        expect(rotated?.replaced).toEqual({ ...old, revokedAt: new Date(5_000) });
        expect(await store.findKey(old.id)).toEqual(rotated?.replaced);
        expect((await store.findKeyByHash(wanted.hash))?.key).toEqual(rotated?.key);
      });

      it("are rotated once when many do it at the same time", async () => {
        const { id, accountId } = await createKey();
        const results = await Promise.all(
          Array.from({ length: 10 }, () => store.rotateKey(id, new Date(5_000), { ...newKey(), accountId })),
        );
        expect(results.filter((rotated) => rotated !== null)).toHaveLength(1);
        expect(await store.listKeys(accountId)).toHaveLength(2);
        expect(await store.rotateKey("key_unknown", new Date(5_000), { ...newKey(), accountId })).toBeNull();
      });

      it("are seen as written by another connection at once", async () => {
        const other = await opened.another();
        const wanted = newKey();
        const key = await createKey(wanted);
        expect((await other.findKeyByHash(wanted.hash))?.key).toEqual(key);
        await other.revokeKey(key.id, new Date(7_000));
        expect((await store.findKeyByHash(wanted.hash))?.key.revokedAt).toEqual(new Date(7_000));
      });
    });

    describe("an edited key", () => {
      it("has its new name, models, limits, expiry and tags, and works as before", async () => {
        const wanted = newKey();
        const key = await createKey({ ...wanted, tags: ["ci"] });
        expect(key.tags).toEqual(["ci"]);
        const change = {
          name: "Nightly",
          models: ["lambda"],
          limits: { ...noKeyLimits, requestsPerMinute: 3, concurrentRequests: 2, tokensPerDay: 5 },
          expiresAt: new Date("2031-01-01T00:00:00Z"),
          tags: ["batch", "team a"],
          allowFrom: ["192.0.2.0/24", "2001:db8::/32"],
        } as const;
        expect(await store.updateKey(key.id, change)).toEqual({ ...key, ...change });
        expect((await store.findKeyByHash(wanted.hash))?.key).toEqual({ ...key, ...change });
        const none = {
          ...{ name: "Plain", models: null, limits: noKeyLimits, expiresAt: null, tags: [], allowFrom: null },
        };
        expect(await store.updateKey(key.id, none)).toEqual({ ...key, ...none });
        expect(await store.updateKey("key_none", none)).toBeNull();
      });
    });

    describe("the days of last use", () => {
      const day = (date: string, time = "00:00:00") => new Date(`${date}T${time}Z`);
      const touch = (id: string, at: Date, model: "omega" | "prism" | null = null) =>
        store.touchKeys(new Map([[id, { at, model }]]));

      it("have no time of the day", async () => {
        const { id } = await createKey();
        await touch(id, day("2031-02-03", "04:05:06"));
        expect((await store.findKey(id))?.lastUsedAt).toEqual(day("2031-02-03"));
      });

      it("come with the model of the last request that named one", async () => {
        const { id } = await createKey();
        const read = async () => {
          const { lastUsedAt, lastUsedModel } = (await store.findKey(id)) ?? {};
          return [lastUsedAt, lastUsedModel];
        };
        await touch(id, day("2031-02-03", "08:00:00"), "omega");
        await touch(id, day("2031-02-03", "09:00:00"));
        expect(await read()).toEqual([day("2031-02-03"), "omega"]);
        await touch(id, day("2031-02-03", "10:00:00"), "prism");
        expect(await read()).toEqual([day("2031-02-03"), "prism"]);
        await touch(id, day("2031-02-02"), "omega");
        expect(await read()).toEqual([day("2031-02-03"), "prism"]);
        await touch(id, day("2031-02-04"));
        expect(await read()).toEqual([day("2031-02-04"), "prism"]);
        await touch(id, day("2031-02-05"), "omega");
        expect(await read()).toEqual([day("2031-02-05"), "omega"]);
      });

      it("are written together, unknown ids ignored", async () => {
        const first = await createKey();
        const second = await createKey({ accountId: first.accountId });
        const untouched = await createKey({ accountId: first.accountId });
        const model = null;
        await store.touchKeys(
          new Map([
            [first.id, { at: day("2031-02-03"), model }],
            ["key_unknown", { at: day("2031-02-03"), model }],
            [second.id, { at: day("2031-02-01"), model }],
          ]),
        );
        expect((await store.findKey(first.id))?.lastUsedAt).toEqual(day("2031-02-03"));
        expect((await store.findKey(second.id))?.lastUsedAt).toEqual(day("2031-02-01"));
        expect(await store.findKey(untouched.id)).toEqual(untouched);
      });

      it("only move forward", async () => {
        const { id } = await createKey();
        for (const date of ["2031-02-05", "2031-02-03"]) await touch(id, day(date));
        expect((await store.findKey(id))?.lastUsedAt).toEqual(day("2031-02-05"));
        await touch(id, day("2031-02-06"));
        expect((await store.findKey(id))?.lastUsedAt).toEqual(day("2031-02-06"));
      });

      it("may be none, or thousands", async () => {
        await store.touchKeys(new Map());
        const { id } = await createKey();
        const use = { at: day("2031-02-03"), model: "omega" } as const;
        const many = Array.from({ length: 20_000 }, (_, i) => [`key_${i}`, use] as const);
        await store.touchKeys(new Map([...many, [id, use]]));
        expect((await store.findKey(id))?.lastUsedAt).toEqual(day("2031-02-03"));
      });
    });

    describe("settings", () => {
      it("are null until set, and replaced when set again", async () => {
        expect(await store.getSetting("colour")).toBeNull();
        await store.setSetting("colour", "green");
        expect(await store.getSetting("colour")).toBe("green");
        await store.setSetting("colour", "");
        expect(await store.getSetting("colour")).toBe("");
      });

      it("are initialised once", async () => {
        expect(await store.initSetting("colour", "green")).toBe("green");
        expect(await store.initSetting("colour", "red")).toBe("green");
        expect(await store.getSetting("colour")).toBe("green");
      });

      it("are listed by the beginning of their names, and deleted", async () => {
        for (const name of ["key_2", "key_1", "keys1", "other"]) await store.initSetting(name, "x");
        expect(await store.listSettingNames("key_")).toEqual(["key_1", "key_2"]);
        await store.deleteSetting("key_1");
        expect(await store.listSettingNames("key_")).toEqual(["key_2"]);
      });

      it("have one winner among many callers on two connections", async () => {
        const other = await opened.another();
        const values = await Promise.all(
          Array.from({ length: 30 }, (_, i) =>
            (i % 2 === 0 ? store : other).initSetting("colour", `colour ${i}`),
          ),
        );
        expect(new Set(values).size).toBe(1);
        expect(await store.getSetting("colour")).toBe(values[0]);
        expect(await other.getSetting("colour")).toBe(values[0]);
      });
    });

    describe("the connection", () => {
      it("answers a ping", async () => {
        await store.ping();
      });

      it("keeps its data when it is closed and opened again", async () => {
        const account = await createAccount();
        await store.close();
        expect(await (await opened.another()).listAccounts()).toEqual([account]);
      });

      it("rejects everything once it is closed", async () => {
        await store.close();
        const calls: Promise<unknown>[] = [
          store.createAccount(newAccount),
          store.findAccountByEmail(newAccount.email),
          store.listAccounts(),
          store.setAccountSuspended("acc_x", null),
          store.setAccountPlan("acc_x", "free"),
          store.deleteAccount("acc_x"),
          store.listPlans(),
          store.findPlan("free"),
          store.putPlan(goldPlan),
          store.createKey({ ...newKey(), accountId: "acc_x" }),
          store.findKeyByHash(newKey().hash),
          store.findKey("key_x"),
          store.listKeys("acc_x"),
          store.revokeKey("key_x", new Date()),
          store.touchKeys(new Map([["key_x", { at: new Date(), model: null }]])),
          store.getSetting("colour"),
          store.initSetting("colour", "green"),
          store.setSetting("colour", "green"),
          store.ping(),
        ];
        const results = await Promise.allSettled(calls);
        expect(results.map((result) => result.status)).toEqual(calls.map(() => "rejected"));
      });

      it("may be closed twice", async () => {
        await store.close();
        await store.close();
      });
    });
  });
}

const newAccount: NewAccount = { email: "Ada@Example.com", passwordHash: null, role: "user", planId: "free" };

const keyLimits: KeyLimits = {
  requestsPerMinute: 5,
  tokensPerMinute: 2_000_000_000_000,
  concurrentRequests: null,
  requestsPerDay: 50,
  tokensPerDay: null,
  requestsPerMonth: null,
  tokensPerMonth: 1_000_000_000_000,
};

const goldPlan: Plan = {
  id: "gold",
  name: "Gold",
  requestsPerMinute: 5_000,
  tokensPerMinute: 2_000_000,
  concurrentRequests: 64,
  maxKeys: 100,
  requestsPerDay: null,
  tokensPerDay: 5_000_000_000,
  requestsPerMonth: 70_000,
  tokensPerMonth: null,
  maxTokens: 500,
  models: ["prism", "omega"],
  requiresEncryption: true,
  weight: 7,
};

/** A key with a hash of its own, for no account yet. */
const newKey = (): Omit<NewKey, "accountId"> => ({
  name: "laptop",
  hash: createHash("sha256").update(randomUUID()).digest(),
  lastFour: "aB3z",
  models: null,
  operations: null,
  limits: noKeyLimits,
  expiresAt: null,
});
