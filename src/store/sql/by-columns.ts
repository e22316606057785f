/** The simplest statements: about one row, known by the values of its columns. Others use Kysely's own builder. */
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Schema } from "./schema.js";

type Columns<Table extends keyof Schema> = Partial<Schema[Table]>;

export const findRow = <Table extends keyof Schema>(
  db: Kysely<Schema>,
  table: Table,
  where: Columns<Table>,
): Promise<Schema[Table] | undefined> =>
  first(db, sql<Schema[Table]>`select * from ${sql.table(table)} where ${all(where)}`);

/** Of the whole table. */
export async function countRows(db: Kysely<Schema>, table: keyof Schema): Promise<number> {
  const counted = sql<{ total: number }>`select count(*) as "total" from ${sql.table(table)}`;
  return (await first(db, counted))?.total ?? 0;
}

/** Resolves to nothing where there is such a row already: exactly one of many callers adds it. */
export function addRow<Table extends keyof Schema>(
  db: Kysely<Schema>,
  table: Table,
  row: Schema[Table],
): Promise<Schema[Table] | undefined> {
  const names = sql.join(Object.keys(row).map((name) => sql.ref(name)));
  const insert = sql`insert into ${sql.table(table)} (${names}) values (${sql.join(Object.values(row))})`;
  return first(db, sql<Schema[Table]>`${insert} on conflict do nothing returning *`);
}

/** Resolves to the row as it is then. */
export function updateRow<Table extends keyof Schema>(
  db: Kysely<Schema>,
  table: Table,
  where: Columns<Table>,
  set: Columns<Table>,
): Promise<Schema[Table] | undefined> {
  const columns = Object.entries(set).map(([name, value]) => sql`${sql.ref(name)} = ${value}`);
  const update = sql`update ${sql.table(table)} set ${sql.join(columns)}`;
  return first(db, sql<Schema[Table]>`${update} where ${all(where)} returning *`);
}

/** Resolves to the row as it was. */
export const deleteRow = <Table extends keyof Schema>(
  db: Kysely<Schema>,
  table: Table,
  where: Columns<Table>,
): Promise<Schema[Table] | undefined> =>
  first(db, sql<Schema[Table]>`delete from ${sql.table(table)} where ${all(where)} returning *`);

const first = async <Row>(db: Kysely<Schema>, statement: RawBuilder<Row>): Promise<Row | undefined> =>
  (await statement.execute(db)).rows[0];

const all = (where: object): RawBuilder<unknown> =>
  sql.join(
    Object.entries(where).map(([name, value]) =>
      value === null ? sql`${sql.ref(name)} is null` : sql`${sql.ref(name)} = ${value}`,
    ),
    sql` and `,
  );
