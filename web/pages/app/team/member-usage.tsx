/** What each member used in a period. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { MemberUsageList } from "../../../../src/protocol/dashboard/teams.js";
import { Card } from "../../../components/frame/card.tsx";
import { EmptyState } from "../../../components/states/empty-state.tsx";
import { Address } from "../../../components/text/breakable.tsx";
import { useFirstRows } from "../../../components/text/first-rows.tsx";
import { Table, type Column } from "../../../components/text/table.tsx";
import { teamQueries } from "../../../service/teams.ts";
import { plural } from "../../../units.ts";
import { counts } from "../usage/usage-breakdown.tsx";
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
    header: "Member",
    cell: ({ email, kind }) =>
      email === null ? <span className="text-muted">{words[kind]}</span> : <Address email={email} />,
  },
  ...counts,
];

export function MemberUsageCard({ team, period }: { team: string; period: UsagePeriod }) {
  const usage = useQuery({
    ...teamQueries.usageByMember(team, period),
    placeholderData: keepPreviousData,
  });
  const rows = useFirstRows(
    usage.data?.members,
    `Show all ${plural(usage.data?.members.length ?? 0, "member")}`,
  );
  return (
    <Card title="By member" flush>
      <Table
        label="Usage by member"
        columns={columns}
        rows={rows.shown}
        rowId={(row) => row.accountId ?? row.kind}
        query={usage}
        empty={<EmptyState title="No requests in this period" />}
      />
      {rows.more}
    </Card>
  );
}
