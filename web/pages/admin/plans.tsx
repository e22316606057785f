import { useQuery } from "@tanstack/react-query";
import { Layers, Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { api } from "../../service/api.ts";
import { Button, IconButton } from "../../components/controls/button.tsx";
import { Card } from "../../components/frame/card.tsx";
import { ConfirmDialog } from "../../components/overlays/confirm-dialog.tsx";
import { EmptyState } from "../../components/states/empty-state.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { queries } from "../../service/queries.ts";
import { PlanForm } from "./plans/plan-form.tsx";
import { PlanMonths } from "./plans/plan-months.tsx";
import type { CountedPlan } from "./plans/plan-draft.ts";
import type { PlanView } from "../../../src/protocol/dashboard/api.js";
import { modelsText } from "../../components/models/model-name.tsx";
import { actionsColumn, Table, type Column } from "../../components/text/table.tsx";
import { formatCount, plural } from "../../units.ts";

type Open = { type: "create" } | { type: "edit" | "delete"; plan: CountedPlan } | null;

export default function Plans() {
  const list = useQuery(queries.admin.plans);
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const columns: Column<CountedPlan>[] = [
    { header: "Plan", cell: (plan) => <PlanName plan={plan} />, className: "max-w-56" },
    { header: "Per minute", cell: (plan) => <Amounts amounts={ratesOf(plan)} /> },
    number("Concurrent", (plan) => formatCount(plan.concurrentRequests)),
    number("Keys", (plan) => formatCount(plan.maxKeys)),
    number("Max. reply", (plan) => (plan.maxTokens === null ? "No limit" : formatCount(plan.maxTokens))),
    { header: "Quotas", cell: (plan) => <Amounts amounts={quotasOf(plan)} /> },
    number("Accounts", (plan) => formatCount(plan.accounts)),
    actionsColumn((plan) => (
      <span className="-mr-2 inline-flex">
        <IconButton label={`Edit ${plan.name}`} onClick={() => setOpen({ type: "edit", plan })}>
          <Pencil />
        </IconButton>
        <IconButton
          label={plan.accounts === 0 ? `Delete ${plan.name}` : `${plan.name} is in use and cannot be deleted`}
          disabled={plan.accounts > 0}
          onClick={() => setOpen({ type: "delete", plan })}
        >
          <Trash2 />
        </IconButton>
      </span>
    )),
  ];
  return (
    <>
      <PageHeader
        title="Plans"
        description="A plan is a set of limits. Changes apply to its accounts from their next request."
        actions={
          <Button variant="primary" icon={<Plus />} onClick={() => setOpen({ type: "create" })}>
            Create plan
          </Button>
        }
      />
      <div className="flex flex-col gap-6">
        <Card flush>
          <Table
            label="Plans"
            columns={columns}
            rows={list.data?.plans}
            rowId={(plan) => plan.id}
            query={list}
            empty={
              <EmptyState icon={<Layers />} title="No plans yet">
                Accounts need a plan to use the service.
              </EmptyState>
            }
          />
        </Card>
        {list.data !== undefined && <PlanMonths plans={list.data.plans} />}
      </div>
      {open?.type === "create" && (
        <PlanForm plan={null} taken={list.data?.plans.map((plan) => plan.id) ?? []} onClose={close} />
      )}
      {open?.type === "edit" && <PlanForm plan={open.plan} taken={[]} onClose={close} />}
      {open?.type === "delete" && (
        <ConfirmDialog
          onClose={close}
          title="Delete plan"
          onConfirm={() => api.admin.deletePlan(open.plan.id)}
          done={`${open.plan.name} deleted`}
          reads={[queries.admin.plans.queryKey]}
        >
          <strong className="font-medium wrap-anywhere text-ink">{open.plan.name}</strong> will be deleted. No
          account uses it.
        </ConfirmDialog>
      )}
    </>
  );
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

const number = (header: string, cell: (plan: CountedPlan) => string): Column<CountedPlan> => ({
  header,
  cell,
  align: "right",
});
