/** Lines of a version that did not note which key something was done with. */
import { sql } from "kysely";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../../src/core/clock.js";
import { migrate, migrations } from "../../../../src/store/sql/migrate.js";
import { FullStore } from "../../../../src/store/full-store.js";
import { emptyDatabases, type EmptyDatabase } from "../../../support/stores/empty-databases.js";

describe.each(emptyDatabases)("in %s", (name, open) => {
  let opened: EmptyDatabase | undefined;
  afterEach(() => opened?.close());

  it("they stay and name no key, also those that the version before writes", async () => {
    opened = await open();
    const { db, context, options } = opened;
    const before = migrations.findIndex((migration) => migration.name === "0024-audit-key");
    await migrate(db, context, { ...options, migrations: migrations.slice(0, before) });
    const add = (id: string) =>
      sql`insert into audit (id, at, actor, action, target)
        values (${id}, 1, 'command line', 'saved plan', 'free')`.execute(db);
    await add("1");
    await migrate(db, context, options);
    await add("2");
    const store = new FullStore(db, systemClock, { locksRows: name.includes("Postgres") });
    const line = { actor: "command line", actorKey: null, actorKeyName: null, target: "free" };
    expect(await store.audit.list(null, 10)).toMatchObject([
      { id: "2", ...line },
      { id: "1", ...line },
    ]);
  });
});
