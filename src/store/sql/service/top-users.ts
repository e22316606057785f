/**
 * The accounts and keys that used the service most. Accounts are ranked by the sums of their days, which an index has
 * in the order of time, and of the hours around whole days. Keys are looked up account by account, the largest first:
 * no key has used more than its account, so the first account that is not above the last key on the list ends it.
 *
 * A database server ranks in one statement. An embedded one works on this thread, so it hands over the values of some
 * days at a time, packed into one text (a row for each would take several times as long), and others get their turn in
 * between.
 */
import { setImmediate } from "node:timers/promises";
import { sql, type Kysely, type RawBuilder } from "kysely";
import type { TopFilter, TopUser, TopUsers } from "../../../core/operator/operator-ports.js";
import type { Schema } from "../schema.js";
import { splitByDays } from "../usage/shares.js";
import type { KeptRankings, Ranked } from "./kept-rankings.js";

const dayMs = 24 * 60 * 60_000;

type Measure = "requests" | "tokens";

interface TopRow {
  account_id: string;
  key_id: string;
  requests: number;
  errors: number;
  refused: number;
  tokens: number;
}

/** How many accounts are looked at first; twice as many each time that it takes more. */
const firstLook = 64;

/** Databases allow some tens of thousands of bound values in one statement. */
const idsAtOnce = 1_000;

/** Longer ranges are ranked once a minute. */
const longMs = 7 * dayMs;

export interface TopParts {
  db: Kysely<Schema>;
  /** Null for a database that works elsewhere. */
  sliceMs: number | null;
  rankings: KeptRankings;
}

export async function topUsers(
  { db, sliceMs, rankings }: TopParts,
  filter: TopFilter,
  measure: Measure,
  limit: number,
): Promise<TopUsers> {
  if (filter.accountId !== undefined) {
    const keys = await keysOf(db, filter, [filter.accountId]);
    return { accounts: [], keys: await named(db, firstKeys(keys, measure, limit)) };
  }
  let sums: Promise<Map<string, number>> | null = null;
  const rank = async (count: number): Promise<Ranked[]> => {
    if (sliceMs === null) return rankedThere(db, filter, measure, count);
    sums ??= totals(db, filter, measure, sliceMs);
    return rankedHere(await sums, count);
  };
  const { from, to, model = "" } = filter;
  const isLong = to.getTime() - from.getTime() > longMs;
  const name = [from.getTime(), to.getTime(), model, measure].join(" ");
  const largest = (count: number) =>
    isLong ? rankings.get(`${name} ${count}`, () => rank(count)) : rank(count);
  const first = await largest(Math.max(firstLook, limit));
  const ofFirst = await keysOf(db, filter, idsOf(first));
  const accounts = first.slice(0, limit).map(({ accountId }) => sumOf(accountId, ofFirst));
  let keys = firstKeys(ofFirst, measure, limit);
  for (let seen = first; ;) {
    const least = keys.length < limit ? undefined : keys.at(-1)?.[measure];
    const next = seen.at(-1)?.value ?? 0;
    if (least !== undefined && least >= next) break;
    const more = await largest(2 * seen.length);
    const others = idsOf(more.slice(seen.length));
    if (others.length === 0) break;
    keys = firstKeys([...keys, ...(await keysOf(db, filter, others))], measure, limit);
    seen = more;
  }
  return { accounts: await named(db, accounts), keys: await named(db, keys) };
}

const idsOf = (ranked: readonly Ranked[]): string[] => ranked.map(({ accountId }) => accountId);

/** Where the counts of a range are: rows of whole days, and rows of the hours around them. */
function sources({ from, to, model }: TopFilter, select: RawBuilder<unknown>): RawBuilder<unknown>[] {
  const { days, hours } = splitByDays({ from, to });
  const ofModel = model === undefined ? sql`` : sql`and model = ${model}`;
  const part = (table: "account_days" | "usage", time: "day" | "hour", [first, end]: [number, number]) =>
    sql`select ${select} from ${sql.table(table)}
      where ${sql.ref(time)} >= ${first} and ${sql.ref(time)} < ${end} ${ofModel}`;
  return [
    ...(days[0] < days[1] ? [part("account_days", "day", days)] : []),
    ...hours.map((range) => part("usage", "hour", range)),
  ];
}

const valueOf = (measure: Measure): RawBuilder<unknown> =>
  measure === "requests" ? sql`requests` : sql`prompt_tokens + completion_tokens`;

async function rankedThere(
  db: Kysely<Schema>,
  filter: TopFilter,
  measure: Measure,
  count: number,
): Promise<Ranked[]> {
  const parts = sources(filter, sql`account_id, ${valueOf(measure)} as value`);
  if (parts.length === 0) return [];
  const { rows } = await sql<{ account_id: string; value: number }>`select account_id,
      cast(sum(value) as bigint) as value from (${sql.join(parts, sql` union all `)}) as parts
      group by account_id order by value desc, account_id limit ${count}`.execute(db);
  return rows.map(({ account_id: accountId, value }) => ({ accountId, value }));
}

/** By account. */
async function totals(
  db: Kysely<Schema>,
  filter: TopFilter,
  measure: Measure,
  sliceMs: number,
): Promise<Map<string, number>> {
  const sums = new Map<string, number>();
  const packed = sql`group_concat(account_id || ' ' || (${valueOf(measure)})) as packed`;
  for (let start = filter.from.getTime(); start < filter.to.getTime();) {
    // Slices end where days end, so that few hours are read.
    const end = Math.min(Math.floor((start + sliceMs) / dayMs) * dayMs, filter.to.getTime());
    const slice = { ...filter, from: new Date(start), to: new Date(end) };
    for (const part of sources(slice, packed)) {
      const { rows } = await sql<{ packed: string | null }>`${part}`.execute(db);
      addPacked(sums, rows[0]?.packed ?? "");
    }
    start = end;
    await setImmediate();
  }
  return sums;
}

function addPacked(sums: Map<string, number>, packed: string): void {
  for (let at = 0; at < packed.length;) {
    const space = packed.indexOf(" ", at);
    const comma = packed.indexOf(",", space);
    const end = comma < 0 ? packed.length : comma;
    const accountId = packed.slice(at, space);
    sums.set(accountId, (sums.get(accountId) ?? 0) + Number(packed.slice(space + 1, end)));
    at = end + 1;
  }
}

/** Looks at each once, and keeps the largest so far: sorting all of them would take longer than adding them up. */
function rankedHere(sums: ReadonlyMap<string, number>, count: number): Ranked[] {
  const kept: Ranked[] = [];
  const isBefore = (a: Ranked, b: Ranked) =>
    a.value > b.value || (a.value === b.value && a.accountId < b.accountId);
  for (const [accountId, value] of sums) {
    const one = { accountId, value };
    const last = kept.at(-1);
    if (kept.length === count && last !== undefined && !isBefore(one, last)) continue;
    let at = kept.length;
    for (let before = kept[at - 1]; before !== undefined && isBefore(one, before); before = kept[at - 1])
      at--;
    kept.splice(at, 0, one);
    if (kept.length > count) kept.pop();
  }
  return kept;
}

async function keysOf(db: Kysely<Schema>, filter: TopFilter, ids: readonly string[]): Promise<TopRow[]> {
  const rows: TopRow[] = [];
  for (let start = 0; start < ids.length; start += idsAtOnce) {
    rows.push(...(await someKeysOf(db, filter, ids.slice(start, start + idsAtOnce))));
  }
  return rows;
}

async function someKeysOf(db: Kysely<Schema>, filter: TopFilter, ids: readonly string[]): Promise<TopRow[]> {
  const { days, hours } = splitByDays(filter);
  const whose = sql`account_id in (${sql.join(ids)}) ${filter.model === undefined ? sql`` : sql`and model = ${filter.model}`}`;
  const parts = [
    ...(days[0] < days[1]
      ? [
          sql`select account_id, key_id, requests, errors, refused, tokens from key_days
            where ${whose} and day >= ${days[0]} and day < ${days[1]}`,
        ]
      : []),
    ...hours.map(
      ([
        first,
        end,
      ]) => sql`select account_id, key_id, requests, errors, rate_limited + unavailable as refused,
        prompt_tokens + completion_tokens as tokens from usage
        where ${whose} and hour >= ${first} and hour < ${end}`,
    ),
  ];
  if (parts.length === 0) return [];
  const { rows } = await sql<TopRow>`select account_id, key_id, cast(sum(requests) as bigint) as requests,
    cast(sum(errors) as bigint) as errors, cast(sum(refused) as bigint) as refused,
    cast(sum(tokens) as bigint) as tokens
    from (${sql.join(parts, sql` union all `)}) as parts group by account_id, key_id`.execute(db);
  return rows;
}

const firstKeys = (rows: readonly TopRow[], measure: Measure, limit: number): TopRow[] =>
  [...rows].sort((a, b) => b[measure] - a[measure] || (nameOf(a) < nameOf(b) ? -1 : 1)).slice(0, limit);

const nameOf = (row: TopRow): string => `${row.account_id} ${row.key_id}`;

/** Of an account, what its keys did together. */
function sumOf(accountId: string, keys: readonly TopRow[]): Omit<TopRow, "key_id"> {
  const own = keys.filter((row) => row.account_id === accountId);
  const sum = (name: "requests" | "errors" | "refused" | "tokens") =>
    own.reduce((all, row) => all + row[name], 0);
  return {
    account_id: accountId,
    requests: sum("requests"),
    errors: sum("errors"),
    refused: sum("refused"),
    tokens: sum("tokens"),
  };
}

/** Names are looked up for those on the list alone. */
async function named(
  db: Kysely<Schema>,
  rows: readonly (Omit<TopRow, "key_id"> & { key_id?: string })[],
): Promise<TopUser[]> {
  if (rows.length === 0) return [];
  const accountIds = [...new Set(rows.map((row) => row.account_id))];
  const keyIds = rows.flatMap((row) => row.key_id ?? []);
  const accounts = await db
    .selectFrom("accounts")
    .select(["id", "email"])
    .where("id", "in", accountIds)
    .execute();
  const keys =
    keyIds.length === 0
      ? []
      : await db.selectFrom("keys").select(["id", "name"]).where("id", "in", keyIds).execute();
  const emails = new Map(accounts.map(({ id, email }) => [id, email]));
  const names = new Map(keys.map(({ id, name }) => [id, name]));
  return rows.flatMap(({ account_id: accountId, key_id: keyId = null, ...counts }) => {
    const email = emails.get(accountId);
    // Deleted meanwhile.
    if (email === undefined) return [];
    return [{ accountId, email, keyId, keyName: names.get(keyId ?? "") ?? null, ...counts }];
  });
}
