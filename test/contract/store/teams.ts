/** The promises of `TeamStore`, and what they mean for keys, quotas and accounts. */
import { expect, it } from "vitest";
import { noKeyLimits, noQuotas } from "../../../src/core/entities.js";
import { OnlyOwner } from "../../../src/core/store.js";
import type { Team } from "../../../src/core/teams/ports.js";
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

const keyOf = (team: Team, memberId: string | null = null) => newKey(team.id, { memberId });

async function teamOf(opened: Opened) {
  const owner = await opened.createAccount();
  const team = await opened.store.teams.create({ name: "Research", planId: "free", ownerId: owner.id });
  return { owner, team };
}

export function describeTeamContract(name: string, open: OpenStore): void {
  describeWithStore(`${name} keeps teams`, open, (opened) => {
    it("as accounts that no list of accounts shows and nobody signs in to", async () => {
      const { store } = opened;
      const { owner, team } = await teamOf(opened);
      expect(team).toMatchObject({ kind: "team", name: "Research", quotas: noQuotas, joinDomain: null });
      expect(await store.accounts.countAccounts()).toBe(1);
      expect((await store.listAccounts()).map(({ id }) => id)).toEqual([owner.id]);
      expect(await store.accounts.findSummary(team.id, at("00:00:00"))).toBeNull();
      const found = await store.accounts.searchAccounts("", { after: null, limit: 9 }, at("00:00:00"));
      expect(found?.accounts.map(({ account }) => account.id)).toEqual([owner.id]);
      for (const email of ["Research", team.id]) {
        expect(await store.findAccountByEmail(email)).toBeNull();
      }
      expect(await store.teams.ofAccount(owner.id)).toMatchObject([{ team: { id: team.id }, role: "owner" }]);
      expect(await store.teams.findFor(team.id, "acc_other")).toBeNull();
    });

    it("with quotas of their own in place of the plan's, which their keys are admitted by", async () => {
      const { store } = opened;
      const { owner, team } = await teamOf(opened);
      const free = await store.findPlan("free");
      if (free === null) throw new Error("there is no plan");
      await store.putPlan({ ...free, requestsPerDay: 5, tokensPerDay: 6 });
      const key = keyOf(team, owner.id);
      await store.createKey(key);
      await store.teams.change(team.id, { quotas: { ...noQuotas, requestsPerDay: 600 } });
      await store.teams.setLimits(team.id, owner.id, { ...noKeyLimits, tokensPerMinute: 7 });
      expect(await store.findKeyByHash(key.hash)).toMatchObject({
        account: { id: team.id, kind: "team", email: "Research" },
        plan: { requestsPerDay: 600, tokensPerDay: 6 },
        member: { id: owner.id, suspendedAt: null, limits: { ...noKeyLimits, tokensPerMinute: 7 } },
      });
      expect((await store.teams.findFor(team.id, owner.id))?.plan).toMatchObject({ requestsPerDay: 600 });
    });

    it("whose members' keys end with the membership, and whose service keys do not", async () => {
      const { store } = opened;
      const { team } = await teamOf(opened);
      const member = await opened.createAccount();
      expect(await store.teams.addMember(team.id, member.id, "member")).toBe(true);
      expect(await store.teams.addMember(team.id, member.id, "owner")).toBe(false);
      const [own, service] = [keyOf(team, member.id), keyOf(team)];
      const { id } = await store.createKey(own);
      await store.createKey(service);
      const before = await store.changes.last();
      expect(await store.teams.removeMember(team.id, member.id, at("01:00:00"))).toBe("done");
      // The second for what the member has running in the playground.
      expect(await store.changes.readAfter(before, 9)).toMatchObject([
        { kind: "key_ended", subject: id },
        { kind: "account_changed", subject: member.id },
      ]);
      expect((await store.findKey(id))?.revokedAt).toEqual(at("01:00:00"));
      expect(await store.findKeyByHash(own.hash)).toBeNull();
      expect(await store.findKeyByHash(service.hash)).toMatchObject({ key: { memberId: null } });
      expect(await store.teams.removeMember(team.id, member.id, at("01:00:00"))).toBe("none");
    });

    it("with networks and a second factor that they require, which keys and sessions know", async () => {
      const { store } = opened;
      const { owner, team } = await teamOf(opened);
      const key = keyOf(team);
      await store.createKey(key);
      expect(await store.findKeyByHash(key.hash)).not.toHaveProperty("teamAllowFrom");
      const session = newSession(owner.id);
      await store.sessions.create(session);
      expect(await store.sessions.find(session.hash)).toMatchObject({ teamFactorBy: null });

      // Later than anyone joined.
      const since = new Date(Date.now() + 60_000);
      const secondFactor = { graceDays: 30, since };
      const allowFrom = ["192.0.2.0/24", "2001:db8::/32"];
      expect(await store.teams.change(team.id, { allowFrom, secondFactor })).toMatchObject({
        ...{ allowFrom, secondFactor, joinDomain: null },
      });
      expect(await store.findKeyByHash(key.hash)).toMatchObject({ teamAllowFrom: allowFrom });
      const dayMs = 24 * 60 * 60_000;
      expect(await store.sessions.find(session.hash)).toMatchObject({
        teamFactorBy: new Date(since.getTime() + 30 * dayMs),
      });
      // The first of several teams counts, and there the time of joining, which is later.
      const other = await store.teams.create({ name: "Other", planId: "free", ownerId: owner.id });
      await store.teams.change(other.id, { secondFactor: { graceDays: 1, since: new Date(0) } });
      const [, joined] = await store.teams
        .membershipsOf(owner.id)
        .then((all) => [team, other].map(({ id }) => all.find(({ teamId }) => teamId === id)));
      expect(await store.sessions.find(session.hash)).toMatchObject({
        teamFactorBy: new Date((joined?.joinedAt.getTime() ?? 0) + dayMs),
      });
    });

    it("without an owner, and with members that an identity provider's groups made", async () => {
      const { store } = opened;
      const team = await store.teams.create({ name: "Open", planId: "free", ownerId: null });
      expect(await store.teams.members(team.id)).toEqual([]);
      const [invited, claimed] = [await opened.createAccount(), await opened.createAccount()];
      await store.teams.addMember(team.id, invited.id, "member");
      await store.teams.addMember(team.id, claimed.id, "admin", "work");
      expect(await store.teams.membershipsOf(invited.id)).toMatchObject([{ providerId: null }]);
      expect(await store.teams.membershipsOf(claimed.id)).toMatchObject([
        { teamId: team.id, role: "admin", providerId: "work" },
      ]);
      expect(await store.teams.removeMember(team.id, claimed.id, at("01:00:00"))).toBe("done");
    });

    it("in which a viewer has no keys", async () => {
      const { store } = opened;
      const { team } = await teamOf(opened);
      const member = await opened.createAccount();
      await store.teams.addMember(team.id, member.id, "admin");
      const key = keyOf(team, member.id);
      const { id } = await store.createKey(key);
      await store.teams.setRole(team.id, member.id, "viewer", at("01:00:00"));
      expect(await store.findKeyByHash(key.hash)).toBeNull();
      await store.teams.setRole(team.id, member.id, "member", at("02:00:00"));
      expect((await store.findKey(id))?.revokedAt).toEqual(at("01:00:00"));
    });

    it("and never leaves one without an owner, also when two owners go at once", async () => {
      const { store } = opened;
      const { owner, team } = await teamOf(opened);
      expect(await store.teams.removeMember(team.id, owner.id, at("01:00:00"))).toBe("last_owner");
      expect(await store.teams.setRole(team.id, owner.id, "admin", at("01:00:00"))).toBe("last_owner");
      await expect(store.accounts.remove(owner.id)).rejects.toThrow(OnlyOwner);
      await expect(store.deleteAccount(owner.id)).rejects.toThrow("'Research'");
      const second = await opened.createAccount();
      await store.teams.addMember(team.id, second.id, "owner");
      const outcomes = await Promise.all(
        [owner, second].map(({ id }) => store.teams.setRole(team.id, id, "member", at("01:00:00"))),
      );
      expect(outcomes.sort()).toEqual(["done", "last_owner"]);
    });

    it("from which a deleted account is gone with its keys, and the team's usage stays", async () => {
      const { store } = opened;
      const { team } = await teamOf(opened);
      const member = await opened.createAccount();
      await store.teams.addMember(team.id, member.id, "member");
      const key = await store.createKey(keyOf(team, member.id));
      const day = { accountId: team.id, keyId: key.id, day: "2030-01-01", requests: 3, tokens: 9 };
      await store.usage.add([], { id: "one", done: [] }, [day]);
      expect(await store.quotas.used(team.id, null, "2030-01", member.id)).toEqual({
        requests: 3,
        tokens: 9,
      });
      expect(await store.quotas.used(team.id, null, "2030-01", "acc_other")).toMatchObject({ requests: 0 });
      await store.deleteAccount(member.id);
      expect(await store.findKey(key.id)).toBeNull();
      expect(await store.teams.members(team.id)).toHaveLength(1);
      expect(await store.quotas.used(team.id, null, "2030-01")).toEqual({ requests: 3, tokens: 9 });
    });

    it("and deletes one with everything that belongs to it", async () => {
      const { store } = opened;
      const { owner, team } = await teamOf(opened);
      const key = await store.createKey(keyOf(team));
      const invite = { kind: "team", hash: someHash(), accountId: null, emailHash: null } as const;
      const times = { createdAt: at("00:00:00"), expiresAt: at("09:00:00") };
      await store.links.create({ ...invite, ...times, team: { id: team.id, role: "member" } });
      const counts = { members: 1, keys: 1, liveKeys: 1, invitations: 1 };
      expect(await store.teams.count(team.id, at("01:00:00"))).toEqual(counts);
      await store.teams.remove(team.id);
      expect(await store.teams.find(team.id)).toBeNull();
      expect(await store.findKey(key.id)).toBeNull();
      expect(await store.links.find("team", invite.hash, at("01:00:00"))).toBeNull();
      await store.deleteAccount(owner.id);
    });

    it("which an invitation leads into once, for its address", async () => {
      const { store } = opened;
      const { team } = await teamOf(opened);
      const [ada, eve] = [await opened.createAccount(), await opened.createAccount()];
      const who = (account: { id: string; email: string }) => ({
        id: account.id,
        emailHash: emailHash(account.email),
      });
      const hash = someHash();
      const times = { createdAt: at("00:00:00"), expiresAt: at("09:00:00") };
      const link = {
        kind: "team",
        hash,
        accountId: null,
        emailHash: emailHash(ada.email),
        ...times,
      } as const;
      await store.links.create({ ...link, team: { id: team.id, role: "viewer" } });
      expect(await store.teams.listInvites(team.id, at("01:00:00"), 9)).toMatchObject([
        { team: { id: team.id, role: "viewer" } },
      ]);
      expect(await store.teams.acceptInvite(hash, who(eve), at("01:00:00"))).toBeNull();
      expect(await store.teams.acceptInvite(hash, who(ada), at("10:00:00"))).toBeNull();
      expect(await store.teams.acceptInvite(hash, who(ada), at("01:00:00"))).toMatchObject({ id: team.id });
      expect(await store.teams.acceptInvite(hash, who(ada), at("01:00:00"))).toBeNull();
      expect(await store.teams.membership(team.id, ada.id)).toMatchObject({ role: "viewer" });
    });

    it("which are found by name, by id and by domain", async () => {
      const { store } = opened;
      const { team } = await teamOf(opened);
      const now = at("00:00:00");
      const page = { offset: 0, limit: 9 };
      await store.teams.change(team.id, { joinDomain: "example.com", name: "Labs_1" });
      for (const search of ["", "abs_", team.id.slice(0, 9)]) {
        const found = await store.teams.list(search, page, now);
        expect(found).toMatchObject({
          total: 1,
          teams: [{ team: { name: "Labs_1" }, members: 1, liveKeys: 0 }],
        });
      }
      expect(await store.teams.list("Labsx", page, now)).toEqual({ teams: [], total: 0 });
      expect(await store.teams.byDomain("example.com", 9)).toMatchObject([{ id: team.id }]);
      await store.teams.setSuspended(team.id, now);
      expect(await store.teams.byDomain("example.com", 9)).toEqual([]);
    });
  });
}
