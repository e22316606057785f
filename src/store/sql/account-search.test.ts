import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql, type Kysely } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { defaultPlan } from "../../core/accounts/accounts.js";
import { migrate } from "./migrate.js";
import type { Schema } from "./schema.js";
import { connectSqlite, openDatabase } from "./sqlite.js";
import { AccountSearch } from "./account-search.js";

describe("a search through many accounts", () => {
  let folder: string;
  let db: Kysely<Schema>;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "sotto-search-"));
    db = connectSqlite(await openDatabase(join(folder, "sotto.db")));
    const limits = { requestsPerMinute: 1, tokensPerMinute: 1, concurrentRequests: 1 };
    await migrate(db, { bytesType: "blob", defaultPlan: defaultPlan(limits) });
    // Of twenty the fourth, the eighth and so on have it inside; several were created at the same time.
    for (let i = 1; i <= 20; i++) {
      const email = i % 4 === 0 ? `x-rare${i}@example.com` : `user${i}@example.com`;
      await sql`insert into accounts (id, email, email_lower, role, plan_id, created_at)
        values (${`acc_${String(i).padStart(2, "0")}`}, ${email}, ${email}, 'user', 'free', ${Math.floor(i / 3)})`.execute(
        db,
      );
    }
  });
  afterEach(async () => {
    await db.destroy();
    await rm(folder, { recursive: true, force: true });
  });

  async function pages(search: AccountSearch, limit: number, text = "rare"): Promise<string[][]> {
    const found: string[][] = [];
    let after: string | null = null;
    do {
      const page: { ids: string[]; next: string | null } | null = await search.page(text, after, limit);
      if (page === null) throw new Error("the search does not know its own page");
      found.push(page.ids);
      after = page.next;
    } while (after !== null);
    return found;
  }

  const all = ["acc_20", "acc_16", "acc_12", "acc_08", "acc_04"];

  it.each([1, 2, 3, 7, 100])("reads them in slices of %i, and misses and repeats none", async (slice) => {
    const search = new AccountSearch(db, true, { slice, page: 1_000 });
    // In the index are pieces of three characters.
    for (const text of ["-r", "rar", "rare"])
      for (const limit of [1, 2, 10]) expect((await pages(search, limit, text)).flat()).toEqual(all);
  });

  it("ends a page of a short text after so many, however few were found, and goes on there", async () => {
    const search = new AccountSearch(db, true, { slice: 3, page: 6 });
    const found = await pages(search, 10, "-r");
    expect(found.flat()).toEqual(all);
    expect(found.length).toBeGreaterThanOrEqual(3);
  });

  it("looks a longer text up, and needs no further page", async () => {
    const search = new AccountSearch(db, true, { slice: 3, page: 6 });
    expect(await pages(search, 10)).toEqual([all]);
  });
});
