/**
 * The accounts and keys that used the service most. Accounts are ranked by the sums of their days, which an index has
 * in the order of time, and of the hours around whole days. Keys are looked up by account, the largest accounts first:
 * no key has used more than its account, so the search ends at the first account below the last key on the list.
 *
 * The database adds up and sorts, off this thread, and only the top of a ranking is transferred.
 */
import { type RawBuilder, sql } from "kysely";
import type { TopFilter } from "../../../core/admin/ports.js";
import type { TopUser, TopUsers } from "../../../core/usage/usage-views.js";
import { dayMs } from "../rows.js";
import type { Db } from "../schema.js";
import { chunks } from "../statements.js";
import type { Ranking, RankingCache, TopRow } from "./ranking-cache.js";
import { hourCounts, keyParts, type Period, splitByDays, within } from "../usage/shares.js";

type Measure = "requests" | "tokens";

interface Ranked {
  accountId: string;
  value: number;
}

/** How many accounts' keys are looked up first; twice as many each time that more are needed. */
const firstLook = 64;

/** How many of a ranking are read first. The length matters little: all accounts have to be added up anyway. */
const firstRanked = 1_024;

const idsAtOnce = 1_000;

/** Rankings of longer ranges are cached. */
const longMs = 7 * dayMs;

export async function topUsers(
  db: Db,
  rankings: RankingCache,
  filter: TopFilter,
  measure: Measure,
  limit: number,
): Promise<TopUsers> {
  if (filter.accountId !== undefined) {
    const keys = await keysOf(db, filter, [filter.accountId]);
    return { accounts: [], keys: await named(db, firstKeys(keys, measure, limit)) };
  }
  const { from, to, model = "" } = filter;
  const isLong = to.getTime() - from.getTime() > longMs;
  const name = [from.getTime(), to.getTime(), model, measure, limit].join(" ");
  const find = () => findLargest(db, filter, measure, limit);
  const { accounts, keys } = isLong ? await rankings.get(name, find) : await find();
  return { accounts: await named(db, accounts), keys: await named(db, keys) };
}

async function findLargest(db: Db, filter: TopFilter, measure: Measure, limit: number): Promise<Ranking> {
  const largest = rankedBy(db, filter, measure);
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
  return { accounts, keys };
}

const idsOf = (ranked: readonly Ranked[]): string[] => ranked.map(({ accountId }) => accountId);

/** Selects from the rows of whole days, and from those of the hours around them. */
function sources({ from, to, model }: TopFilter, select: RawBuilder<unknown>): RawBuilder<unknown>[] {
  const { days, hours } = splitByDays({ from, to });
  const ofModel = model === undefined ? sql`` : sql`and model = ${model}`;
  const part = (table: "account_days" | "usage", time: "day" | "hour", range: Period) =>
    sql`select ${select} from ${sql.table(table)} where ${within(time, range)} ${ofModel}`;
  return [
    ...(days[0] < days[1] ? [part("account_days", "day", days)] : []),
    ...hours.map((range) => part("usage", "hour", range)),
  ];
}

const valueOf = (measure: Measure): RawBuilder<unknown> =>
  measure === "requests" ? sql`requests` : sql`prompt_tokens + completion_tokens`;

/** Returns the first `count`, from one ranking for as long as it has them. */
function rankedBy(db: Db, filter: TopFilter, measure: Measure): (count: number) => Promise<Ranked[]> {
  let most = firstRanked;
  let ranked: Ranked[] | null = null;
  return async (count) => {
    ranked ??= await rank(db, filter, measure, most);
    while (most < count && ranked.length === most) {
      most *= 2;
      ranked = await rank(db, filter, measure, most);
    }
    return ranked.slice(0, count);
  };
}

async function rank(db: Db, filter: TopFilter, measure: Measure, count: number): Promise<Ranked[]> {
  const parts = sources(filter, sql`account_id, ${valueOf(measure)} as value`);
  if (parts.length === 0) return [];
  // Counts are far below where a double loses precision, and Postgres adds those up in half the time.
  const { rows } = await sql<{ account_id: string; value: number }>`select account_id,
      sum(cast(value as double precision)) as value from (${sql.join(parts, sql` union all `)}) as parts
      group by account_id order by value desc, account_id limit ${count}`.execute(db);
  return rows.map(({ account_id: accountId, value }) => ({ accountId, value }));
}

async function keysOf(db: Db, filter: TopFilter, ids: readonly string[]): Promise<TopRow[]> {
  const rows: TopRow[] = [];
  for (const some of chunks(ids, idsAtOnce)) rows.push(...(await someKeysOf(db, filter, some)));
  return rows;
}

async function someKeysOf(db: Db, filter: TopFilter, ids: readonly string[]): Promise<TopRow[]> {
  const { days, hours } = splitByDays(filter);
  const scope = sql`account_id in (${sql.join(ids)}) ${filter.model === undefined ? sql`` : sql`and model = ${filter.model}`}`;
  const columns = sql`account_id, key_id, errors, requests, refused, tokens`;
  const parts = [
    ...(await keyParts(db, columns, scope, days)),
    ...hours.map(
      (range) => sql`select account_id, key_id, errors, ${hourCounts} from usage
        where ${scope} and ${within("hour", range)}`,
    ),
  ];
  if (parts.length === 0) return [];
  const { rows } = await sql<TopRow>`select account_id, key_id, sum(requests) as requests,
    sum(errors) as errors, sum(refused) as refused, sum(tokens) as tokens
    from (${sql.join(parts, sql` union all `)}) as parts group by account_id, key_id`.execute(db);
  return rows;
}

const firstKeys = (rows: readonly TopRow[], measure: Measure, limit: number): TopRow[] =>
  [...rows].sort((a, b) => b[measure] - a[measure] || (nameOf(a) < nameOf(b) ? -1 : 1)).slice(0, limit);

const nameOf = (row: TopRow): string => `${row.account_id} ${row.key_id}`;

/** The sum of an account's keys. */
function sumOf(accountId: string, keys: readonly TopRow[]): Omit<TopRow, "key_id"> {
  const own = keys.filter((row) => row.account_id === accountId);
  const sum = (name: "requests" | "errors" | "refused" | "tokens") =>
    own.reduce((all, row) => all + row[name], 0);
  const [requests, errors, refused, tokens] = [sum("requests"), sum("errors"), sum("refused"), sum("tokens")];
  return { account_id: accountId, requests, errors, refused, tokens };
}

/** Adds the names of accounts and keys. */
async function named(
  db: Db,
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
      : await db.selectFrom("keys").select(["id", "name", "last_four"]).where("id", "in", keyIds).execute();
  const emails = new Map(accounts.map(({ id, email }) => [id, email]));
  const labels = new Map(keys.map((key) => [key.id, { name: key.name, lastFour: key.last_four }]));
  return rows.flatMap(({ account_id: accountId, key_id: keyId = null, ...counts }) => {
    const email = emails.get(accountId);
    // Deleted since.
    if (email === undefined) return [];
    return [{ accountId, email, keyId, key: labels.get(keyId ?? "") ?? null, ...counts }];
  });
}
