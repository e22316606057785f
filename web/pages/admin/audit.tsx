import { useInfiniteQuery } from "@tanstack/react-query";
import { ScrollText } from "lucide-react";
import type { AuditEntry } from "../../../src/protocol/dashboard-api.js";
import { api } from "../../service/api.ts";
import { Address } from "../../components/text/address.tsx";
import { Button } from "../../components/controls/button.tsx";
import { Callout } from "../../components/states/callout.tsx";
import { Card } from "../../components/frame/card.tsx";
import { EmptyState } from "../../components/states/empty-state.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { Table, type Column } from "../../components/text/table.tsx";
import { Time } from "../../components/text/time.tsx";

export default function Audit() {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ["admin", "audit"],
    queryFn: ({ pageParam }) => api.admin.audit(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
  });
  return (
    <>
      <PageHeader
        title="Audit trail"
        description="Who changed what: accounts, keys, plans, models, announcements. Never prompts or replies."
      />
      <Card flush>
        <Table
          label="Audit trail"
          columns={columns}
          rows={data?.pages.flatMap((page) => page.entries)}
          rowId={(entry) => entry.id}
          error={error}
          onRetry={refetch}
          empty={
            <EmptyState icon={<ScrollText />} title="No activity yet">
              Changes by people and by the command line appear here.
            </EmptyState>
          }
        />
        {data !== undefined && hasNextPage && (
          <div className="flex flex-col items-center gap-3 border-t border-line px-5 py-3">
            {error !== null && <Callout tone="bad">{error.message}</Callout>}
            <Button size="sm" pending={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              Older
            </Button>
          </div>
        )}
      </Card>
    </>
  );
}

const columns: readonly Column<AuditEntry>[] = [
  { id: "at", header: "Time", cell: (entry) => <Time at={entry.at} style="moment" /> },
  {
    id: "actor",
    header: "Actor",
    cell: (entry) => <Address email={entry.actor} />,
    className: "min-w-44 max-w-72",
  },
  {
    id: "action",
    header: "Action",
    cell: (entry) => entry.action,
  },
  {
    id: "target",
    header: "Target",
    cell: (entry) => <Target entry={entry} />,
    className: "min-w-48 max-w-80",
  },
];

function Target({ entry: { actor, target, targetIsId } }: { entry: AuditEntry }) {
  if (target === "") return <span className="text-muted">–</span>;
  if (target === actor) return <span className="text-muted">their own account</span>;
  if (targetIsId) return <span className="font-mono text-xs wrap-anywhere text-muted">{target}</span>;
  return <Address email={target} />;
}
