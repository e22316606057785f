/** Every table and column that exists has its words in the source of the privacy page, and nothing else has. */
import { expect } from "vitest";
import { storedTables } from "../../../src/core/privacy-facts.js";
import type { FullStore } from "../../../src/store/full-store.js";

/** Tables of which SQLite's full-text search consists, besides the one that it is named by. */
const isPartOfIndex = (table: string): boolean => table.startsWith("account_addresses_");

export function expectDescribed(
  store: FullStore,
  columns: readonly { table: string; column: string }[],
  { has = () => true }: { has?: (table: string) => boolean } = {},
): void {
  const found = new Map<string, Set<string>>();
  for (const { table, column } of columns) {
    if (isPartOfIndex(table)) continue;
    const known = found.get(table) ?? new Set();
    found.set(table, known.add(column.replace(/^first_token_\d+$/, "first_token_*")));
  }
  const described = Object.entries(storedTables).filter(([table]) => has(table));
  const sorted = (tables: Iterable<[string, Iterable<string>]>) =>
    Object.fromEntries([...tables].map(([table, names]) => [table, [...names].sort()]));
  const namesOf = (words: Readonly<Record<string, string>>) => Object.values(words).join(" ").split(" ");
  expect(sorted(described.map(([table, { columns: words }]) => [table, namesOf(words)]))).toEqual(
    sorted(found),
  );
  // Those that are about accounts say why, and are shown to their owners.
  const personal = described.filter(([, { why }]) => why !== undefined).map(([table]) => table);
  expect(personal.sort()).toEqual([...store.stored.tables].sort());
}
