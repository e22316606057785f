/** Accounts and one-time links of a version that did not verify addresses. */
import { sql } from "kysely";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../../src/core/clock.js";
import { migrate, migrations } from "../../../../src/store/sql/migrate.js";
import { SqlStore } from "../../../../src/store/sql/sql-store.js";
import { emptyDatabases, type EmptyDatabase } from "../../../support/stores/empty-databases.js";
import { testPlan } from "../../../support/stores/temporary-store.js";
import { someHash } from "../dashboard-store.js";

describe.each(emptyDatabases)("in %s", (name, open) => {
  let opened: EmptyDatabase | undefined;
  afterEach(() => opened?.close());

  it("accounts stay usable and unverified, links keep working, and new kinds of them are accepted", async () => {
    opened = await open();
    const { db, context, options } = opened;
    const before = migrations.findIndex((migration) => migration.name === "0015-verified-addresses");
    await migrate(db, context, { ...options, migrations: migrations.slice(0, before) });
    const [reset, invite] = [someHash(), someHash()];
    await sql`insert into accounts (id, email, email_lower, role, plan_id, created_at)
      values ('acc_1', 'a@example.com', 'a@example.com', 'user', ${testPlan.id}, 0)`.execute(db);
    await sql`insert into links (hash, kind, account_id, created_at, expires_at)
      values (${reset}, 'reset', 'acc_1', 0, 9)`.execute(db);
    await sql`insert into links (hash, kind, email, plan_id, created_at, expires_at)
      values (${invite}, 'invite', 'b@example.com', ${testPlan.id}, 0, 9)`.execute(db);

    await migrate(db, context, options);
    const store = new SqlStore(db, systemClock, { locksRows: name.includes("Postgres") });
    expect(await store.accounts.findAccount("acc_1")).toMatchObject({ emailVerifiedAt: null });
    const now = new Date(1);
    expect(await store.links.listInvites(now, 9)).toMatchObject([
      { email: "b@example.com", planId: testPlan.id },
    ]);
    const verify = { hash: someHash(), kind: "verify", accountId: "acc_1", emailHash: null } as const;
    await store.links.replaceOwn({ ...verify, createdAt: now, expiresAt: new Date(9) });
    expect(await store.links.verifyEmail(verify.hash, now)).toMatchObject({ emailVerifiedAt: now });
    expect(await store.links.resetPassword(reset, now, "hash")).toMatchObject({ id: "acc_1" });
    // Links still go with their account.
    await store.links.replaceOwn({ ...verify, createdAt: now, expiresAt: new Date(9) });
    await store.deleteAccount("acc_1");
    expect(await store.links.find("verify", verify.hash, now)).toBeNull();
  });
});
