import { useInfiniteQuery } from "@tanstack/react-query";
import { ScrollText } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";
import type { AuditEntry, AuditFilters } from "../../../src/protocol/dashboard/audit.js";
import { Button } from "../../components/controls/button.tsx";
import { Callout } from "../../components/states/callout.tsx";
import { EmptyState } from "../../components/states/empty-state.tsx";
import { Address } from "../../components/text/breakable.tsx";
import { Table, type Column } from "../../components/text/table.tsx";
import { Time } from "../../components/text/time.tsx";
import { ApiError } from "../../service/request.ts";
import { adminQueries } from "../../service/admin.ts";
import { accountAddress } from "./accounts/account-address.ts";

interface AuditTableProps {
  filters: AuditFilters;
  /** How many rows to show until older ones are requested; by default all that were loaded. */
  atFirst?: number;
}

export function AuditTable({ filters, atFirst = Infinity }: AuditTableProps) {
  const list = useInfiniteQuery(adminQueries.audit(filters));
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = list;
  const [most, setMost] = useState(atFirst);
  const entries = data?.pages.flatMap((page) => page.entries);
  const isFolded = entries !== undefined && entries.length > most;
  const isNarrowed = Object.values(filters).some((value) => value !== undefined);
  // An invalid filter is explained beside its input.
  const refused = error instanceof ApiError && error.field !== undefined;
  return (
    <>
      <Table
        label="Audit trail"
        columns={columns}
        rows={refused ? [] : entries?.slice(0, most)}
        rowId={(entry) => entry.id}
        query={list}
        empty={
          <EmptyState icon={<ScrollText />} title={isNarrowed ? "No matching activity" : "No activity yet"}>
            {isNarrowed
              ? "Try a longer period or fewer filters."
              : "Changes by people and by the command line appear here."}
          </EmptyState>
        }
      />
      {(isFolded || (data !== undefined && hasNextPage)) && (
        <div className="flex flex-col items-center gap-3 border-t border-line px-5 py-3">
          {error !== null && <Callout tone="bad">{error.message}</Callout>}
          <Button
            size="sm"
            pending={isFetchingNextPage}
            onClick={() => (isFolded ? setMost(Infinity) : void fetchNextPage())}
          >
            Older
          </Button>
        </div>
      )}
    </>
  );
}

const columns: readonly Column<AuditEntry>[] = [
  {
    header: "Action",
    cell: (entry) => <span className="font-medium">{entry.action}</span>,
  },
  {
    header: "Actor",
    cell: ({ actor, actorId, actorKey }) => (
      <span className="block min-w-0">
        <AccountName name={actor} id={actorId} />
        {actorKey !== null && (
          <span className="block text-sm wrap-anywhere text-muted">with the key {actorKey}</span>
        )}
      </span>
    ),
    className: "min-w-44 max-w-72",
  },
  {
    header: "Target",
    cell: (entry) => <Target entry={entry} />,
    className: "min-w-48 max-w-80",
  },
  {
    header: "Time",
    cell: (entry) => <Time at={entry.at} style="second" />,
    className: "xl:whitespace-nowrap",
  },
];

function Target({ entry }: { entry: AuditEntry }) {
  const { actor, target, targetAccountId, targetOwner, targetIsId } = entry;
  if (target === "") return <span className="text-muted">–</span>;
  if (target === actor) return <span className="text-muted">their own account</span>;
  if (targetIsId) {
    return (
      <span title={target} className="block truncate font-mono text-xs text-muted">
        {target}
      </span>
    );
  }
  if (targetOwner === null) return <AccountName name={target} id={targetAccountId} />;
  return (
    <span className="block min-w-0">
      <span className="block wrap-anywhere">{target}</span>
      {targetOwner !== actor && (
        <span className="block text-sm text-muted">
          of <AccountName name={targetOwner} id={targetAccountId} />
        </span>
      )}
    </span>
  );
}

function AccountName({ name, id }: { name: string; id: string | null }) {
  if (id === null) return <Address email={name} />;
  return (
    <Link href={accountAddress(id)} className="rounded-sm hover:underline">
      <Address email={name} />
    </Link>
  );
}
