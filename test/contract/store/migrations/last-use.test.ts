/** Keys and invitations that were kept before tags, days of last use and addresses were. */
import { sql } from "kysely";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../../src/core/clock.js";
import { migrate, migrations } from "../../../../src/store/sql/migrate.js";
import { SqlStore } from "../../../../src/store/sql/sql-store.js";
import { emptyDatabases, type EmptyDatabase } from "../../../support/stores/empty-databases.js";
import { testPlan } from "../../../support/stores/temporary-store.js";
import { someHash } from "../dashboard-store.js";

describe.each(emptyDatabases)("in %s", (_name, open) => {
  let opened: EmptyDatabase | undefined;
  afterEach(() => opened?.close());

  it("of a key's last use the day is left, and an invitation keeps working without its address", async () => {
    opened = await open();
    const { db, context, options } = opened;
    const before = migrations.findIndex(({ name }) => name === "0008-tags-lineage-and-invitations");
    await migrate(db, context, { ...options, migrations: migrations.slice(0, before) });
    const usedAt = Date.parse("2031-02-03T04:05:06.789Z");
    const invite = someHash();
    await sql`insert into accounts (id, email, email_lower, role, plan_id, created_at)
      values ('acc_1', 'a@example.com', 'a@example.com', 'user', ${testPlan.id}, 0)`.execute(db);
    for (const [id, used] of [
      ["key_used", usedAt],
      ["key_new", null],
    ]) {
      await sql`insert into keys (id, account_id, hash, last_four, name, created_at, last_used_at)
        values (${id}, 'acc_1', ${someHash()}, 'abcd', 'k', 0, cast(${used} as bigint))`.execute(db);
    }
    await sql`insert into links (hash, kind, email_hash, created_at, expires_at)
      values (${invite}, 'invite', ${someHash()}, 0, ${usedAt})`.execute(db);

    await migrate(db, context, options);
    const store = new SqlStore(db, systemClock);
    expect(await store.findKey("key_used")).toMatchObject({
      ...{ lastUsedAt: new Date("2031-02-03T00:00:00Z"), lastUsedModel: null, tags: [], replaces: null },
    });
    expect((await store.findKey("key_new"))?.lastUsedAt).toBeNull();
    expect(await store.links.listInvites(new Date(1), 10)).toMatchObject([{ email: null, planId: null }]);
    const account = { email: "b@example.com", passwordHash: "hash", planId: testPlan.id };
    expect(await store.links.createAccount("invite", invite, new Date(1), account)).toMatchObject({
      ...{ email: "b@example.com", planId: testPlan.id },
    });
  });
});
