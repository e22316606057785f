/** The promises of `SessionStore`. */
import { expect, it } from "vitest";
import {
  at,
  describeWithStore,
  newPasskey,
  newSession,
  someHash,
  type OpenStore,
} from "./dashboard-store.js";

export function describeSessionContract(name: string, open: OpenStore): void {
  describeWithStore(`${name} keeps sessions`, open, (opened) => {
    it("finds one with its account and plan", async () => {
      const { store } = opened;
      const account = await opened.createAccount({ role: "admin" });
      const session = newSession(account.id, { method: "passkey", device: "Firefox on Linux" });
      await store.sessions.create(session);
      expect(await store.sessions.find(session.hash)).toEqual({
        session,
        account,
        plan: await store.findPlan("free"),
        hasFactor: false,
        teamFactorBy: null,
      });
      expect(await store.sessions.find(someHash())).toBeNull();
    });

    it("is noted with the provider's session that began it, both or neither", async () => {
      const { sessions, singleSignOn } = opened.store;
      const session = newSession((await opened.createAccount()).id, { method: "oidc" });
      const origin = { providerId: "work", issuer: "https://login.example.com", subject: "ada", sid: "s1" };
      await sessions.create(session, origin);
      expect(await singleSignOn.findOrigin(session.hash)).toEqual(origin);
      // An origin that cannot be written leaves no session that a logout would miss.
      const another = newSession(session.accountId);
      await expect(sessions.create(another, { ...origin, issuer: null as never })).rejects.toThrow();
      expect(await sessions.find(another.hash)).toBeNull();
      expect(await singleSignOn.endSessionsOf(origin.issuer, "s1")).toEqual([session.accountId]);
    });

    it("says whether its account has a second factor in use", async () => {
      const { sessions, factors } = opened.store;
      const [ada, bob] = [await opened.createAccount(), await opened.createAccount()];
      const [adas, bobs] = [newSession(ada.id), newSession(bob.id)];
      for (const session of [adas, bobs]) await sessions.create(session);
      const has = async () => [
        (await sessions.find(adas.hash))?.hasFactor,
        (await sessions.find(bobs.hash))?.hasFactor,
      ];
      await factors.beginTotp(ada.id, "sealed", at("08:00:00"));
      expect(await has()).toEqual([false, false]);
      await factors.confirmTotp(ada.id, 7, at("08:01:00"));
      expect(await has()).toEqual([true, false]);
      await factors.addPasskey(newPasskey(bob.id));
      await factors.removeTotp(ada.id);
      expect(await has()).toEqual([false, true]);
    });

    it("notes when it was confirmed who is signed in", async () => {
      const { sessions } = opened.store;
      const session = newSession((await opened.createAccount()).id);
      await sessions.create(session);
      await sessions.noteConfirmed(session.hash, at("09:00:00"));
      expect((await sessions.find(session.hash))?.session.confirmedAt).toEqual(at("09:00:00"));
    });

    it("moves the time it was last seen forward only", async () => {
      const { sessions } = opened.store;
      const session = newSession((await opened.createAccount()).id);
      await sessions.create(session);
      await sessions.touch(session.hash, at("09:30:00"));
      await sessions.touch(session.hash, at("09:00:00"));
      expect((await sessions.find(session.hash))?.session.lastSeenAt).toEqual(at("09:30:00"));
    });

    it("ends one", async () => {
      const { sessions } = opened.store;
      const { id } = await opened.createAccount();
      const [ended, kept] = [newSession(id), newSession(id)];
      await sessions.create(ended);
      await sessions.create(kept);
      await sessions.end(ended.hash);
      expect(await sessions.find(ended.hash)).toBeNull();
      expect(await sessions.find(kept.hash)).not.toBeNull();
    });

    it("ends all of an account but one, and none of another account", async () => {
      const { sessions } = opened.store;
      const [mine, theirs] = [await opened.createAccount(), await opened.createAccount()];
      const [first, second, other] = [newSession(mine.id), newSession(mine.id), newSession(theirs.id)];
      for (const session of [first, second, other]) await sessions.create(session);
      await sessions.endAll(mine.id, first.hash);
      expect(await sessions.find(first.hash)).not.toBeNull();
      expect(await sessions.find(second.hash)).toBeNull();
      await sessions.endAll(mine.id, null);
      expect(await sessions.find(first.hash)).toBeNull();
      expect(await sessions.find(other.hash)).not.toBeNull();
    });

    it("goes with its account", async () => {
      const { store } = opened;
      const { id } = await opened.createAccount();
      const session = newSession(id);
      await store.sessions.create(session);
      await store.deleteAccount(id);
      expect(await store.sessions.find(session.hash)).toBeNull();
    });

    it("removes those that ended or were idle for too long", async () => {
      const { sessions } = opened.store;
      const { id } = await opened.createAccount();
      const ended = newSession(id, { lastSeenAt: at("11:00:00"), expiresAt: at("12:00:00") });
      const idle = newSession(id, { lastSeenAt: at("09:00:00") });
      const live = newSession(id, { lastSeenAt: at("11:00:00"), expiresAt: at("12:00:01") });
      for (const session of [ended, idle, live]) await sessions.create(session);
      await sessions.prune(at("12:00:00"), at("10:00:00"));
      expect(await sessions.find(ended.hash)).toBeNull();
      expect(await sessions.find(idle.hash)).toBeNull();
      expect(await sessions.find(live.hash)).not.toBeNull();
    });

    it("lists those of an account, the one that was used last first", async () => {
      const { store } = opened;
      const [ada, bob] = [await opened.createAccount(), await opened.createAccount()];
      const session = (accountId: string, seen: string) => newSession(accountId, { lastSeenAt: at(seen) });
      const [early, late, other] = [
        session(ada.id, "09:00:00"),
        session(ada.id, "10:00:00"),
        session(bob.id, "11:00:00"),
      ];
      for (const one of [early, late, other]) await store.sessions.create(one);
      expect(await store.sessions.list(ada.id, 10)).toEqual([late, early]);
      expect(await store.sessions.list(ada.id, 1)).toEqual([late]);
      expect(await store.sessions.list("acc_none", 10)).toEqual([]);
    });
  });
}
