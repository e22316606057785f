/**
 * Searches accounts in stages. First come those whose id or address begins with the text, found by an index. Then come
 * those whose address contains it, the newest first. These are found by an index of the trigrams of all addresses
 * (0017-first-release.ts); since that is not ordered by age, and a common text has many matches, the newest slice of
 * accounts is searched first, without it.
 *
 * A text of one or two characters is in no index. For it accounts are read in slices, and after a number of slices the
 * page ends, however few were found; the next page continues there. So the time of a page is bounded whatever the
 * number of accounts.
 *
 * A cursor is the stage of the last account of a page, and its position there.
 */
import { setImmediate } from "node:timers/promises";
import { sql, type RawBuilder } from "kysely";
import type { Db } from "./schema.js";
import { escapeLike } from "./statements.js";

/** How many accounts are read in one statement, which takes some milliseconds, and for one page. */
const usualSizes = { slice: 10_000, page: 150_000 };

/** Of trigrams. */
const gramLength = 3;

/** Sorts after every character of an address or id. */
const lastCharacter = "\u{10ffff}";

interface Found {
  id: string;
  cursor: string;
}

interface CreatedRow {
  id: string;
  created_at: number;
}

interface FoundPage {
  ids: string[];
  /** Null on the last page. */
  next: string | null;
}

export class AccountSearch {
  /** `comparesBytes`: as SQLite does; Postgres compares text by collation. */
  constructor(
    private readonly db: Db,
    private readonly comparesBytes: boolean,
    private readonly sizes = usualSizes,
  ) {}

  /** Null when `after` is no cursor of this search. */
  async page(search: string, after: string | null, limit: number): Promise<FoundPage | null> {
    const place = placeOf(after);
    if (place === null) return null;
    const isNewest = search === "";
    if (place.stage !== "first" && isNewest !== (place.stage === "newest")) return null;
    return isNewest ? this.#newest(place, limit) : this.#matches(search, place, limit);
  }

  async #newest(place: Place, limit: number): Promise<FoundPage> {
    const { rows } = await sql<CreatedRow>`select id, created_at from accounts
      ${behind(place)} ${newestFirst} limit ${limit + 1}`.execute(this.db);
    const found = rows.map((row) => ({ id: row.id, cursor: `newest ${row.created_at} ${row.id}` }));
    return pageOf(found, limit, null);
  }

  async #matches(search: string, place: Place, limit: number): Promise<FoundPage> {
    const found: Found[] = [];
    const missing = () => limit + 1 - found.length;
    const isId = search.startsWith("acc_");
    if (isId && (place.stage === "first" || place.stage === "id")) {
      found.push(...(await this.#byId(search, place, missing())));
    }
    const reached = place.stage === "inside";
    if (missing() > 0 && !reached) found.push(...(await this.#byAddress(search, place, missing())));
    if (missing() <= 0) return pageOf(found, limit, null);
    const inside = await this.#inside(search, place, missing());
    return pageOf([...found, ...inside.found], limit, inside.next);
  }

  async #byId(search: string, place: Place, limit: number): Promise<Found[]> {
    const from = place.stage === "id" ? sql`and id > ${place.id}` : sql``;
    const { rows } = await sql<{ id: string }>`select id from accounts
      where ${this.#begins("id", search)} ${from} order by id limit ${limit}`.execute(this.db);
    return rows.map(({ id }) => ({ id, cursor: `id ${id}` }));
  }

  async #byAddress(search: string, place: Place, limit: number): Promise<Found[]> {
    const from = place.stage === "address" ? sql`and email_lower > ${place.email}` : sql``;
    const { rows } = await sql<{ id: string; email_lower: string }>`select id, email_lower from accounts
      where ${this.#begins("email_lower", search.toLowerCase())} ${this.#unlessById(search)} ${from}
      order by email_lower limit ${limit}`.execute(this.db);
    return rows.map((row) => ({ id: row.id, cursor: `address ${row.email_lower}` }));
  }

  async #inside(
    search: string,
    place: Place,
    limit: number,
  ): Promise<{ found: Found[]; next: string | null }> {
    const text = search.toLowerCase();
    const found: Found[] = [];
    let slice = place.stage === "inside" ? behind(place) : sql``;
    const { slice: sliceRows, page: maxRead } = this.sizes;
    for (let read = sliceRows; ; read += sliceRows) {
      const { rows } = await sql<CreatedRow>`select id, created_at from
        (select id, created_at, email_lower from accounts ${slice} ${newestFirst} limit ${sliceRows}) as slice
        where ${this.#hasInside(search)} ${newestFirst} limit ${limit - found.length}`.execute(this.db);
      found.push(...rows.map(foundInside));
      if (found.length >= limit) return { found: found.slice(0, limit), next: null };
      const { rows: ends } = await sql<CreatedRow>`select created_at, id from accounts
        ${slice} ${newestFirst} limit ${1} offset ${sliceRows - 1}`.execute(this.db);
      const [end] = ends;
      if (end === undefined) return { found, next: null };
      slice = behind({ stage: "inside", createdAt: end.created_at, id: end.id });
      if (trigramsOf(text).length > 0) {
        found.push(...(await this.#indexed(search, slice, limit - found.length)));
        return { found, next: null };
      }
      if (read >= maxRead) return { found, next: foundInside(end).cursor };
      await setImmediate();
    }
  }

  /** `rest`: the condition for accounts that have not been read. */
  async #indexed(search: string, rest: RawBuilder<unknown>, limit: number): Promise<Found[]> {
    const text = search.toLowerCase();
    // In a form that forces the planner to start with the index.
    const found = this.comparesBytes
      ? sql`account_addresses cross join account_numbers on number = account_addresses.rowid
          cross join accounts on id = account_id ${rest} and account_addresses match ${quoted(text)}`
      : sql`(select * from accounts where address_pieces(email_lower) @> array[${sql.join(trigramsOf(text))}]
          offset 0) as found ${rest}`;
    // The index folds case differently, and may match the trigrams in another order.
    const { rows } = await sql<CreatedRow>`select id, created_at from ${found}
      and ${this.#hasInside(search)} ${newestFirst} limit ${limit}`.execute(this.db);
    return rows.map(foundInside);
  }

  /** And not found by an earlier stage. */
  #hasInside(search: string): RawBuilder<boolean> {
    const text = search.toLowerCase();
    // Several times as fast as `like`, which decodes every character.
    const find = sql.raw(this.comparesBytes ? "instr" : "strpos");
    return sql<boolean>`${find}(email_lower, ${text}) > 0
      and not ${this.#begins("email_lower", text)} ${this.#unlessById(search)}`;
  }

  #begins(column: "id" | "email_lower", text: string): RawBuilder<boolean> {
    const name = sql.ref(column);
    return this.comparesBytes
      ? sql<boolean>`(${name} >= ${text} and ${name} < ${text + lastCharacter})`
      : sql<boolean>`(${name} like ${`${escapeLike(text)}%`} escape '\\')`;
  }

  /** Excludes what the first stage has found. */
  #unlessById(search: string): RawBuilder<unknown> {
    return search.startsWith("acc_") ? sql`and not ${this.#begins("id", search)}` : sql``;
  }
}

const newestFirst = sql`order by created_at desc, id desc`;

const foundInside = (row: CreatedRow): Found => ({
  id: row.id,
  cursor: `inside ${row.created_at} ${row.id}`,
});

/** None for a text that is too short, or that contains a NUL, at which an index may stop. */
function trigramsOf(text: string): string[] {
  const characters = text.includes("\0") ? [] : Array.from(text);
  const starts = characters.slice(0, Math.max(0, characters.length - gramLength + 1));
  return [...new Set(starts.map((_, start) => characters.slice(start, start + gramLength).join("")))];
}

/** A literal for SQLite's full-text search. */
const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

type Place =
  | { stage: "first" }
  | { stage: "id"; id: string }
  | { stage: "address"; email: string }
  | { stage: "newest" | "inside"; createdAt: number; id: string };

function placeOf(cursor: string | null): Place | null {
  if (cursor === null) return { stage: "first" };
  const [, stage, rest = ""] = /^(id|address|newest|inside) (.+)$/s.exec(cursor) ?? [];
  if (stage === "id") return { stage, id: rest };
  if (stage === "address") return { stage, email: rest };
  const [, time, id] = /^(\d{1,15}) (\S+)$/.exec(rest) ?? [];
  if ((stage !== "newest" && stage !== "inside") || id === undefined) return null;
  return { stage, createdAt: Number(time), id };
}

/** A condition on the order of creation, the newest first. */
function behind(place: Place): RawBuilder<unknown> {
  if (place.stage !== "newest" && place.stage !== "inside") return sql``;
  return sql`where (created_at, id) < (${place.createdAt}, ${place.id})`;
}

/** `next`: where the search stopped, for a page that is not full. */
function pageOf(found: readonly Found[], limit: number, next: string | null): FoundPage {
  const shown = found.slice(0, limit);
  return {
    ids: shown.map(({ id }) => id),
    next: found.length > limit ? (shown.at(-1)?.cursor ?? null) : next,
  };
}
