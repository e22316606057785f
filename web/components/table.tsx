/**
 * A table with its four states: loading (rows undefined), failed, empty, filled. On a phone each row becomes
 * a small card: the first column heads it, the others follow with their names, and the column with
 * `header: ""`, which holds the actions, moves into its corner.
 * Put it in `<Card flush>`.
 */
import type { ReactNode } from "react";
import { cx } from "../cx.ts";
import { ErrorState } from "./error-state.tsx";
import { Skeleton } from "./skeleton.tsx";

export interface Column<Row> {
  /** Unique in the table. */
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  align?: "left" | "right";
  className?: string;
}

interface TableProps<Row> {
  /** Read aloud: "API keys". */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[] | undefined;
  rowId: (row: Row) => string;
  error?: Error | null;
  onRetry?: () => unknown;
  /** An EmptyState. */
  empty: ReactNode;
}

export function Table<Row>({ label, columns, rows, rowId, error = null, onRetry, empty }: TableProps<Row>) {
  if (rows === undefined && error !== null) {
    return <ErrorState error={error} onRetry={onRetry} what={label.toLowerCase()} />;
  }
  if (rows?.length === 0) return empty;
  return (
    <table
      role="table"
      aria-label={label}
      aria-busy={rows === undefined}
      className="stacking-table w-full text-left"
    >
      <thead role="rowgroup">
        <tr role="row" className="border-b border-line">
          {columns.map((column) => (
            <th
              key={column.id}
              role="columnheader"
              scope="col"
              className={cx(
                "px-3 py-2.5 text-sm font-medium whitespace-nowrap text-muted first:pl-5 last:pr-5 sm:first:pl-6 sm:last:pr-6",
                column.align === "right" && "text-right",
              )}
            >
              {column.header === "" ? <span className="sr-only">Actions</span> : column.header}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup" className="divide-y divide-line">
        {rows === undefined ? (
          <LoadingRows columns={columns.length} />
        ) : (
          rows.map((row) => (
            <tr key={rowId(row)} role="row">
              {columns.map((column) => (
                <td
                  key={column.id}
                  role="cell"
                  data-label={column.header}
                  className={cx(
                    "align-middle sm:px-3 sm:py-3 sm:first:pl-6 sm:last:pr-6",
                    column.align === "right" && "text-right tabular-nums",
                    column.className,
                  )}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))
        )}
      </tbody>
    </table>
  );
}

function LoadingRows({ columns }: { columns: number }) {
  return [0, 1, 2].map((row) => (
    <tr key={row} role="row">
      {Array.from({ length: columns }, (_, column) => (
        <td key={column} role="cell" className="sm:px-3 sm:py-4 sm:first:pl-6 sm:last:pr-6">
          <Skeleton className={column === 0 ? "h-4 w-28" : "h-4 w-16"} />
          {row === 0 && column === 0 && <span className="sr-only">Loading</span>}
        </td>
      ))}
    </tr>
  ));
}
