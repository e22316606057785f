/** Plans of a version without encrypted requests, and a database without a log of statements. */
import { sql } from "kysely";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../../src/core/clock.js";
import { migrate, migrations } from "../../../../src/store/sql/migrate.js";
import { SqlStore } from "../../../../src/store/sql/sql-store.js";
import { emptyDatabases, type EmptyDatabase } from "../../../support/stores/empty-databases.js";
import { testPlan } from "../../../support/stores/temporary-store.js";

describe.each(emptyDatabases)("in %s", (name, open) => {
  let opened: EmptyDatabase | undefined;
  afterEach(() => opened?.close());

  it("plans stay as they are and accept plain requests, and the log begins empty", async () => {
    opened = await open();
    const { db, context, options } = opened;
    const before = migrations.findIndex((migration) => migration.name === "0016-proof");
    await migrate(db, context, { ...options, migrations: migrations.slice(0, before) });
    await sql`update plans set requests_per_minute = 7 where id = ${testPlan.id}`.execute(db);

    await migrate(db, context, options);
    const store = new SqlStore(db, systemClock, { locksRows: name.includes("Postgres") });
    expect(await store.findPlan(testPlan.id)).toMatchObject({
      requestsPerMinute: 7,
      requiresEncryption: false,
    });
    await store.putPlan({ ...testPlan, requiresEncryption: true });
    expect(await store.findPlan(testPlan.id)).toMatchObject({ requiresEncryption: true });
    expect(await db.selectFrom("statement_log").selectAll().execute()).toEqual([]);
  });
});
