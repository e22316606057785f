/** The promises of `ScimStore`, and what single sign-on asks about its users. */
import { expect, it } from "vitest";
import { DuplicateUserName } from "../../../src/core/scim/ports.js";
import { DuplicateEmail } from "../../../src/core/store.js";
import { at, describeWithStore, type OpenStore } from "./dashboard-store.js";

const page = { offset: 0, limit: 10 };
const identity = (subject: string) => ({ issuer: "https://login.example.com", subject });

export function describeScimContract(name: string, open: OpenStore): void {
  describeWithStore(`${name} keeps users and groups of SCIM`, open, (opened) => {
    const create = (userName: string, externalId: string | null = null) =>
      opened.store.scim.createUser({ email: userName, userName, externalId, planId: "free" }, at("08:00:00"));

    it("which are accounts that it created or a provider signs in, and no others", async () => {
      const { scim, singleSignOn } = opened.store;
      const [other, linked] = [await opened.createAccount(), await opened.createAccount()];
      await singleSignOn.link(linked.id, "work", identity("1"), at("08:00:00"));
      const made = await create("Ada@Example.com", "42");
      expect(made).toMatchObject({ userName: "Ada@Example.com", externalId: "42", inactiveSince: null });
      expect(await scim.findUser(made.account.id)).toEqual(made);
      expect(await scim.findUser(other.id)).toBeNull();
      expect(await scim.findUser(linked.id)).toMatchObject({ userName: linked.email, externalId: null });
      const ids = async (...given: Parameters<typeof scim.listUsers>) => {
        const { users, total } = await scim.listUsers(...given);
        return { ids: users.map(({ account }) => account.id), total };
      };
      expect(await ids(null, { offset: 1, limit: 1 })).toMatchObject({ total: 2 });
      const one = { ids: [made.account.id], total: 1 };
      expect(await ids({ attribute: "userName", value: "ADA@example.com" }, page)).toEqual(one);
      expect(await ids({ attribute: "email", value: "ada@example.COM" }, page)).toEqual(one);
      expect(await ids({ attribute: "externalId", value: "42" }, page)).toEqual(one);
      expect(await ids({ attribute: "id", value: made.account.id }, page)).toEqual(one);
      expect(await ids({ attribute: "userName", value: linked.email }, page)).toMatchObject({
        ids: [linked.id],
      });
      expect(await ids({ attribute: "userName", value: other.email }, page)).toEqual({ ids: [], total: 0 });
      expect(await ids({ attribute: "externalId", value: "Ada" }, page)).toEqual({ ids: [], total: 0 });

      // A name of its own takes the place of the address.
      await scim.nameUser({
        id: linked.id,
        userName: "grace",
        externalId: "7",
        inactiveSince: at("09:00:00"),
      });
      expect(await scim.findUser(linked.id)).toMatchObject({
        ...{ userName: "grace", externalId: "7", inactiveSince: at("09:00:00") },
      });
      expect(await ids({ attribute: "userName", value: linked.email }, page)).toEqual({ ids: [], total: 0 });
    });

    it("whose names and addresses are unique, also at the same time", async () => {
      const { scim } = opened.store;
      const { account } = await create("ada@example.com");
      await expect(create("ADA@example.com")).rejects.toThrow(DuplicateEmail);
      const second = await create("grace@example.com");
      const named = { id: second.account.id, externalId: null, inactiveSince: null };
      await expect(scim.nameUser({ ...named, userName: "ADA@EXAMPLE.COM" })).rejects.toThrow(
        DuplicateUserName,
      );
      const both = await Promise.allSettled([create("linus@example.com"), create("linus@example.com")]);
      expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      await opened.store.deleteAccount(account.id);
      expect(await scim.findUser(account.id)).toBeNull();
      await create("ada@example.com");
    });

    it("which are found for their first sign-in by subject, or else by a verified address", async () => {
      const { singleSignOn, scim } = opened.store;
      const { account } = await create("ada@example.com", "sub-1");
      const other = await create("grace@example.com", "ada@example.com");
      const idOf = async (...given: [string, string | null]) =>
        (await singleSignOn.findProvisioned(...given))?.id ?? null;
      expect(await idOf("sub-1", "grace@example.com")).toBe(account.id);
      expect(await idOf("unknown", "ADA@example.com")).toBe(account.id);
      expect(await idOf("unknown", null)).toBeNull();
      expect(await singleSignOn.isProvisioned(account.id)).toBe(true);
      expect(await singleSignOn.isProvisioned((await opened.createAccount()).id)).toBe(false);
      // Nobody can say which of the two it is.
      await scim.nameUser({ ...other, id: other.account.id, externalId: "sub-1" });
      expect(await idOf("sub-1", "ada@example.com")).toBeNull();
      await singleSignOn.link(account.id, "work", identity("sub-1"), at("09:00:00"));
      expect(await idOf("unknown", "ada@example.com")).toBeNull();
    });

    it("and teams, with those members that are its users", async () => {
      const { scim, teams } = opened.store;
      const owner = await opened.createAccount();
      const { id } = await teams.create({ name: "Research", planId: "free", ownerId: owner.id });
      const { account } = await create("ada@example.com");
      await teams.addMember(id, account.id, "member");
      await scim.setExternalId(id, "g1");
      expect(await scim.findGroup(id)).toMatchObject({ id, name: "Research", externalId: "g1" });
      expect(await scim.findGroup(account.id)).toBeNull();
      expect(await scim.members([id])).toEqual([
        { groupId: id, id: account.id, userName: "ada@example.com" },
      ]);
      expect(await scim.members([])).toEqual([]);
      for (const filter of [
        null,
        { attribute: "displayName", value: "Research" },
        { attribute: "externalId", value: "g1" },
        { attribute: "id", value: id },
      ] as const)
        expect(await scim.listGroups(filter, page)).toMatchObject({ groups: [{ id }], total: 1 });
      expect(await scim.listGroups({ attribute: "externalId", value: "g2" }, page)).toEqual({
        ...{ groups: [], total: 0 },
      });
    });
  });
}
