/**
 * A table with its four states: loading (rows undefined), failed, empty, filled. If its container (not the screen) is
 * too narrow, each row becomes a small card: the first column is its heading, the others follow with their names, and
 * the column with `header: ""`, which holds the actions, moves into its corner.
 * Put it in `<Card flush>`.
 */
import type { MouseEvent, ReactNode } from "react";
import { cx } from "../../cx.ts";
import { ErrorState } from "../states/error-state.tsx";
import { Skeleton } from "../states/skeleton.tsx";

export interface Column<Row> {
  /** Unique in the table; empty for the column of actions. */
  header: string;
  cell: (row: Row) => ReactNode;
  align?: "left" | "right";
  className?: string;
}

/** What can be done with a row. */
export const actionsColumn = <Row,>(cell: Column<Row>["cell"]): Column<Row> => ({
  header: "",
  align: "right",
  cell,
});

/** That of the rows, for when it fails. */
export interface TableQuery {
  error: Error | null;
  refetch: () => unknown;
}

interface TableProps<Row> {
  /** Read aloud: "API keys". */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[] | undefined;
  rowId: (row: Row) => string;
  query?: TableQuery;
  /** Every cell but the first is short, so cards can show more of them side by side. */
  compact?: boolean;
  /** An EmptyState. */
  empty: ReactNode;
  /** A click anywhere on the row except on a control. For pointers only; the row has a link as well. */
  onOpen?: (row: Row) => void;
}

export function Table<Row>(props: TableProps<Row>) {
  const { label, columns, rows, query, rowId, empty, onOpen } = props;
  const { compact = isOfNumbers(columns) } = props;
  if (rows === undefined && query !== undefined && query.error !== null) {
    return <ErrorState error={query.error} onRetry={query.refetch} what={label.toLowerCase()} />;
  }
  if (rows?.length === 0) return empty;
  return (
    <div className="@container">
      <table
        role="table"
        aria-label={label}
        aria-busy={rows === undefined}
        className={cx(
          "data-table w-full text-left",
          compact && "[--card-column:6.75rem]",
          stackedBelow(columns),
        )}
      >
        <thead role="rowgroup">
          <tr role="row" className="border-b border-line">
            {columns.map((column) => (
              <th
                key={column.header}
                role="columnheader"
                scope="col"
                className={cx(
                  "text-sm font-medium whitespace-nowrap text-muted",
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
              <tr
                key={rowId(row)}
                role="row"
                onClick={onOpen && ((event) => isOpening(event) && onOpen(row))}
                className={onOpen && "cursor-pointer hover:bg-hover/50"}
              >
                {columns.map((column) => (
                  <td
                    key={column.header}
                    role="cell"
                    data-label={column.header}
                    className={cx(
                      "align-middle",
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
    </div>
  );
}

/** Whether a click was neither on a control, nor in a menu opened from the row, nor a text selection. */
function isOpening({ target }: MouseEvent): boolean {
  const isControl =
    target instanceof Element && target.closest("a, button, input, label, [role=menu]") !== null;
  return !isControl && getSelection()?.isCollapsed !== false;
}

type Shape = Pick<Column<never>, "header" | "align">;

/** A name, and numbers alone beside it. */
function isOfNumbers(columns: readonly Shape[]): boolean {
  return columns.filter(({ header, align }) => header === "" || align !== "right").length === 1;
}

/** The minimum container width for these columns, each as wide as its longest word. Numbers need little. */
function stackedBelow(columns: readonly Shape[]): string {
  if (columns.length <= 3) return "@max-[28rem]:stacked";
  if (isOfNumbers(columns)) return "@max-[40rem]:stacked";
  return columns.length <= 7 ? "@max-[50rem]:stacked" : "@max-[56rem]:stacked";
}

function LoadingRows({ columns }: { columns: number }) {
  return [0, 1, 2].map((row) => (
    <tr key={row} role="row">
      {Array.from({ length: columns }, (_, column) => (
        <td key={column} role="cell">
          <Skeleton className={column === 0 ? "h-4 w-28" : "h-4 w-16"} />
          {row === 0 && column === 0 && <span className="sr-only">Loading</span>}
        </td>
      ))}
    </tr>
  ));
}
