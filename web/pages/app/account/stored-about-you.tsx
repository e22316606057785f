import { useQuery, useMutation } from "@tanstack/react-query";
import { Download, ChevronRight } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";
import type { StoredAboutMe } from "../../../../src/core/accounts/stored-views.js";
import { ButtonAnchor, Button } from "../../../components/controls/button.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { ErrorState } from "../../../components/states/error-state.tsx";
import { SkeletonLines } from "../../../components/states/skeleton.tsx";
import { api } from "../../../service/api.ts";
import { queries } from "../../../service/queries.ts";
import { plural } from "../../../units.ts";

/** The raw rows, table by table. Nothing is aggregated, and only secrets are omitted. */
export function StoredAboutYou() {
  const { data, error, refetch } = useQuery(queries.stored);
  return (
    <Card
      flush
      title="What the database stores about you"
      description={
        <>
          The rows that belong to your account, unchanged, newest first. Passwords and keys are stored as
          hashes, which are omitted. There is no table for prompts or replies. Request logs are separate: see{" "}
          <Link href="/docs/privacy#logs" className="text-accent underline underline-offset-3">
            Privacy
          </Link>
          .
        </>
      }
      actions={
        <ButtonAnchor href={api.exportAddress} download icon={<Download />}>
          Export as JSON
        </ButtonAnchor>
      }
    >
      {data === undefined ? (
        error === null ? (
          <div className="px-5 py-5 sm:px-6">
            <SkeletonLines lines={5} />
          </div>
        ) : (
          <ErrorState error={error} onRetry={refetch} what="your data" />
        )
      ) : (
        <ul className="divide-y divide-line">
          {data.tables.map((table) => (
            <li key={table.name}>
              <StoredTable {...table} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

type Stored = StoredAboutMe["tables"][number];

/** One table: its name, why it is kept, and its rows when expanded, newest first. Wide tables scroll inside. */
function StoredTable({ name, why, ...first }: Stored) {
  const [later, setLater] = useState<Pick<Stored, "rows" | "next">>({ rows: [], next: first.next });
  const more = useMutation({
    mutationFn: (after: string) => api.storedRows(name, after),
    onSuccess: ({ rows, next }) => setLater((held) => ({ rows: [...held.rows, ...rows], next })),
  });
  const rows = [...first.rows, ...later.rows];
  const { next } = later;
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return (
    <details className="group">
      <summary className="flex items-start gap-3 px-5 py-4 -outline-offset-2 hover:bg-hover sm:px-6 [&::-webkit-details-marker]:hidden">
        <ChevronRight
          className="mt-1 size-4 shrink-0 text-muted transition-transform group-open:rotate-90"
          aria-hidden
        />
        <span className="min-w-0 flex-1">
          <span className="block font-mono text-sm leading-6">{name}</span>
          <span className="block text-sm text-muted">{why}</span>
        </span>
        <span className="text-sm whitespace-nowrap text-muted tabular-nums">
          {next === null ? plural(rows.length, "row") : `${rows.length}+ rows`}
        </span>
      </summary>
      {rows.length === 0 ? (
        <p className="px-5 pb-4 pl-12 text-sm text-muted sm:px-6 sm:pl-13">No rows.</p>
      ) : (
        <div
          role="group"
          aria-label={`Rows of ${name}`}
          tabIndex={0}
          className="max-h-96 overflow-auto border-t border-line bg-sunken -outline-offset-2"
        >
          <table className="w-max min-w-full text-left font-mono text-xs">
            <caption className="sr-only">Rows of {name}</caption>
            <thead>
              <tr className="border-b border-line">
                {columns.map((column) => (
                  <th
                    key={column}
                    scope="col"
                    className="px-3 py-2 font-medium text-muted first:pl-6 last:pr-6"
                  >
                    {column}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody className="divide-y divide-line">
              {rows.map((row, place) => (
                <tr key={place}>
                  {columns.map((column) => (
                    <td key={column} className="max-w-80 px-3 py-2 wrap-anywhere first:pl-6 last:pr-6">
                      <Value value={row[column] ?? null} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {next !== null && (
        <div className="flex flex-wrap items-center gap-3 border-t border-line px-5 py-3 sm:px-6">
          <Button size="sm" pending={more.isPending} onClick={() => more.mutate(next)}>
            Show more
          </Button>
          {more.isError && <Callout tone="bad">The next rows could not be loaded. Try again.</Callout>}
        </div>
      )}
    </details>
  );
}

function Value({ value }: { value: string | number | null }) {
  return value === null ? <span className="text-muted">null</span> : String(value);
}
