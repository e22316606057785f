import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Layers, Plus } from "lucide-react";
import { useState } from "react";
import { api } from "../../service/api.ts";
import { Button } from "../../components/controls/button.tsx";
import { Card } from "../../components/frame/card.tsx";
import { ConfirmDialog } from "../../components/overlays/confirm-dialog.tsx";
import { EmptyState } from "../../components/states/empty-state.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { toast } from "../../components/overlays/toast.tsx";
import { queries } from "../../service/queries.ts";
import { PlanForm } from "./plans/plan-form.tsx";
import { PlanMonths } from "./plans/plan-months.tsx";
import { PlanTable, type CountedPlan } from "./plans/plan-table.tsx";

type Open = { type: "create" } | { type: "edit" | "delete"; plan: CountedPlan } | null;

export default function Plans() {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(queries.admin.plans);
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
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
          <PlanTable
            rows={data?.plans}
            error={error}
            onRetry={refetch}
            onEdit={(plan) => setOpen({ type: "edit", plan })}
            onDelete={(plan) => setOpen({ type: "delete", plan })}
            empty={
              <EmptyState icon={<Layers />} title="No plans yet">
                Accounts need a plan to use the service.
              </EmptyState>
            }
          />
        </Card>
        {data !== undefined && <PlanMonths plans={data.plans} />}
      </div>
      {open?.type === "create" && (
        <PlanForm plan={null} taken={data?.plans.map((plan) => plan.id) ?? []} onClose={close} />
      )}
      {open?.type === "edit" && <PlanForm plan={open.plan} taken={[]} onClose={close} />}
      {open?.type === "delete" && (
        <ConfirmDialog
          open
          onOpenChange={close}
          title="Delete plan"
          confirm="Delete plan"
          onConfirm={async () => {
            await api.admin.deletePlan(open.plan.id);
            toast(`${open.plan.name} deleted`);
            await client.invalidateQueries({ queryKey: queries.admin.plans.queryKey });
          }}
        >
          <strong className="font-medium wrap-anywhere text-ink">{open.plan.name}</strong> will be deleted. No
          account uses it.
        </ConfirmDialog>
      )}
    </>
  );
}
