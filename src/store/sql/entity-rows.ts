/**
 * Entities as rows and back, for tables whose columns are the fields of an entity: `createdAt` is `created_at`. Times
 * are stored as milliseconds, booleans as 1 or 0. A row does not say which of its numbers are which, so names do: times
 * end in At, Since or Until, booleans begin with is, can or requires. `Row` enforces it.
 */

/** The columns of an entity. Fields of any other kind have to be left out of it. */
export type Row<Entity> = {
  [Name in keyof Entity & string as Column<Name>]-?: Cell<Name, Entity[Name]>;
};

/** `entity` must have no other fields: all of them become columns. */
export function toRow<Entity extends object>(entity: Entity): Row<Entity> {
  const cells = Object.entries(entity).map(([name, value]) => [columnOf(name), toCell(value)]);
  return Object.fromEntries(cells) as Row<Entity>;
}

/** `row` must have no other columns: all of them become fields. */
export function fromRow<Entity extends object>(row: Row<Entity>): Entity {
  const fields = Object.entries(row).map(([column, cell]) => [nameOf(column), toField(column, cell)]);
  return Object.fromEntries(fields) as Entity;
}

type Column<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Column<Rest>}`
  : "";

type TimeName = `${string}${"At" | "Since" | "Until"}`;
type FlagName = `${"is" | "can" | "requires"}${string}`;

type Cell<Name extends string, Value> = Value extends string | number | Uint8Array | null
  ? Value
  : Value extends undefined
    ? null
    : [Name, Value] extends [TimeName, Date] | [FlagName, boolean]
      ? number
      : never;

const columnOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const nameOf = (column: string): string =>
  column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

function toCell(value: unknown): unknown {
  if (value instanceof Date) return value.getTime();
  return typeof value === "boolean" ? Number(value) : (value ?? null);
}

function toField(column: string, cell: unknown): unknown {
  // libsql gives bytes as a bare ArrayBuffer.
  if (cell instanceof ArrayBuffer || cell instanceof Uint8Array) return new Uint8Array(cell);
  if (typeof cell !== "number") return cell;
  if (/_(at|since|until)$/.test(column)) return new Date(cell);
  return /^(is|can|requires)_/.test(column) ? cell === 1 : cell;
}
