/** The simplest statements: about rows of one table, known by their columns. Others use Kysely's own builder. */
import { setImmediate } from "node:timers/promises";
import { type RawBuilder, sql } from "kysely";
import { type Db, type DbTransaction, primaryKeys, type Schema } from "./schema.js";

type Name = keyof Schema;

/** By an operator, or in a way of its own. */
type Comparison =
  | readonly [operator: "<" | "<=" | ">", than: Date | number | string]
  | readonly [operator: "in", values: readonly string[]]
  | Condition;

type Condition = (column: RawBuilder<unknown>) => RawBuilder<unknown>;

/** Each column has this value, or compares like this. */
export type Conditions<Table extends Name> = {
  [Column in keyof Schema[Table]]?: Schema[Table][Column] | Comparison;
};

/** Values, or what they are computed by; what is undefined stays as it is. */
type Values<Table extends Name> = {
  [Column in keyof Schema[Table]]?: Schema[Table][Column] | RawBuilder<unknown> | undefined;
};

type Order<Table extends Name> = keyof Schema[Table] & string;

/** For the time of a table in the order of time and id, the newest first. */
export const createdBefore =
  (last: { id: string; createdAt: Date }): Condition =>
  (column) =>
    sql`(${column}, id) < (${last.createdAt.getTime()}, ${last.id})`;
export const isNoneOr =
  (value: Uint8Array): Condition =>
  (column) =>
    sql`(${column} is null or ${column} = ${value})`;
/** For the time at which something ends, where it has one. */
export const notEndedAt =
  (time: Date): Condition =>
  (column) =>
    sql`(${column} is null or ${column} > ${time.getTime()})`;

export const findRow = <Table extends Name>(
  db: Db,
  table: Table,
  where: Conditions<Table>,
): Promise<Schema[Table] | undefined> =>
  first(db, sql<Schema[Table]>`select * from ${sql.table(table)}${matching(where)}`);

export async function findRows<Table extends Name>(
  db: Db,
  table: Table,
  where: Conditions<Table>,
  order: readonly (Order<Table> | `${Order<Table>} desc`)[],
  limit?: number,
): Promise<Schema[Table][]> {
  const upTo = limit === undefined ? sql`` : sql`limit ${limit}`;
  const { rows } = await sql<Schema[Table]>`select * from ${sql.table(table)}${matching(where)}
    order by ${sql.raw(order.join(", "))} ${upTo}`.execute(db);
  return rows;
}

export async function countRows<Table extends Name>(
  db: Db,
  table: Table,
  where: Conditions<Table> = {},
): Promise<number> {
  const counted = sql<{
    total: number;
  }>`select count(*) as "total" from ${sql.table(table)}${matching(where)}`;
  return (await first(db, counted))?.total ?? 0;
}

/** What a row is of, or null where there is none. */
export const ifFound = <Row, Entity>(row: Row | undefined, toEntity: (row: Row) => Entity): Entity | null =>
  row === undefined ? null : toEntity(row);

/** Resolves to nothing where there is such a row already: exactly one of many callers adds it. */
export const addRow = <Table extends Name>(
  db: Db,
  table: Table,
  row: Schema[Table],
): Promise<Schema[Table] | undefined> =>
  first(db, sql<Schema[Table]>`${insertion(table, [row])} on conflict do nothing returning *`);

/** In place of the row with the same key, where there is one. */
export async function putRow<Table extends Name>(db: Db, table: Table, row: Schema[Table]): Promise<void> {
  const key = primaryKeys[table];
  const updates = Object.keys(row)
    .filter((name) => !key.some((column) => column === name))
    .map((name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`);
  await sql`${insertion(table, [row])} on conflict (${refs(key)}) do update set ${sql.join(updates)}`.execute(
    db,
  );
}

/** Resolves to the rows as they are then; to none where nothing is to be changed. */
export async function updateRows<Table extends Name>(
  db: Db,
  table: Table,
  where: Conditions<Table>,
  set: Values<Table>,
): Promise<Schema[Table][]> {
  const columns = Object.entries(set).filter(([, value]) => value !== undefined);
  if (columns.length === 0) return [];
  const values = sql.join(columns.map(([name, value]) => sql`${sql.ref(name)} = ${value}`));
  const { rows } = await sql<
    Schema[Table]
  >`update ${sql.table(table)} set ${values}${matching(where)} returning *`.execute(db);
  return rows;
}

/** The same for one row. */
export const updateRow = async <Table extends Name>(
  ...given: Parameters<typeof updateRows<Table>>
): Promise<Schema[Table] | undefined> => (await updateRows(...given))[0];

/** Resolves to the row as it was. */
export const deleteRow = <Table extends Name>(
  db: Db,
  table: Table,
  where: Conditions<Table>,
): Promise<Schema[Table] | undefined> =>
  first(db, sql<Schema[Table]>`delete from ${sql.table(table)}${matching(where)} returning *`);

const rowsDeletedAtOnce = 500;

/** Deletes in short statements, so that others wait neither for locks nor for the thread in between. */
export async function deleteInBatches<Table extends Name>(
  db: Db,
  table: Table,
  where: Conditions<Table>,
): Promise<void> {
  const [name, key] = [sql.table(table), refs(primaryKeys[table])];
  const deleteSome = sql`delete from ${name} where (${key}) in
    (select ${key} from ${name}${matching(where)} limit ${rowsDeletedAtOnce})`;
  for (;;) {
    const { numAffectedRows = 0n } = await deleteSome.execute(db);
    if (numAffectedRows < rowsDeletedAtOnce) return;
    await setImmediate();
  }
}

/** Without its end, so that it may say what happens to rows that are there already. */
export function insertion(table: Name, rows: readonly object[]): RawBuilder<unknown> {
  const columns = Object.keys(rows[0] ?? {});
  const cellsOf = (row: object) => columns.map((name) => (row as Record<string, unknown>)[name]);
  const values = rows.map((row) => sql`(${sql.join(cellsOf(row))})`);
  return sql`insert into ${sql.table(table)} (${refs(columns)}) values ${sql.join(values)}`;
}

/** Work in a transaction: in the one that `db` is, or in one of its own. */
export const inTransaction = <T>(db: Db, work: (transaction: DbTransaction) => Promise<T>): Promise<T> =>
  isTransaction(db) ? work(db) : db.transaction().execute(work);

/** Databases allow some tens of thousands of bound values in one statement. */
export function* chunks<T>(all: readonly T[], length: number): Generator<T[], void, undefined> {
  for (let start = 0; start < all.length; start += length) yield all.slice(start, start + length);
}

export const refs = (columns: readonly string[]): RawBuilder<unknown> =>
  sql.join(columns.map((column) => sql.ref(column)));

/** For a text inside a pattern of `like … escape '\'`. */
export const escapeLike = (text: string): string => text.replace(/[\\%_]/g, "\\$&");

const isTransaction = (db: Db): db is DbTransaction => db.isTransaction;

const first = async <Row>(db: Db, statement: RawBuilder<Row>): Promise<Row | undefined> =>
  (await statement.execute(db)).rows[0];

function matching(where: object): RawBuilder<unknown> {
  const conditions = Object.entries(where).map(([name, value]: [string, unknown]) => {
    const column = sql.ref(name);
    if (typeof value === "function") return (value as Condition)(column);
    if (Array.isArray(value)) {
      const [operator, than] = value as unknown[];
      return sql`${column} ${sql.raw(String(operator))} ${operand(than)}`;
    }
    return value === null ? sql`${column} is null` : sql`${column} = ${value}`;
  });
  return conditions.length === 0 ? sql`` : sql` where ${sql.join(conditions, sql` and `)}`;
}

const operand = (value: unknown): unknown => {
  if (Array.isArray(value)) return sql`(${sql.join(value)})`;
  return value instanceof Date ? value.getTime() : value;
};
