/** Sums over the service, of usage that was kept before they were. */
import { sql } from "kysely";
import { afterEach, describe, expect, it } from "vitest";
import { migrate, migrations } from "../../../src/store/sql/migrate.js";
import { SqlServiceUsage } from "../../../src/store/sql/service/service-usage-rows.js";
import { emptyDatabases, type EmptyDatabase } from "../../support/stores/empty-databases.js";
import { testPlan } from "../../support/stores/temporary-store.js";

describe.each(emptyDatabases)("in %s", (_name, open) => {
  let opened: EmptyDatabase | undefined;
  afterEach(() => opened?.close());

  it("are there after the upgrade", async () => {
    opened = await open();
    const { db, context, options } = opened;
    const before = migrations.findIndex(({ name }) => name === "0009-service-usage");
    await migrate(db, context, { ...options, migrations: migrations.slice(0, before) });
    for (const [account, requests] of [
      ["acc_1", 3],
      ["acc_2", 4],
    ] as const) {
      await sql`insert into accounts (id, email, email_lower, role, plan_id, created_at)
        values (${account}, ${account}, ${account}, 'user', ${testPlan.id}, 0)`.execute(db);
      const steps = Array.from({ length: 11 }, (_, step) => sql.ref(`first_token_${step}`));
      await sql`insert into usage (account_id, key_id, model, hour, requests, errors, prompt_tokens,
        completion_tokens, first_token_ms, first_token_min_ms, ${sql.join(steps)})
        values (${account}, 'key', 'omega', 0, ${requests}, 1, 10, 20, 30, ${requests * 10},
        ${sql.join(steps.map(() => sql.lit(1)))})`.execute(db);
    }
    await migrate(db, context, { ...options, migrations: migrations.slice(0, before + 1) });
    const filter = { from: new Date(0), to: new Date(1) };
    expect(await new SqlServiceUsage(db).readByModel(filter)).toMatchObject([
      {
        model: "omega",
        requests: 7,
        errors: 2,
        promptTokens: 20,
        firstTokenMinMs: 30,
        firstTokenMaxMs: null,
      },
    ]);
  });
});
