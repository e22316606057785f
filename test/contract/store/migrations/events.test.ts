/** Plans and keys of a version without weights and networks. */
import { sql } from "kysely";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../../src/core/clock.js";
import { migrate, migrations } from "../../../../src/store/sql/migrate.js";
import { FullStore } from "../../../../src/store/full-store.js";
import { emptyDatabases, type EmptyDatabase } from "../../../support/stores/empty-databases.js";
import { testPlan } from "../../../support/stores/temporary-store.js";

describe.each(emptyDatabases)("in %s", (name, open) => {
  let opened: EmptyDatabase | undefined;
  afterEach(() => opened?.close());

  it("plans have weight 1 and keys work from anywhere, also those that the version before writes", async () => {
    opened = await open();
    const { db, context, options } = opened;
    const before = migrations.findIndex((migration) => migration.name === "0020-events");
    await migrate(db, context, { ...options, migrations: migrations.slice(0, before) });
    await sql`insert into accounts (id, email, email_lower, role, plan_id, created_at)
      values ('acc_1', 'a@b.c', 'a@b.c', 'user', ${testPlan.id}, 1)`.execute(db);
    const addKey = (id: string, hash: number) =>
      sql`insert into keys (id, account_id, hash, last_four, name, created_at)
        values (${id}, 'acc_1', ${Buffer.alloc(32, hash)}, 'abcd', 'k', 1)`.execute(db);
    await addKey("key_1", 1);

    await migrate(db, context, options);
    const store = new FullStore(db, systemClock, { locksRows: name.includes("Postgres") });
    await addKey("key_2", 2);
    for (const id of ["key_1", "key_2"]) {
      expect(await store.findKeyRecord(id)).toMatchObject({ key: { allowFrom: null }, plan: { weight: 1 } });
    }
    await store.putPlan({ ...testPlan, weight: 4 });
    // As the version before writes it.
    await sql`update plans set requests_per_minute = 9 where id = ${testPlan.id}`.execute(db);
    expect(await store.findPlan(testPlan.id)).toMatchObject({ weight: 4, requestsPerMinute: 9 });
    expect(await store.webhooks.list()).toEqual([]);
  });
});
