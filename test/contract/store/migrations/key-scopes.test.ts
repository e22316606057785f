/** Keys of a version without scopes. */
import { sql } from "kysely";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../../src/core/clock.js";
import { noKeyLimits } from "../../../../src/core/entities.js";
import { migrate, migrations } from "../../../../src/store/sql/migrate.js";
import { FullStore } from "../../../../src/store/full-store.js";
import { emptyDatabases, type EmptyDatabase } from "../../../support/stores/empty-databases.js";
import { testPlan } from "../../../support/stores/temporary-store.js";

describe.each(emptyDatabases)("in %s", (name, open) => {
  let opened: EmptyDatabase | undefined;
  afterEach(() => opened?.close());

  it("keys have no scopes, also those that the version before writes", async () => {
    opened = await open();
    const { db, context, options } = opened;
    const before = migrations.findIndex((migration) => migration.name === "0022-key-scopes");
    await migrate(db, context, { ...options, migrations: migrations.slice(0, before) });
    await sql`insert into accounts (id, email, email_lower, role, plan_id, created_at)
      values ('acc_1', 'a@b.c', 'a@b.c', 'admin', ${testPlan.id}, 1)`.execute(db);
    const addKey = (id: string, hash: number) =>
      sql`insert into keys (id, account_id, hash, last_four, name, created_at)
        values (${id}, 'acc_1', ${Buffer.alloc(32, hash)}, 'abcd', 'k', 1)`.execute(db);
    await addKey("key_1", 1);

    await migrate(db, context, options);
    await addKey("key_2", 2);
    const store = new FullStore(db, systemClock, { locksRows: name.includes("Postgres") });
    for (const id of ["key_1", "key_2"]) expect(await store.findKey(id)).toMatchObject({ scopes: [] });

    const key = await store.createKey({
      ...{ accountId: "acc_1", name: "terraform", hash: Buffer.alloc(32, 3), lastFour: "abcd" },
      ...{ models: null, operations: null, limits: noKeyLimits, expiresAt: null },
      scopes: ["admin:write", "scim"],
    });
    expect(await store.findKeyRecord(key.id)).toMatchObject({ key: { scopes: ["admin:write", "scim"] } });
    const rotated = { ...key, hash: Buffer.alloc(32, 4) };
    expect(await store.rotateKey(key.id, new Date(5), rotated)).toMatchObject({
      key: { scopes: ["admin:write", "scim"] },
    });
  });
});
