import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { UsersRound } from "lucide-react";
import { useEffect, useState } from "react";
import type { AccountView } from "../../../../src/protocol/dashboard/api.js";
import { CursorPager } from "../../../components/controls/cursor-pager.tsx";
import { SearchInput } from "../../../components/controls/search-input.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { EmptyState } from "../../../components/states/empty-state.tsx";
import { useDebounced } from "../../../hooks/use-debounced.ts";
import { useUrlFilters } from "../../../hooks/use-url-filters.ts";
import { adminQueries } from "../../../service/admin.ts";
import { plural } from "../../../units.ts";
import { AccountDialog, type AccountTask } from "./account-dialog.tsx";
import { AccountTable } from "./account-table.tsx";
import { BulkDialog, type BulkAction } from "./bulk-dialog.tsx";
import { noSelection, SelectionActions, SelectionBar, type Selection } from "./selection-bar.tsx";

/** The cursors of the pages visited so far, the current one last. */
type Trail = readonly (string | undefined)[];
const firstPage: Trail = [undefined];

export function AccountList() {
  const [{ search: sought }, setFilters] = useUrlFilters({ search: "" });
  const [typed, setTyped] = useState(sought);
  const search = useDebounced(typed.trim());
  const [trail, setTrail] = useState(firstPage);
  const [task, setTask] = useState<AccountTask | null>(null);
  const [bulk, setBulk] = useState<BulkAction | null>(null);
  const [selection, setSelection] = useState<Selection>(noSelection);
  useEffect(() => setFilters({ search }), [search]);
  const { data, error, refetch } = useQuery({
    ...adminQueries.accounts(search, trail.at(-1)),
    placeholderData: keepPreviousData,
  });
  const next = data?.next ?? null;
  const hasNone = data === undefined ? error !== null : data.accounts.length === 0;
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <SearchInput
          label="Search accounts"
          placeholder="Search by email or id"
          className="w-full sm:max-w-sm"
          value={typed}
          onChange={(text) => {
            setTyped(text);
            setTrail(firstPage);
          }}
        />
        {/* Its line is reserved before the number is known, to avoid a layout shift. */}
        {!hasNone && (
          <p className="min-h-5 text-sm text-muted tabular-nums">
            {data?.total != null && plural(data.total, "account")}
          </p>
        )}
      </div>
      {(!hasNone || selection.size > 0) && (
        <SelectionBar shown={data?.accounts ?? []} selection={selection} onSelect={setSelection} />
      )}
      <Card flush>
        <AccountTable
          rows={data?.accounts}
          error={error}
          onRetry={refetch}
          onTask={setTask}
          selection={selection}
          onSelect={setSelection}
          empty={
            <EmptyState icon={<UsersRound />} title={emptyTitle(search, next)}>
              {search === "" ? "Invite someone to get started." : "Try part of the email address."}
            </EmptyState>
          }
        />
        <CursorPager
          onPrevious={trail.length > 1 ? () => setTrail(trail.slice(0, -1)) : undefined}
          onNext={next === null ? undefined : () => setTrail([...trail, next])}
        >
          Page {trail.length}
        </CursorPager>
      </Card>
      {selection.size > 0 && (
        <SelectionActions onClear={() => setSelection(noSelection)} onAction={setBulk} />
      )}
      {task !== null && <AccountDialog task={task} onClose={() => setTask(null)} />}
      {bulk !== null && (
        <BulkDialog
          action={bulk}
          accounts={[...selection.values()]}
          onChanged={(changed) => setSelection(without(selection, changed))}
          onClose={() => setBulk(null)}
        />
      )}
    </>
  );
}

function emptyTitle(search: string, next: string | null): string {
  if (search === "") return "No accounts yet";
  return next === null ? "No matching accounts" : "None so far; the search continues on the next page";
}

/** Deselects accounts that were changed; refused ones stay selected. */
function without(selection: Selection, changed: readonly AccountView[]): Selection {
  const left = new Map(selection);
  for (const { id } of changed) left.delete(id);
  return left;
}
