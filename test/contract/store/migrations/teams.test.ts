/** Accounts, keys and links of a version without teams, and that version beside the new one. */
import { sql } from "kysely";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../../src/core/clock.js";
import { migrate, migrations } from "../../../../src/store/sql/migrate.js";
import { FullStore } from "../../../../src/store/full-store.js";
import { emptyDatabases, type EmptyDatabase } from "../../../support/stores/empty-databases.js";
import { testPlan } from "../../../support/stores/temporary-store.js";
import { someHash } from "../dashboard-store.js";

describe.each(emptyDatabases)("in %s", (name, open) => {
  let opened: EmptyDatabase | undefined;
  afterEach(() => opened?.close());

  it("accounts stay people, their keys work, and what the old version writes afterwards is theirs too", async () => {
    opened = await open();
    const { db, context, options } = opened;
    const before = migrations.findIndex((migration) => migration.name === "0021-teams");
    await migrate(db, context, { ...options, migrations: migrations.slice(0, before) });
    const account = (id: string) =>
      sql`insert into accounts (id, email, email_lower, role, plan_id, created_at)
        values (${id}, ${id}, ${id}, 'user', ${testPlan.id}, 0)`.execute(db);
    const key = (id: string, hash: Uint8Array) =>
      sql`insert into keys (id, account_id, hash, last_four, name, created_at)
        values (${id}, 'acc_1', ${hash}, 'abcd', 'k', 0)`.execute(db);
    const [first, second] = [someHash(), someHash()];
    await account("acc_1");
    await key("key_1", first);

    await migrate(db, context, options);
    await account("acc_2");
    await key("key_2", second);
    const store = new FullStore(db, systemClock, { locksRows: name.includes("Postgres") });
    expect(await store.accounts.countAccounts()).toBe(2);
    for (const hash of [first, second]) {
      const record = await store.findKeyByHash(hash);
      expect(record).toMatchObject({ account: { id: "acc_1", kind: "person" }, key: { memberId: null } });
      expect(record?.member).toBeUndefined();
    }
    // A key that the old version creates in a team's account is a service key.
    const team = await store.teams.create({ name: "Research", planId: testPlan.id, ownerId: "acc_1" });
    await sql`insert into keys (id, account_id, hash, last_four, name, created_at)
      values ('key_3', ${team.id}, ${someHash()}, 'abcd', 'k', 0)`.execute(db);
    expect((await store.listKeys(team.id)).map(({ memberId }) => memberId)).toEqual([null]);
  });
});
