/** Sessions of a version without second factors, and of a replica that still runs it. */
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

  it("sessions go on as begun with a password and confirmed when they began", async () => {
    opened = await open();
    const { db, context, options } = opened;
    const before = migrations.findIndex((migration) => migration.name === "0018-factors");
    await migrate(db, context, { ...options, migrations: migrations.slice(0, before) });
    await sql`insert into accounts (id, email, email_lower, role, plan_id, created_at)
      values ('acc_1', 'a@example.com', 'a@example.com', 'user', ${testPlan.id}, 0)`.execute(db);
    const oldWay = (hash: Uint8Array) =>
      sql`insert into sessions (hash, account_id, created_at, last_seen_at, expires_at)
        values (${hash}, 'acc_1', 5, 7, 9)`.execute(db);
    const [earlier, beside] = [someHash(), someHash()];
    await oldWay(earlier);
    await migrate(db, context, { ...options, migrations: migrations.slice(0, before + 1) });
    await oldWay(beside);
    await migrate(db, context, options);
    const store = new FullStore(db, systemClock, { locksRows: name.includes("Postgres") });
    for (const hash of [earlier, beside])
      expect(await store.sessions.find(hash)).toMatchObject({
        session: { method: "password", device: null, createdAt: new Date(5), confirmedAt: new Date(5) },
        hasFactor: false,
      });
  });
});
