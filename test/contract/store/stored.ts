/** The promises of `StoredStore`. */
import { expect, it } from "vitest";
import type { FullStore } from "../../../src/store/full-store.js";
import type { StoredRows } from "../../../src/core/accounts/stored-views.js";
import { emailHash } from "../../../src/core/sign-in/secret-token.js";
import { noUsage } from "../../../src/core/usage/usage-recorder.js";
import {
  at,
  describeWithStore,
  newPasskey,
  newSession,
  someHash,
  type OpenStore,
} from "./dashboard-store.js";

async function readAll(
  store: FullStore,
  accountId: string,
  table: string,
  limit: number,
): Promise<StoredRows["rows"]> {
  const rows: StoredRows["rows"] = [];
  let after: string | null = null;
  do {
    const page: StoredRows | null = await store.stored.read(accountId, table, after, limit);
    if (page === null) throw new Error(`${table} does not know its own page ${after}`);
    expect(page.rows.length).toBeLessThanOrEqual(limit);
    rows.push(...page.rows);
    after = page.next;
  } while (after !== null);
  return rows;
}

export function describeStoredContract(name: string, open: OpenStore): void {
  describeWithStore(`${name} shows what is stored about an account`, open, (opened) => {
    it("has every row about it in pages of any size, the newest first, and none about another", async () => {
      const { store } = opened;
      const [ada, bob] = [await opened.createAccount(), await opened.createAccount()];
      await store.webhooks.create(
        {
          ...{ id: "wh_1", url: "https://a.test/", description: "", events: null, createdAt: at("08:00:00") },
          ...{ off: null, failingSince: null },
        },
        1,
      );
      for (const { id, email } of [ada, bob]) {
        for (let i = 0; i < 5; i++) {
          const times = { createdAt: at(`08:00:0${i}`), expiresAt: at("20:00:00") };
          const key = await opened.createKey(id);
          await store.accounts.setKeyDisabled(key.id, at("08:00:00"));
          const session = newSession(id, { lastSeenAt: at("09:00:00"), ...times });
          await store.factors.addPasskey(newPasskey(id, { createdAt: times.createdAt }));
          await store.signInSteps.create({
            kind: "second_factor",
            hash: someHash(),
            accountId: id,
            expiresAt: times.expiresAt,
          });
          const identity = { issuer: "https://login.example.com", subject: `${id} ${i}` };
          await store.singleSignOn.link(id, "work", identity, times.createdAt);
          await store.sessions.create(session, { ...identity, providerId: "work", sid: null });
          const round = {
            ...({ hash: someHash(), providerId: "work", purpose: "link", accountId: id } as const),
            ...{ next: "/app", inviteHash: null, identity: null, expiresAt: times.expiresAt },
          };
          await store.singleSignOn.begin(round, times.createdAt, 100);
          await store.links.create({
            kind: "reset",
            hash: someHash(),
            accountId: id,
            emailHash: null,
            ...times,
          });
          await store.audit.add({ at: at(`09:00:0${i}`), actor: id, action: "created key", target: key.id });
          await store.audit.add({
            at: at(`09:00:0${i}`),
            actor: "command line",
            action: "x",
            target: key.id,
          });
          await store.audit.add({ at: at(`09:00:0${i}`), actor: id, action: "signed in", target: id });
          await store.audit.add({ at: at(`09:00:0${i}`), actor: "command line", action: "y", target: id });
          for (const model of ["omega", "prism"] as const) {
            const bucket = { accountId: id, keyId: key.id, model, start: at(`1${i}:00:00`) };
            await store.usage.add([{ ...bucket, ...noUsage, requests: 1 }]);
          }
          const day = { accountId: id, keyId: key.id, day: `2030-01-0${i + 1}`, requests: 1, tokens: 1 };
          await store.usage.add([], undefined, [day]);
          await store.quotas.claimWarning(id, `tokens:${i}`, at(`09:00:0${i}`));
          const delivery = {
            id: `msg_${key.id}`,
            webhookId: "wh_1",
            accountId: id,
            type: "key.created",
          } as const;
          const { createdAt, expiresAt: retryUntil } = times;
          await store.webhooks.add([{ ...delivery, body: "{}", createdAt, retryUntil }], 99);
        }
        await store.factors.beginTotp(id, "sealed", at("08:00:00"));
        await store.factors.replaceRecoveryCodes(id, [someHash(), someHash()]);
        await store.scim.nameUser({ id, userName: email, externalId: "1", inactiveSince: null });
        for (const name of ["One", "Two"]) await store.teams.create({ name, planId: "free", ownerId: id });
        const invite = { kind: "invite", accountId: null, emailHash: emailHash(email) } as const;
        const times = { createdAt: at("08:00:09"), expiresAt: at("20:00:00") };
        await store.links.create({ ...invite, hash: someHash(), ...times });
      }
      const counts = {
        ...{ accounts: 1, keys: 5, sessions: 5, links: 6, usage: 10, audit: 20, changes: 5 },
        ...{ totp: 1, passkeys: 5, recovery_codes: 2, sign_in_steps: 5 },
        ...{ oidc_identities: 5, oidc_rounds: 5, oidc_sessions: 5 },
        ...{ account_days: 2, key_days: 10, key_spans: 10, quota_days: 5, quota_warnings: 5 },
        webhook_deliveries: 5,
        memberships: 2,
        scim_users: 1,
      };
      expect([...store.stored.tables].sort()).toEqual(Object.keys(counts).sort());
      for (const [table, count] of Object.entries(counts)) {
        const rows = await readAll(store, ada.id, table, 100);
        expect(rows, table).toHaveLength(count);
        for (const limit of [1, 2, 3, 5]) expect(await readAll(store, ada.id, table, limit)).toEqual(rows);
        expect(JSON.stringify(rows)).not.toContain(bob.id);
        const times = rows.map((row) =>
          String(row.at ?? row.hour ?? row.day ?? row.span ?? row.sent_at ?? row.created_at),
        );
        expect(times).toEqual([...times].sort().reverse());
      }
    });

    it("has nothing of an account that is not there, and no page that it did not name", async () => {
      const { stored } = opened.store;
      const { id } = await opened.createAccount();
      for (const table of stored.tables) {
        expect(await stored.read("acc_none", table, null, 10)).toEqual({ rows: [], next: null });
        expect(await stored.read(id, table, "'", 10)).toBeNull();
      }
      expect(await stored.read(id, "plans", null, 10)).toBeNull();
    });
  });
}
