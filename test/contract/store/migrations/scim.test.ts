/** Teams of a version without SCIM, networks and required factors. */
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

  it("teams ask nothing of their members, who stay, also those that the version before writes", async () => {
    opened = await open();
    const { db, context, options } = opened;
    const before = migrations.findIndex((migration) => migration.name === "0023-scim");
    await migrate(db, context, { ...options, migrations: migrations.slice(0, before) });
    const add = async (number: number) => {
      const [account, team] = [`acc_${number}`, `team_${number}`];
      await sql`insert into accounts (id, email, email_lower, role, plan_id, created_at)
        values (${account}, ${account}, ${account}, 'user', ${testPlan.id}, 1)`.execute(db);
      await sql`insert into accounts (id, kind, email, email_lower, role, plan_id, created_at)
        values (${team}, 'team', 'Team', ${team}, 'user', ${testPlan.id}, 1)`.execute(db);
      await sql`insert into teams (id) values (${team})`.execute(db);
      await sql`insert into memberships (team_id, account_id, role, created_at)
        values (${team}, ${account}, 'owner', 1)`.execute(db);
    };
    await add(1);
    await migrate(db, context, options);
    await add(2);
    const store = new FullStore(db, systemClock, { locksRows: name.includes("Postgres") });
    for (const number of [1, 2]) {
      expect(await store.teams.find(`team_${number}`)).toMatchObject({ allowFrom: null, secondFactor: null });
      expect(await store.teams.membershipsOf(`acc_${number}`)).toMatchObject([
        { role: "owner", providerId: null },
      ]);
      expect(await store.scim.findUser(`acc_${number}`)).toBeNull();
    }
  });
});
