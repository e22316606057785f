/** Sums over the service and by the day, of usage that was kept before they were. */
import { sql } from "kysely";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../../src/core/clock.js";
import { migrate, migrations } from "../../../../src/store/sql/migrate.js";
import { SqlServiceUsage } from "../../../../src/store/sql/service/service-usage-rows.js";
import { SqlUsage } from "../../../../src/store/sql/usage/usage-rows.js";
import { emptyDatabases, type EmptyDatabase } from "../../../support/stores/empty-databases.js";
import { testPlan } from "../../../support/stores/temporary-store.js";

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
    expect(await new SqlServiceUsage(db, systemClock).readByModel(filter)).toMatchObject([
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

  it("are there by the day", async () => {
    opened = await open();
    const { db, context, options } = opened;
    const before = migrations.findIndex(({ name }) => name === "0010-usage-by-day");
    await migrate(db, context, { ...options, migrations: migrations.slice(0, before) });
    await sql`insert into accounts (id, email, email_lower, role, plan_id, created_at)
      values ('acc_1', 'a', 'a', 'user', ${testPlan.id}, 0)`.execute(db);
    const steps = Array.from({ length: 11 }, (_, step) => sql.ref(`first_token_${step}`));
    for (const [key, model, hour, requests] of [
      ["key_1", "omega", 0, 1],
      ["key_1", "omega", 23, 2],
      ["key_2", "prism", 5, 4],
      ["key_1", "omega", 24, 8],
    ] as const) {
      await sql`insert into usage (account_id, key_id, model, hour, requests, errors, rate_limited, unavailable,
        prompt_tokens, completion_tokens, first_token_ms, first_token_min_ms, first_token_max_ms, ${sql.join(steps)})
        values ('acc_1', ${key}, ${model}, ${hour * 3_600_000}, ${requests}, 1, 2, 3, 10, 20, 30, ${requests},
        ${requests}, ${sql.join(steps.map(() => sql.lit(1)))})`.execute(db);
    }
    await migrate(db, context, options);
    const usage = new SqlUsage(db, systemClock);
    const days = { accountId: "acc_1", from: new Date(0), to: new Date(2 * 86_400_000) };
    expect(await usage.readByTime(days, 86_400_000)).toMatchObject([
      { start: new Date(0), requests: 7, errors: 3, rateLimited: 6, firstTokenMinMs: 1, firstTokenMaxMs: 4 },
      { start: new Date(86_400_000), requests: 8, promptTokens: 10 },
    ]);
    expect(await usage.readByKey(days)).toEqual([
      { keyId: "key_1", requests: 11, refused: 15, tokens: 90 },
      { keyId: "key_2", requests: 4, refused: 5, tokens: 30 },
    ]);
    const spans = { ...days, to: new Date(64 * 86_400_000) };
    expect(await usage.readByKey(spans)).toEqual(await usage.readByKey(days));
    const { from, to } = days;
    expect(
      (await new SqlServiceUsage(db, systemClock).top({ from, to }, "requests", 5)).accounts,
    ).toMatchObject([{ accountId: "acc_1", requests: 15, errors: 4, refused: 20, tokens: 120 }]);
  });
});
