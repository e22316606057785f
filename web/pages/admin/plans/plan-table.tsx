import { Pencil, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import type { PlanView } from "../../../../src/protocol/dashboard/api.js";
import { IconButton } from "../../../components/controls/button.tsx";
import { modelsText } from "../../../components/models/model-name.tsx";
import { Table, type Column } from "../../../components/text/table.tsx";
import { formatCount, plural } from "../../../units.ts";

export type CountedPlan = PlanView & { accounts: number };

interface PlanTableProps {
  rows: CountedPlan[] | undefined;
  error: Error | null;
  onRetry: () => unknown;
  onEdit: (plan: CountedPlan) => void;
  onDelete: (plan: CountedPlan) => void;
  empty: ReactNode;
}

export function PlanTable({ onEdit, onDelete, ...table }: PlanTableProps) {
  const columns: Column<CountedPlan>[] = [
    { id: "name", header: "Plan", cell: (plan) => <PlanName plan={plan} />, className: "max-w-56" },
    { id: "rates", header: "Per minute", cell: (plan) => <Amounts amounts={ratesOf(plan)} /> },
    number("concurrent", "Concurrent", (plan) => formatCount(plan.concurrentRequests)),
    number("keys", "Keys", (plan) => formatCount(plan.maxKeys)),
    number("reply", "Max. reply", (plan) =>
      plan.maxTokens === null ? "No limit" : formatCount(plan.maxTokens),
    ),
    { id: "quotas", header: "Quotas", cell: (plan) => <Amounts amounts={quotasOf(plan)} /> },
    number("accounts", "Accounts", (plan) => formatCount(plan.accounts)),
    {
      id: "actions",
      header: "",
      align: "right",
      cell: (plan) => (
        <span className="-mr-2 inline-flex">
          <IconButton label={`Edit ${plan.name}`} onClick={() => onEdit(plan)}>
            <Pencil />
          </IconButton>
          <IconButton
            label={
              plan.accounts === 0 ? `Delete ${plan.name}` : `${plan.name} is in use and cannot be deleted`
            }
            disabled={plan.accounts > 0}
            onClick={() => onDelete(plan)}
          >
            <Trash2 />
          </IconButton>
        </span>
      ),
    },
  ];
  return <Table label="Plans" columns={columns} rowId={(plan) => plan.id} {...table} />;
}

function PlanName({ plan }: { plan: CountedPlan }) {
  return (
    <span className="block min-w-0">
      <span className="block font-medium wrap-anywhere">{plan.name}</span>
      <span className="block text-sm wrap-anywhere text-muted">
        {plan.id}, {modelsText(plan.models).toLowerCase()}
      </span>
    </span>
  );
}

const ratesOf = (plan: PlanView): string[] => [
  plural(plan.requestsPerMinute, "request"),
  plural(plan.tokensPerMinute, "token"),
];

const quotasOf = (plan: PlanView): string[] =>
  [
    { limit: plan.requestsPerDay, unit: "request", period: "day" },
    { limit: plan.tokensPerDay, unit: "token", period: "day" },
    { limit: plan.requestsPerMonth, unit: "request", period: "month" },
    { limit: plan.tokensPerMonth, unit: "token", period: "month" },
  ].flatMap(({ limit, unit, period }) => (limit === null ? [] : [`${plural(limit, unit)}/${period}`]));

/** One to a line: a long list is compared at a glance. */
function Amounts({ amounts }: { amounts: readonly string[] }) {
  if (amounts.length === 0) return "None";
  return (
    <ul className="text-sm whitespace-nowrap tabular-nums @max-[56rem]:whitespace-normal">
      {amounts.map((amount) => (
        <li key={amount}>{amount}</li>
      ))}
    </ul>
  );
}

function number(id: string, header: string, cell: (plan: CountedPlan) => string): Column<CountedPlan> {
  return { id, header, cell, align: "right" };
}
