/** Usage that was kept before refusals and the shortest and longest times were. */
import { sql } from "kysely";
import { afterEach, describe, expect, it } from "vitest";
import { migrate, migrations } from "../../../../src/store/sql/migrate.js";
import { systemClock } from "../../../../src/core/clock.js";
import { SqlUsage } from "../../../../src/store/sql/usage/usage-rows.js";
import { emptyDatabases, type EmptyDatabase } from "../../../support/stores/empty-databases.js";
import { testPlan } from "../../../support/stores/temporary-store.js";

describe.each(emptyDatabases)("in %s", (_name, open) => {
  let opened: EmptyDatabase | undefined;
  afterEach(() => opened?.close());

  it("rows from before get the closest bounds that they allow", async () => {
    opened = await open();
    const { db, context, options } = opened;
    const before = migrations.findIndex(({ name }) => name === "0006-usage-figures");
    await migrate(db, context, { ...options, migrations: migrations.slice(0, before) });
    await sql`insert into accounts (id, email, email_lower, role, plan_id, created_at)
      values ('acc_1', 'a@example.com', 'a@example.com', 'user', ${testPlan.id}, 0)`.execute(db);
    const steps = Array.from({ length: 11 }, (_, step) => `first_token_${step}`);
    const insert = async (key: string, sumMs: number, replies: Record<number, number>) => {
      const columns = sql.join(steps.map((column) => sql.ref(column)));
      const counts = sql.join(steps.map((_, step) => sql.lit(replies[step] ?? 0)));
      await sql`insert into usage (account_id, key_id, model, hour, requests, errors, prompt_tokens,
        completion_tokens, first_token_ms, ${columns})
        values ('acc_1', ${key}, 'omega', 0, 9, 0, 0, 0, ${sql.lit(sumMs)}, ${counts})`.execute(db);
    };
    await insert("key_many", 9_000, { 1: 3, 6: 2 });
    await insert("key_none", 0, {});
    await insert("key_one", 3_630, { 7: 1 });
    await insert("key_past", 90_000, { 9: 1, 10: 2 });
    await insert("key_two", 120, { 0: 1, 1: 1 });

    await migrate(db, context, { ...options, migrations: migrations.slice(0, before + 1) });
    const filter = { accountId: "acc_1", from: new Date(0), to: new Date(1) };
    const rows = (await new SqlUsage(db, systemClock).read(filter, 3_600_000)).sort((a, b) =>
      a.keyId < b.keyId ? -1 : 1,
    );
    expect(rows.map((row) => [row.keyId, row.firstTokenMinMs, row.firstTokenMaxMs])).toEqual([
      ["key_many", 50, 3_200],
      ["key_none", null, null],
      ["key_one", 3_630, 3_630],
      ["key_past", 12_800, 90_000],
      ["key_two", 0, 100],
    ]);
    expect(rows.every((row) => row.rateLimited === 0 && row.unavailable === 0)).toBe(true);
  });
});
