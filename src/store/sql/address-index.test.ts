/** The index of the parts of addresses, of accounts that come and go. */
import { type Kysely, sql } from "kysely";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../core/clock.js";
import { AccountSearch } from "./account-search.js";
import { migrate } from "./migrate.js";
import type { Schema } from "./schema.js";
import { FullStore } from "../full-store.js";
import {
  type EmptyDatabase,
  emptyDatabases,
  openSqlite,
} from "../../../test/support/stores/empty-databases.js";
import { testPlan } from "../../../test/support/stores/temporary-store.js";

/** One at a time, so that all but the newest account are found by the index. */
const sizes = { slice: 1, page: 1 };

const addresses = [
  "newest@example.net",
  "ada@example.com",
  "o'neil+x@sub-domain.example.org",
  "a_b%c@example.com",
  'quote"d@example.com',
  "σίσυφος@παράδειγμα.gr",
  "straße@example.de",
  "x😀y@example.com",
  "abcabd@zqj.example.com",
];

describe.each(emptyDatabases)("in %s", (name, open) => {
  let opened: EmptyDatabase | undefined;
  afterEach(() => opened?.close());

  const found = async (db: Kysely<Schema>, text: string): Promise<string[]> => {
    const page = await new AccountSearch(db, name === "SQLite", sizes).page(text, null, 50);
    expect(page?.next).toBeNull();
    return page?.ids ?? [];
  };

  it("finds every part of every address as a comparison with all of them does", async () => {
    opened = await open();
    const { db, context, options } = opened;
    await fill(db, () => migrate(db, context, options));
    const texts = new Set([
      "abd",
      "cab",
      "bca",
      "nobody",
      "@@@",
      "x😀y",
      '"d@',
      "%c@",
      "_b%",
      "EXAMPLE",
      "***",
    ]);
    for (const address of addresses) {
      const characters = Array.from(address);
      for (let start = 0; start + 3 <= characters.length; start += 2)
        for (const end of [start + 3, start + 7]) texts.add(characters.slice(start, end).join(""));
    }
    for (const text of texts) {
      const wanted = text.toLowerCase();
      const has = addresses.flatMap((address, i) =>
        address.toLowerCase().includes(wanted) ? [`acc_${i}`] : [],
      );
      expect((await found(db, text)).sort(), text).toEqual(has.sort());
    }
  });

  it("follows a changed address, and has nothing of a deleted account", async () => {
    opened = await open();
    const { db, context, options } = opened;
    await fill(db, () => migrate(db, context, options));
    await sql`update accounts set email_lower = 'ada@elsewhere.test' where id = 'acc_1'`.execute(db);
    expect(await found(db, "lsewhere")).toEqual(["acc_1"]);
    expect(await found(db, "da@exam")).toEqual([]);
    const store = new FullStore(db, systemClock, { locksRows: name === "Postgres" });
    await store.deleteAccount("acc_1");
    await store.accounts.remove("acc_8");
    expect(await found(db, "lsewhere")).toEqual([]);
    expect(await found(db, "abd")).toEqual([]);
  });
});

/** Postgres has an index of the table itself, whereas SQLite has tables. */
it("keeps no piece of a deleted address in the tables of SQLite's index", async () => {
  const { db, context, options, close } = await openSqlite();
  try {
    await fill(db, () => migrate(db, context, options));
    // Whole where no other piece begins alike.
    const holds = async (piece: string) => {
      const { rows } = await sql<{
        hex: string;
      }>`select hex(block) as hex from account_addresses_data`.execute(db);
      return rows.some(({ hex }) => hex.includes(Buffer.from(piece).toString("hex").toUpperCase()));
    };
    expect(await holds("zqj")).toBe(true);
    await new FullStore(db, systemClock).deleteAccount("acc_8");
    expect(await holds("zqj")).toBe(false);
    const { rows } = await sql<{ id: string }>`select account_id as id from account_numbers`.execute(db);
    expect(rows.map(({ id }) => id).sort()).toEqual(addresses.slice(0, -1).map((_, i) => `acc_${i}`));
  } finally {
    await close();
  }
});

/** The first is the newest. */
async function fill(db: Kysely<Schema>, migrated: () => Promise<void>): Promise<void> {
  await migrated();
  for (const [i, email] of addresses.entries()) {
    await sql`insert into accounts (id, email, email_lower, role, plan_id, created_at) values
      (${`acc_${i}`}, ${email}, ${email.toLowerCase()}, 'user', ${testPlan.id}, ${1_000 - i})`.execute(db);
  }
}
