/** The promises of `LinkStore`. */
import { expect, it } from "vitest";
import type { NewLink } from "../../../src/core/sign-in/ports.js";
import { DuplicateEmail } from "../../../src/core/store.js";
import { at, describeWithStore, newSession, someHash, type OpenStore } from "./dashboard-store.js";

const now = at("12:00:00");

const newLink = (link: Partial<NewLink> = {}): NewLink => ({
  kind: "setup",
  hash: someHash(),
  accountId: null,
  emailHash: null,
  email: null,
  planId: null,
  createdAt: now,
  expiresAt: at("13:00:00"),
  ...link,
});

const ada = { email: "ada@example.com", passwordHash: "$argon2id$…", planId: "free" };

export function describeLinkContract(name: string, open: OpenStore): void {
  describeWithStore(`${name} keeps one-time links`, open, (opened) => {
    it("finds one of its kind until it expires", async () => {
      const { links } = opened.store;
      const link = newLink({ kind: "invite", emailHash: someHash() });
      await links.create(link);
      expect(await links.find("invite", link.hash, now)).toEqual(link);
      expect(await links.find("reset", link.hash, now)).toBeNull();
      expect(await links.find("invite", link.hash, at("13:00:00"))).toBeNull();
    });

    it("lists invitations that are pending, newest first, until they are revoked", async () => {
      const { links } = opened.store;
      const invite = (time: string, link: Partial<NewLink> = {}) =>
        newLink({ kind: "invite", createdAt: at(time), ...link });
      const first = invite("09:00:00", { email: "ada@example.com", emailHash: someHash(), planId: "free" });
      const [second, expired] = [invite("10:00:00"), invite("08:00:00", { expiresAt: now })];
      const reset = newLink({ kind: "reset" });
      for (const link of [first, second, expired, reset]) await links.create(link);
      expect(await links.listInvites(now, 10)).toEqual([second, first]);
      expect(await links.listInvites(now, 1)).toEqual([second]);
      expect(await links.revokeInvite(first.hash)).toBe(true);
      expect(await links.revokeInvite(first.hash)).toBe(false);
      expect(await links.revokeInvite(reset.hash)).toBe(false);
      expect(await links.find("invite", first.hash, now)).toBeNull();
      expect(await links.listInvites(now, 10)).toEqual([second]);
    });

    it("creates an account without a password by an invitation, once, on its plan", async () => {
      const { store } = opened;
      const free = await store.findPlan("free");
      if (free === null) throw new Error("There is no plan named free.");
      await store.putPlan({ ...free, id: "gold", name: "Gold" });
      const link = newLink({ kind: "invite", planId: "gold" });
      await store.links.create(link);
      const create = (email: string) =>
        store.singleSignOn.createAccount(
          { email, isEmailVerified: true, planId: "free", inviteHash: link.hash },
          "work",
          { issuer: "https://login.example.com", subject: email },
          now,
        );
      expect(await create("ada@example.com")).toMatchObject({ email: "ada@example.com", planId: "gold" });
      expect(await create("bob@example.com")).toBeNull();
      expect(await store.findAccountByEmail("bob@example.com")).toBeNull();
    });

    it("creates an account on the plan of its invitation, or on the default one if that plan was deleted", async () => {
      const { store } = opened;
      const free = await store.findPlan("free");
      if (free === null) throw new Error("There is no plan named free.");
      for (const id of ["gold", "silver"]) await store.putPlan({ ...free, id, name: id });
      const accept = async (planId: string, email: string) => {
        const link = newLink({ kind: "invite", planId });
        await store.links.create(link);
        if (planId === "silver") expect(await store.accounts.deletePlan("silver")).toBe(true);
        return (await store.links.createAccount("invite", link.hash, now, { ...ada, email }))?.planId;
      };
      expect(await accept("gold", "gold@example.com")).toBe("gold");
      expect(await accept("silver", "silver@example.com")).toBe("free");
    });

    it("lets one set-up link exist, also when many make one at once", async () => {
      const made = await Promise.all(
        Array.from({ length: 20 }, () => opened.store.links.createSetup(newLink())),
      );
      expect(made.filter(Boolean)).toHaveLength(1);
    });

    it("makes room for a new set-up link when the old one has expired", async () => {
      const { links } = opened.store;
      const [old, renewed] = [newLink(), newLink({ createdAt: at("13:00:00"), expiresAt: at("14:00:00") })];
      expect(await links.createSetup(old)).toBe(true);
      expect(await links.createSetup(renewed)).toBe(true);
      expect(await links.find("setup", old.hash, now)).toBeNull();
      expect(await links.find("setup", renewed.hash, now)).toEqual(renewed);
    });

    it("makes no set-up link while there is an admin", async () => {
      await opened.createAccount({ role: "admin" });
      expect(await opened.store.links.createSetup(newLink())).toBe(false);
    });

    it("makes one admin when many use a set-up link at once", async () => {
      const link = newLink();
      await opened.store.links.createSetup(link);
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          opened.store.links.createAccount("setup", link.hash, now, {
            ...ada,
            email: `ada${i}@example.com`,
          }),
        ),
      );
      const accounts = await opened.store.listAccounts();
      expect(accounts).toMatchObject([{ role: "admin", planId: "free" }]);
      expect(results.filter((account) => account !== null)).toEqual(accounts);
    });

    it("makes no second admin by a set-up link", async () => {
      const link = newLink();
      await opened.store.links.createSetup(link);
      await opened.createAccount({ role: "admin" });
      expect(await opened.store.links.createAccount("setup", link.hash, now, ada)).toBeNull();
    });

    it("creates a user by an invitation, once", async () => {
      const { links } = opened.store;
      const link = newLink({ kind: "invite" });
      await links.create(link);
      expect(await links.createAccount("setup", link.hash, now, ada)).toBeNull();
      expect(await links.createAccount("invite", link.hash, now, ada)).toMatchObject({ role: "user" });
      const again = { ...ada, email: "bob@example.com" };
      expect(await links.createAccount("invite", link.hash, now, again)).toBeNull();
    });

    it("keeps the link when the address is taken", async () => {
      const { store } = opened;
      await opened.createAccount({ email: "Ada@example.com" });
      const link = newLink({ kind: "invite" });
      await store.links.create(link);
      await expect(store.links.createAccount("invite", link.hash, now, ada)).rejects.toBeInstanceOf(
        DuplicateEmail,
      );
      expect(await store.links.find("invite", link.hash, now)).toEqual(link);
    });

    it("sets a password by a reset link, once, and ends sessions and other reset links", async () => {
      const { store } = opened;
      const account = await opened.createAccount({ passwordHash: "old" });
      const [link, other] = [
        newLink({ kind: "reset", accountId: account.id }),
        newLink({ kind: "reset", accountId: account.id }),
      ];
      await store.links.create(link);
      await store.links.create(other);
      const session = newSession(account.id, { createdAt: now, lastSeenAt: now });
      await store.sessions.create(session);

      expect(await store.links.resetPassword(link.hash, now, "new")).toEqual(account);
      expect((await store.accounts.findCredentialsById(account.id))?.passwordHash).toBe("new");
      expect(await store.sessions.find(session.hash)).toBeNull();
      expect(await store.links.resetPassword(link.hash, now, "newer")).toBeNull();
      expect(await store.links.resetPassword(other.hash, now, "newer")).toBeNull();
      expect((await store.accounts.findCredentialsById(account.id))?.passwordHash).toBe("new");
    });

    it("verifies an address by its newest link, once", async () => {
      const { store } = opened;
      const account = await opened.createAccount();
      expect(account.emailVerifiedAt).toBeNull();
      const own = { accountId: account.id, kind: "verify" } as const;
      const [old, link] = [
        { ...newLink(), ...own },
        { ...newLink(), ...own },
      ];
      await store.links.replaceOwn(old);
      await store.links.replaceOwn(link);
      // A new password leaves it.
      await store.accounts.setPassword(account.id, "hash", null);
      expect(await store.links.verifyEmail(old.hash, now)).toBeNull();
      expect(await store.links.verifyEmail(link.hash, at("13:00:00"))).toBeNull();
      expect(await store.links.verifyEmail(link.hash, now)).toEqual({ ...account, emailVerifiedAt: now });
      expect(await store.links.verifyEmail(link.hash, now)).toBeNull();
      expect(await store.accounts.findAccount(account.id)).toEqual({ ...account, emailVerifiedAt: now });
    });

    it("changes an address when the present one has agreed and the new one has confirmed", async () => {
      const { store } = opened;
      const account = await opened.createAccount({ email: "ada@example.com" });
      const reset = newLink({ kind: "reset", accountId: account.id });
      await store.links.create(reset);
      const own = { accountId: account.id, kind: "change_from", email: "new@example.com" } as const;
      const [old, first] = [
        { ...newLink(), ...own },
        { ...newLink(), ...own },
      ];
      await store.links.replaceOwn(old);
      await store.links.replaceOwn(first);
      const next = { hash: someHash(), expiresAt: at("14:00:00") };
      expect(await store.links.findEmailChange(account.id, now)).toEqual(first);
      expect(await store.links.changeEmail(first.hash, now)).toBeNull();
      expect(await store.links.agreeToEmailChange(old.hash, now, next)).toBeNull();
      expect(await store.links.agreeToEmailChange(first.hash, at("13:00:00"), next)).toBeNull();
      const second = { ...first, ...next, kind: "change_to" as const };
      expect(await store.links.agreeToEmailChange(first.hash, now, next)).toEqual(second);
      expect(await store.links.findEmailChange(account.id, now)).toEqual(second);
      expect(await store.links.changeEmail(first.hash, now)).toBeNull();
      expect(await store.links.changeEmail(second.hash, at("14:00:00"))).toBeNull();
      const changed = { ...account, email: "new@example.com", emailVerifiedAt: now };
      expect(await store.links.changeEmail(second.hash, now)).toEqual(changed);
      expect(await store.links.changeEmail(second.hash, now)).toBeNull();
      expect(await store.findAccountByEmail("NEW@example.com")).toEqual(changed);
      expect(await store.findAccountByEmail("ada@example.com")).toBeNull();
      // It was mailed to the previous address.
      expect(await store.links.find("reset", reset.hash, now)).toBeNull();
    });

    it("changes no address to one that is taken, and none after it was called off or the password changed", async () => {
      const { store } = opened;
      const account = await opened.createAccount({ email: "ada@example.com" });
      await opened.createAccount({ email: "Taken@example.com" });
      const begin = async (email: string) => {
        const first = { ...newLink({ email }), accountId: account.id, kind: "change_from" as const };
        await store.links.replaceOwn(first);
        const next = { hash: someHash(), expiresAt: at("14:00:00") };
        await store.links.agreeToEmailChange(first.hash, now, next);
        return next.hash;
      };
      await expect(store.links.changeEmail(await begin("taken@example.com"), now)).rejects.toBeInstanceOf(
        DuplicateEmail,
      );
      await expect(store.accounts.setEmail(account.id, "taken@example.com")).rejects.toBeInstanceOf(
        DuplicateEmail,
      );
      const calledOff = await begin("new@example.com");
      await store.links.deleteOwn(account.id, "change_from");
      expect(await store.links.changeEmail(calledOff, now)).toBeNull();
      const stolen = await begin("new@example.com");
      await store.accounts.setPassword(account.id, "hash", null);
      expect(await store.links.changeEmail(stolen, now)).toBeNull();
      expect(await store.accounts.findAccount(account.id)).toEqual(account);
    });

    it("gives an account another address without a link, unverified", async () => {
      const { store } = opened;
      const account = await opened.createAccount({ email: "ada@example.com" });
      const verify = { ...newLink(), accountId: account.id, kind: "verify" as const };
      await store.links.replaceOwn(verify);
      await store.links.verifyEmail(verify.hash, now);
      expect(await store.accounts.setEmail(account.id, "Ada@Example.com")).toEqual({
        ...account,
        email: "Ada@Example.com",
      });
      expect(await store.accounts.setEmail("acc_none", "x@example.com")).toBeNull();
    });

    it("uses up nothing by a link that has expired", async () => {
      const { store } = opened;
      const { id } = await opened.createAccount({ passwordHash: "old" });
      const link = newLink({ kind: "reset", accountId: id });
      await store.links.create(link);
      expect(await store.links.resetPassword(link.hash, at("13:00:00"), "new")).toBeNull();
      expect((await store.accounts.findCredentialsById(id))?.passwordHash).toBe("old");
    });

    it("removes those that have expired", async () => {
      const { links } = opened.store;
      const [gone, kept] = [
        newLink({ kind: "invite" }),
        newLink({ kind: "invite", expiresAt: at("14:00:00") }),
      ];
      await links.create(gone);
      await links.create(kept);
      await links.prune(at("13:00:00"));
      expect(await links.find("invite", gone.hash, now)).toBeNull();
      expect(await links.find("invite", kept.hash, now)).not.toBeNull();
    });
  });
}
