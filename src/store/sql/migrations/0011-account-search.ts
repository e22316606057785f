import { sql, type Transaction } from "kysely";
import type { MigrationContext } from "../migration.js";
import type { Schema } from "../schema.js";

/**
 * An index of the pieces of three characters that addresses have, so that accounts are found by a text inside their
 * address. The database keeps it: an account that is created, renamed or deleted is so in the index as well.
 */
export async function up(db: Transaction<Schema>, { bytesType }: MigrationContext): Promise<void> {
  await (bytesType === "blob" ? sqliteIndex(db) : postgresIndex(db));
}

/**
 * SQLite's is a table of its full-text search. It has no copy of the addresses and knows rows by number. Accounts have
 * no numbers that last (those that SQLite gives may change when the file is compacted), so they get some here.
 */
async function sqliteIndex(db: Transaction<Schema>): Promise<void> {
  const added = sql.raw(`
    insert into account_numbers (account_id) values (new.id);
    insert into account_addresses (rowid, address)
      select number, new.email_lower from account_numbers where account_id = new.id;`);
  const removed = sql.raw(`
    insert into account_addresses (account_addresses, rowid, address)
      select 'delete', number, old.email_lower from account_numbers where account_id = old.id;
    delete from account_numbers where account_id = old.id;`);
  for (const statement of [
    sql`create table account_numbers (
      number integer primary key autoincrement, account_id text not null unique)`,
    sql`create virtual table account_addresses using fts5(address, content='', tokenize='trigram')`,
    // What is deleted leaves the index at once. Otherwise it would only be marked, until parts of it are merged.
    sql`insert into account_addresses (account_addresses, rank) values ('secure-delete', 1)`,
    sql`insert into account_numbers (account_id) select id from accounts order by created_at, id`,
    sql`insert into account_addresses (rowid, address)
      select number, email_lower from account_numbers join accounts on accounts.id = account_id`,
    sql`create trigger account_address_added after insert on accounts begin ${added} end`,
    sql`create trigger account_address_removed after delete on accounts begin ${removed} end`,
    sql`create trigger account_address_changed after update of id, email_lower on accounts
      when old.id <> new.id or old.email_lower <> new.email_lower begin ${removed} ${added} end`,
  ]) {
    await statement.execute(db);
  }
}

/** Postgres has indices of arrays built in, whereas its extension for such pieces is not on every server. */
async function postgresIndex(db: Transaction<Schema>): Promise<void> {
  await sql`create function address_pieces(address text) returns text[]
    language sql immutable strict parallel safe cost 1000 as
    'select array(select distinct substr(address, i, 3) from generate_series(1, length(address) - 2) as i)'`.execute(
    db,
  );
  await sql`create index accounts_by_address_pieces on accounts using gin (address_pieces(email_lower))
    with (fastupdate = off)`.execute(db);
}
