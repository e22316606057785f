import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../../../test/support/inputs/fake-clock.js";
import {
  openTemporaryStore,
  testPlan,
  type TemporaryStore,
} from "../../../test/support/stores/temporary-store.js";
import { DashboardError } from "../dashboard-error.js";
import { UserError } from "../user-error.js";
import {
  createAccount,
  deleteAccount,
  requireAccount,
  resumeAccount,
  setAccountPlan,
  suspendAccount,
  type AccountRequest,
} from "./accounts.js";
import type { Account } from "../entities.js";
import type { Store } from "../store.js";

let clock: FakeClock;
let temporary: TemporaryStore;
let store: Store;

beforeEach(async () => {
  clock = new FakeClock();
  temporary = await openTemporaryStore(clock);
  store = temporary.store;
});

afterEach(() => temporary.dispose());

const create = (request: Partial<AccountRequest> = {}): Promise<Account> =>
  createAccount(
    store,
    { email: "ada@example.com", password: null, role: "user", planId: "free", ...request },
    async (password) => `hash of ${password}`,
  );

const rejects = async (work: Promise<unknown>, message: RegExp): Promise<void> => {
  const error: unknown = await work.catch((reason: unknown) => reason);
  expect(error instanceof UserError || error instanceof DashboardError ? error.message : error).toMatch(
    message,
  );
};

describe("creating an account", () => {
  it("keeps the address as written, without the blanks around it", async () => {
    expect(await create({ email: " Ada@Example.com " })).toMatchObject({
      email: "Ada@Example.com",
      role: "user",
      planId: "free",
      suspendedAt: null,
      createdAt: clock.now(),
    });
  });

  it.each([
    "ada@example.com",
    "a@localhost",
    "ada+tag@mail.example.co.uk",
    "jörg@bücher.example",
    `${"a".repeat(64)}@example.com`,
  ])("accepts %j", async (email) => {
    expect((await create({ email })).email).toBe(email);
  });

  it.each([
    "",
    "ada",
    "@example.com",
    "ada@",
    "a@b@c",
    "ada @example.com",
    "ada@exam\u0000ple.com",
    "a\u202e@b.c",
  ])("refuses %j as an address", async (email) => {
    await rejects(create({ email }), /is not an email address\. Write it like/);
  });

  it("refuses an address that is too long to be one", async () => {
    await rejects(create({ email: `${"a".repeat(250)}@example.com` }), /is not an email address/);
  });

  it("never shows control characters back", async () => {
    await rejects(create({ email: "\u001b[2Jada" }), /^"\?\[2Jada" is not/);
  });

  it("refuses a taken address in any letter case", async () => {
    await create();
    await rejects(create({ email: "ADA@example.com" }), /has an account already/);
  });

  it("refuses an unknown plan and names the ones there are", async () => {
    await rejects(create({ planId: "gold" }), /no plan "gold"\. The plans are: free\./);
  });

  it("refuses a short password before hashing it", async () => {
    await rejects(create({ password: "short" }), /at least 10/);
    await rejects(create({ password: "x".repeat(201) }), /at most 200/);
    expect(await store.listAccounts()).toEqual([]);
  });

  it("stores the hash of a good password", async () => {
    await create({ password: "correct horse battery" });
    expect(await store.listAccounts()).toHaveLength(1);
  });
});

describe("an account", () => {
  beforeEach(() => create());

  it("is found in any letter case and with blanks around it", async () => {
    expect((await requireAccount(store, " ADA@EXAMPLE.COM ")).email).toBe("ada@example.com");
  });

  it("that does not exist gives an error that says what to do", async () => {
    for (const work of [
      requireAccount(store, "bob@example.com"),
      suspendAccount(store, clock, "bob@example.com"),
      resumeAccount(store, "bob@example.com"),
      setAccountPlan(store, "bob@example.com", "free"),
      deleteAccount(store, "bob@example.com"),
    ]) {
      await rejects(work, /No account has the address "bob@example\.com"\. Check its spelling/);
    }
  });

  it("keeps the time at which it was first suspended", async () => {
    const since = clock.now();
    expect((await suspendAccount(store, clock, "ada@example.com")).suspendedAt).toEqual(since);
    clock.advance(5_000);
    expect((await suspendAccount(store, clock, "ada@example.com")).suspendedAt).toEqual(since);
    expect((await requireAccount(store, "ada@example.com")).suspendedAt).toEqual(since);
  });

  it("can be resumed", async () => {
    await suspendAccount(store, clock, "ada@example.com");
    expect((await resumeAccount(store, "ada@example.com")).suspendedAt).toBeNull();
    expect((await requireAccount(store, "ada@example.com")).suspendedAt).toBeNull();
  });

  it("moves to a plan that exists, and to no other", async () => {
    await store.putPlan({ ...testPlan, id: "gold", name: "Gold" });
    expect((await setAccountPlan(store, "ada@example.com", "gold")).planId).toBe("gold");
    await rejects(setAccountPlan(store, "ada@example.com", "tin"), /The plans are: free, gold\./);
    expect((await requireAccount(store, "ada@example.com")).planId).toBe("gold");
  });

  it("can be deleted, and its address used again", async () => {
    await deleteAccount(store, "ada@example.com");
    expect(await store.listAccounts()).toEqual([]);
    await create();
  });
});
