/** What each member used in a period. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { MemberUsageList } from "../../../../src/protocol/dashboard/teams.js";
import { Card } from "../../../components/frame/card.tsx";
import { EmptyState } from "../../../components/states/empty-state.tsx";
import { Address } from "../../../components/text/address.tsx";
import { useFirstRows } from "../../../components/text/first-rows.tsx";
import { Table, type Column } from "../../../components/text/table.tsx";
import { teamQueries } from "../../../service/teams.ts";
import { formatCount, plural } from "../../../units.ts";
import type { UsagePeriod } from "../usage/usage-period.ts";

type Row = MemberUsageList["members"][number];

const words: Record<Row["kind"], string> = {
  member: "A member",
  "former member": "A former member",
  "service keys": "Service keys",
  "deleted keys": "Deleted keys",
};

const columns: readonly Column<Row>[] = [
  {
    id: "member",
    header: "Member",
    cell: ({ email, kind }) =>
      email === null ? <span className="text-muted">{words[kind]}</span> : <Address email={email} />,
  },
  { id: "requests", header: "Requests", align: "right", cell: (row) => formatCount(row.requests) },
  { id: "refused", header: "Refused", align: "right", cell: (row) => formatCount(row.refused) },
  { id: "tokens", header: "Tokens", align: "right", cell: (row) => formatCount(row.tokens) },
];

export function MemberUsageCard({ team, period }: { team: string; period: UsagePeriod }) {
  const { data, error, refetch } = useQuery({
    ...teamQueries.usageByMember(team, period),
    placeholderData: keepPreviousData,
  });
  const rows = useFirstRows(data?.members, `Show all ${plural(data?.members.length ?? 0, "member")}`);
  return (
    <Card title="By member" flush>
      <Table
        label="Usage by member"
        columns={columns}
        rows={rows.shown}
        rowId={(row) => row.accountId ?? row.kind}
        error={error}
        onRetry={refetch}
        empty={<EmptyState title="No requests in this period" />}
      />
      {rows.more}
    </Card>
  );
}
