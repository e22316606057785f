/** The promises of `FactorStore` and `StepStore`. */
import { expect, it } from "vitest";
import {
  at,
  describeWithStore,
  newPasskey,
  newSession,
  someHash,
  type OpenStore,
} from "./dashboard-store.js";

const now = at("08:00:00");

export function describeFactorContract(name: string, open: OpenStore): void {
  describeWithStore(`${name} keeps second factors`, open, (opened) => {
    it("has an authenticator app once its first code was typed, and then none beside it", async () => {
      const { factors } = opened.store;
      const { id } = await opened.createAccount();
      expect(await factors.findTotp(id)).toBeNull();
      expect(await factors.beginTotp(id, "first", now)).toBe(true);
      expect(await factors.beginTotp(id, "second", now)).toBe(true);
      expect(await factors.findTotp(id)).toEqual({ sealedSecret: "second", confirmedAt: null });
      expect((await factors.summary(id)).totpSince).toBeNull();
      expect(await factors.confirmTotp(id, 7, at("08:01:00"))).toBe(true);
      expect(await factors.confirmTotp(id, 8, at("08:02:00"))).toBe(false);
      expect((await factors.summary(id)).totpSince).toEqual(at("08:01:00"));
      expect(await factors.beginTotp(id, "third", now)).toBe(false);
      expect((await factors.findTotp(id))?.sealedSecret).toBe("second");
      expect(await factors.removeTotp(id)).toBe(true);
      expect(await factors.removeTotp(id)).toBe(false);
    });

    it("lets a step of time be used once, and none before it", async () => {
      const { factors } = opened.store;
      const { id } = await opened.createAccount();
      await factors.beginTotp(id, "sealed", now);
      await factors.confirmTotp(id, 7, now);
      expect(await factors.useTotpStep(id, 7)).toBe(false);
      const tries = await Promise.all([8, 8, 8].map((step) => factors.useTotpStep(id, step)));
      expect(tries.filter(Boolean)).toHaveLength(1);
      expect(await factors.useTotpStep(id, 6)).toBe(false);
      expect(await factors.useTotpStep(id, 9)).toBe(true);
    });

    it("keeps passkeys, which only their owner can name and remove", async () => {
      const { factors } = opened.store;
      const [ada, bob] = [await opened.createAccount(), await opened.createAccount()];
      const first = newPasskey(ada.id, { counter: 3 });
      const second = newPasskey(ada.id, { createdAt: at("09:00:00"), transports: [] });
      for (const passkey of [second, first]) await factors.addPasskey(passkey);
      expect((await factors.summary(ada.id)).passkeys).toEqual([first, second]);
      expect((await factors.summary(bob.id)).passkeys).toEqual([]);
      expect(await factors.findPasskey(first.id)).toEqual(first);
      expect(await factors.renamePasskey(bob.id, first.id, "Mine")).toBe(false);
      expect(await factors.removePasskey(bob.id, first.id)).toBe(false);
      expect(await factors.renamePasskey(ada.id, first.id, "Phone")).toBe(true);
      await factors.notePasskeyUse(first.id, { counter: 4, isSynced: true, at: at("10:00:00") });
      expect(await factors.findPasskey(first.id)).toEqual({
        ...first,
        ...{ name: "Phone", counter: 4, isSynced: true, lastUsedAt: at("10:00:00") },
      });
      expect(await factors.removePasskey(ada.id, first.id)).toBe(true);
      expect(await factors.findPasskey(first.id)).toBeNull();
    });

    it("lets a recovery code be used once, by its own account", async () => {
      const { factors } = opened.store;
      const [ada, bob] = [await opened.createAccount(), await opened.createAccount()];
      const [old, one, two] = [someHash(), someHash(), someHash()];
      await factors.replaceRecoveryCodes(ada.id, [old]);
      await factors.replaceRecoveryCodes(ada.id, [one, two]);
      expect(await factors.useRecoveryCode(ada.id, old)).toBe(false);
      expect(await factors.useRecoveryCode(bob.id, one)).toBe(false);
      const tries = await Promise.all([one, one].map((hash) => factors.useRecoveryCode(ada.id, hash)));
      expect(tries.sort()).toEqual([false, true]);
      expect((await factors.summary(ada.id)).recoveryCodes).toBe(1);
    });

    it("removes all of an account's, with its sessions, and nothing of another's", async () => {
      const { factors, sessions, signInSteps } = opened.store;
      const [ada, bob] = [await opened.createAccount(), await opened.createAccount()];
      const step = {
        kind: "second_factor",
        hash: someHash(),
        accountId: ada.id,
        expiresAt: at("09:00:00"),
      } as const;
      const session = newSession(ada.id);
      for (const { id } of [ada, bob]) {
        await factors.beginTotp(id, "sealed", now);
        await factors.addPasskey(newPasskey(id));
        await factors.replaceRecoveryCodes(id, [someHash()]);
      }
      await signInSteps.create(step);
      await sessions.create(session);
      await factors.reset(ada.id);
      expect(await factors.summary(ada.id)).toEqual({ totpSince: null, passkeys: [], recoveryCodes: 0 });
      expect(await factors.findTotp(ada.id)).toBeNull();
      expect(await sessions.find(session.hash)).toBeNull();
      expect(await signInSteps.find("second_factor", step.hash, now)).toBeNull();
      expect(await factors.summary(bob.id)).toMatchObject({ passkeys: [{}], recoveryCodes: 1 });
    });

    it("gives a step of a sign-in to one caller, for its purpose and in time", async () => {
      const { signInSteps } = opened.store;
      const { id } = await opened.createAccount();
      const step = {
        kind: "passkey_add",
        hash: someHash(),
        accountId: id,
        expiresAt: at("08:05:00"),
      } as const;
      await signInSteps.create(step);
      expect(await signInSteps.find("passkey_add", step.hash, now)).toEqual(step);
      expect(await signInSteps.take("passkey_confirm", step.hash, now)).toBeNull();
      expect(await signInSteps.take("passkey_add", step.hash, at("08:05:00"))).toBeNull();
      const taken = await Promise.all([1, 2].map(() => signInSteps.take("passkey_add", step.hash, now)));
      expect(taken.filter((one) => one !== null)).toEqual([step]);
      const open = { ...step, hash: someHash(), accountId: null };
      await signInSteps.create(open);
      await signInSteps.prune(at("08:04:00"));
      expect(await signInSteps.find("passkey_add", open.hash, now)).toEqual(open);
      await signInSteps.prune(at("08:05:00"));
      expect(await signInSteps.find("passkey_add", open.hash, now)).toBeNull();
    });
  });
}
