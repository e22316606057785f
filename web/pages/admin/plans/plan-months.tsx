import { useQuery } from "@tanstack/react-query";
import type { MonthCount, MonthView } from "../../../../src/core/limits/month-use.js";
import { ForecastText } from "../../../components/figures/month-use.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { Table, type Column } from "../../../components/text/table.tsx";
import { queries } from "../../../service/queries.ts";
import { formatCount } from "../../../units.ts";
import type { CountedPlan } from "./plan-draft.ts";

type PlanMonth = MonthView & { plan: CountedPlan };

/** What the accounts of each plan used this month, together. */
export function PlanMonths({ plans }: { plans: readonly CountedPlan[] }) {
  const months = useQuery(queries.admin.planMonths);
  const rows = months.data?.plans.flatMap(({ planId, ...month }) => {
    const plan = plans.find(({ id }) => id === planId);
    return plan === undefined ? [] : [{ ...month, plan }];
  });
  return (
    <Card
      flush
      title="This month"
      description="All accounts of a plan together, against their quotas together. The forecast continues at the rate of the last seven days."
    >
      <Table
        label="This month by plan"
        columns={columns}
        rows={rows}
        rowId={({ plan }) => plan.id}
        query={months}
        empty={null}
      />
    </Card>
  );
}

const columns: readonly Column<PlanMonth>[] = [
  {
    header: "Plan",
    cell: ({ plan }) => <span className="font-medium wrap-anywhere">{plan.name}</span>,
    className: "max-w-56",
  },
  { header: "Tokens", cell: ({ tokens }) => <Used count={tokens} /> },
  { header: "Requests", cell: ({ requests }) => <Used count={requests} /> },
];

function Used({ count }: { count: MonthCount }) {
  return (
    <span className="block tabular-nums">
      <span className="block">
        {formatCount(count.used)}
        {count.limit !== null && ` of ${formatCount(count.limit)}`}
      </span>
      <span className="block text-sm text-muted">
        <ForecastText count={count} />
      </span>
    </span>
  );
}
