/** The promises of `AccountStore`. */
import { expect, it } from "vitest";
import type { Plan } from "../../../src/core/entities.js";
import type { AccountSummary } from "../../../src/core/accounts/ports.js";
import { emailHash } from "../../../src/core/sign-in/secret-token.js";
import {
  at,
  describeWithStore,
  newKey,
  newSession,
  someHash,
  type Opened,
  type OpenStore,
} from "./dashboard-store.js";

const now = at("12:00:00");

export function describeAccountContract(name: string, open: OpenStore): void {
  describeWithStore(`${name} keeps accounts for the dashboard`, open, (opened) => {
    it("finds an account and its password hash by email in any letter case, and by id", async () => {
      const { accounts } = opened.store;
      const account = await opened.createAccount({ email: "Zoë@example.com", passwordHash: "hash" });
      expect(await accounts.findCredentials("ZOË@example.com")).toEqual({ account, passwordHash: "hash" });
      expect(await accounts.findCredentialsById(account.id)).toEqual({ account, passwordHash: "hash" });
      expect(await accounts.findAccount(account.id)).toEqual(account);
      expect(await accounts.findCredentials("zoe@example.com")).toBeNull();
      expect(await accounts.findAccount("acc_none")).toBeNull();
    });

    it("ends the other sessions and the reset links of an account with its old password", async () => {
      const { store } = opened;
      const { id } = await opened.createAccount({ passwordHash: "old" });
      const [kept, ended] = [someHash(), someHash()];
      for (const hash of [kept, ended]) {
        await store.sessions.create(newSession(id, { hash, createdAt: now, lastSeenAt: now }));
      }
      const link = { kind: "reset", hash: someHash(), accountId: id, emailHash: null } as const;
      await store.links.create({ ...link, createdAt: now, expiresAt: at("20:00:00") });
      await store.accounts.setPassword(id, "new", kept);
      expect(await store.links.find("reset", link.hash, now)).toBeNull();
      expect((await store.accounts.findCredentialsById(id))?.passwordHash).toBe("new");
      expect(await store.sessions.find(kept)).not.toBeNull();
      expect(await store.sessions.find(ended)).toBeNull();
    });

    it("knows whether there is an admin", async () => {
      await opened.createAccount();
      expect(await opened.store.accounts.hasAdmin()).toBe(false);
      await opened.createAccount({ role: "admin" });
      expect(await opened.store.accounts.hasAdmin()).toBe(true);
    });

    it("searches by part of an email and beginning of an id, taking wildcards literally", async () => {
      const { accounts } = opened.store;
      const ada = await opened.createAccount({ email: "ada_l@example.com" });
      const bob = await opened.createAccount({ email: "bob@Example.org" });
      const search = async (text: string) => {
        const found = await accounts.searchAccounts(text, { after: null, limit: 10 }, now);
        expect(found?.next).toBeNull();
        return (found?.accounts ?? []).map(({ account }) => account.id).sort();
      };
      expect(await search("")).toEqual([ada.id, bob.id].sort());
      expect(await search("EXAMPLE.org")).toEqual([bob.id]);
      expect(await search(ada.id.slice(0, 12))).toEqual([ada.id]);
      expect(await search("a_l")).toEqual([ada.id]);
      expect(await search("o_b")).toEqual([]);
      expect(await search("%")).toEqual([]);
      expect(await search("\\")).toEqual([]);
    });

    it("pages through the list without losing or repeating anyone", async () => {
      const { accounts } = opened.store;
      for (let i = 0; i < 7; i++) await opened.createAccount();
      const seen = await everyone(opened, "", 3);
      expect(new Set(seen.map(({ account }) => account.id)).size).toBe(7);
      expect(seen).toHaveLength(7);
      const created = seen.map(({ account }) => account.createdAt.getTime());
      expect(created).toEqual([...created].sort((a, b) => b - a));
      expect(await accounts.countAccounts()).toBe(7);
    });

    it("lists prefix matches first, each once, with any page size", async () => {
      for (const email of ["zada@example.com", "ada@example.com", "bob@adamant.org", "adam@example.com"]) {
        await opened.createAccount({ email });
      }
      for (const limit of [1, 2, 3, 10]) {
        const found = await everyone(opened, "ADA", limit);
        const emails = found.map(({ account }) => account.email);
        expect(emails.slice(0, 2)).toEqual(["ada@example.com", "adam@example.com"]);
        expect(emails.slice(2).sort()).toEqual(["bob@adamant.org", "zada@example.com"]);
      }
    });

    it("finds by the beginning of an id before it finds addresses, each once", async () => {
      const ada = await opened.createAccount();
      const other = await opened.createAccount({ email: `x${ada.id.toLowerCase()}@example.com` });
      const beginning = await opened.createAccount({ email: `${ada.id.toLowerCase()}@example.com` });
      for (const limit of [1, 2, 10]) {
        const found = await everyone(opened, ada.id, limit);
        expect(found.map(({ account }) => account.id)).toEqual([ada.id, beginning.id, other.id]);
      }
    });

    it("knows no page that it did not name", async () => {
      const { accounts } = opened.store;
      for (const after of ["", "x", "newest", "newest x y", "inside 1 acc_1", "id", "'"]) {
        expect(await accounts.searchAccounts("", { after, limit: 10 }, now)).toBeNull();
      }
      expect(await accounts.searchAccounts("a", { after: "newest 1 acc_1", limit: 10 }, now)).toBeNull();
    });

    it("reads summaries in the order of their ids, without those that are gone", async () => {
      const { accounts } = opened.store;
      const [ada, bob] = [await opened.createAccount(), await opened.createAccount()];
      const found = await accounts.findSummaries([bob.id, "acc_none", ada.id], now);
      expect(found.map(({ account }) => account)).toEqual([bob, ada]);
      expect(await accounts.findSummaries([], now)).toEqual([]);
    });

    it("counts active keys, and has the last use of any key", async () => {
      const { store } = opened;
      const { id } = await opened.createAccount();
      await opened.createKey(id);
      const used = await opened.createKey(id, { expiresAt: at("11:59:59") });
      const revoked = await opened.createKey(id);
      await store.revokeKey(revoked.id, now);
      await store.touchKeys(new Map([[used.id, { at: at("11:00:00"), model: null }]]));
      expect(await store.accounts.findSummary(id, now)).toMatchObject({
        liveKeys: 1,
        lastUsedAt: at("00:00:00"),
      });
    });

    it("leaves the last admin who can act in place", async () => {
      const { accounts } = opened.store;
      const [ada, bob] = [
        await opened.createAccount({ role: "admin" }),
        await opened.createAccount({ role: "admin" }),
      ];
      expect(await accounts.suspend(bob.id, now)).toBe(true);
      for (const change of [
        () => accounts.setRole(ada.id, "user"),
        () => accounts.suspend(ada.id, now),
        () => accounts.remove(ada.id),
      ]) {
        expect(await change()).toBe(false);
      }
      expect(await accounts.findAccount(ada.id)).toEqual(ada);
      expect(await accounts.remove(bob.id)).toBe(true);
      expect(await accounts.setRole(ada.id, "admin")).toBe(true);
    });

    it("leaves one admin when two demote each other at once", async () => {
      const [ada, bob] = [
        await opened.createAccount({ role: "admin" }),
        await opened.createAccount({ role: "admin" }),
      ];
      const results = await Promise.all([
        opened.store.accounts.setRole(ada.id, "user"),
        opened.store.accounts.setRole(bob.id, "user"),
      ]);
      expect(results.filter(Boolean)).toHaveLength(1);
      expect(await opened.store.accounts.hasAdmin()).toBe(true);
    });

    it("suspends with the first time kept", async () => {
      const { accounts } = opened.store;
      const { id } = await opened.createAccount();
      await accounts.suspend(id, now);
      await accounts.suspend(id, at("13:00:00"));
      expect((await accounts.findAccount(id))?.suspendedAt).toEqual(now);
    });

    it.each<[string, (opened: Opened, id: string) => Promise<unknown>]>([
      ["by an admin", ({ store }, id) => store.accounts.suspend(id, now)],
      ["on the command line", ({ store }, id) => store.setAccountSuspended(id, now)],
    ])("ends sessions and reset links with a suspension %s", async (_where, suspend) => {
      const { store } = opened;
      const { id } = await opened.createAccount();
      const other = await opened.createAccount();
      const times = { createdAt: now, expiresAt: at("20:00:00") };
      const [ended, kept] = [someHash(), someHash()];
      await store.sessions.create(newSession(id, { hash: ended, lastSeenAt: now, ...times }));
      await store.sessions.create(newSession(other.id, { hash: kept, lastSeenAt: now, ...times }));
      const step = {
        kind: "second_factor",
        hash: someHash(),
        accountId: id,
        expiresAt: at("20:00:00"),
      } as const;
      await store.signInSteps.create(step);
      const link = { kind: "reset", hash: someHash(), accountId: id, emailHash: null, ...times } as const;
      await store.links.create(link);
      await suspend(opened, id);
      expect(await store.sessions.find(ended)).toBeNull();
      expect(await store.signInSteps.find("second_factor", step.hash, now)).toBeNull();
      expect(await store.sessions.find(kept)).not.toBeNull();
      expect(await store.links.find("reset", link.hash, now)).toBeNull();
    });

    it("removes invitations to the address of an account with it", async () => {
      const { store } = opened;
      const { id, email } = await opened.createAccount({ email: "Ada@Example.com" });
      const times = { createdAt: now, expiresAt: at("20:00:00") };
      const invite = { kind: "invite", hash: someHash(), accountId: null, ...times } as const;
      await store.links.create({ ...invite, emailHash: emailHash(email) });
      const other = { ...invite, hash: someHash(), emailHash: emailHash("bob@example.com") };
      await store.links.create(other);
      await store.deleteAccount(id);
      expect(await store.links.find("invite", invite.hash, now)).toBeNull();
      expect(await store.links.find("invite", other.hash, now)).not.toBeNull();
    });

    it("lists everyone page by page, with their live keys", async () => {
      const { store } = opened;
      const made: string[] = [];
      for (let i = 0; i < 5; i++) made.push((await opened.createAccount()).id);
      const [first = ""] = made;
      await opened.createKey(first);
      const listed: AccountSummary[] = [];
      for (;;) {
        const page = await store.accounts.listSummaries(listed.at(-1)?.account ?? null, 2, now);
        if (page.length === 0) break;
        listed.push(...page);
      }
      expect(listed.map(({ account }) => account.id).sort()).toEqual(made.sort());
      expect(listed.map(({ account }) => account.createdAt.getTime())).toEqual(
        listed.map(({ account }) => account.createdAt.getTime()).sort((a, b) => a - b),
      );
      expect(listed.find(({ account }) => account.id === first)?.liveKeys).toBe(1);
    });

    it("finds everyone among thousands, page by page", async () => {
      for (let i = 0; i < 2_100; i++) {
        await opened.createAccount({ email: `${i % 300 === 0 ? "x-rare" : "user"}${i}@example.com` });
      }
      const found = (await everyone(opened, "rare", 3)).map(({ account }) => account.email);
      expect(found.sort()).toEqual(
        [0, 300, 600, 900, 1200, 1500, 1800].map((i) => `x-rare${i}@example.com`).sort(),
      );
    });

    it("disables and enables a key", async () => {
      const { store } = opened;
      const { id } = await opened.createAccount();
      const wanted = newKey(id);
      const key = await store.createKey(wanted);
      await store.accounts.setKeyDisabled(key.id, now);
      expect((await store.findKeyByHash(wanted.hash))?.key.disabledAt).toEqual(now);
      await store.accounts.setKeyDisabled(key.id, null);
      expect(await store.findKey(key.id)).toEqual(key);
    });

    it("counts the accounts of a plan and deletes it only without any", async () => {
      const { store } = opened;
      const free = await store.findPlan("free");
      const gold: Plan = { ...(free ?? missing()), id: "gold", name: "Gold" };
      await store.putPlan(gold);
      const { id } = await opened.createAccount({ planId: "gold" });
      await opened.createAccount();
      expect(await store.accounts.countByPlan()).toEqual(
        new Map([
          ["gold", 1],
          ["free", 1],
        ]),
      );
      expect(await store.accounts.deletePlan("gold")).toBe(false);
      await store.setAccountPlan(id, "free");
      expect(await store.accounts.deletePlan("gold")).toBe(true);
      expect(await store.findPlan("gold")).toBeNull();
    });
  });
}

/** Page by page. */
async function everyone({ store }: Opened, search: string, limit: number): Promise<AccountSummary[]> {
  const found: AccountSummary[] = [];
  let after: string | null = null;
  do {
    const page: { accounts: AccountSummary[]; next: string | null } | null =
      await store.accounts.searchAccounts(search, { after, limit }, now);
    if (page === null) throw new Error(`the search does not know its own page ${after}`);
    expect(page.accounts.length).toBeLessThanOrEqual(limit);
    found.push(...page.accounts);
    after = page.next;
  } while (after !== null);
  return found;
}

function missing(): never {
  throw new Error("There is no plan named free.");
}
