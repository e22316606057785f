import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { AccountView } from "../../../../src/protocol/dashboard/api.js";
import { api } from "../../../service/api.ts";
import { Address } from "../../../components/text/address.tsx";
import { Button } from "../../../components/controls/button.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { Dialog } from "../../../components/overlays/dialog.tsx";
import { Field } from "../../../components/controls/field.tsx";
import { Form } from "../../../components/controls/form.tsx";
import { Select } from "../../../components/controls/select.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { fieldError, formError } from "../../../form-errors.ts";
import { queries } from "../../../service/queries.ts";
import { formatCount, formatPerMinute, unbroken } from "../../../units.ts";

export function PlanDialog({ account, onClose }: { account: AccountView; onClose: () => void }) {
  const client = useQueryClient();
  const [planId, setPlanId] = useState(account.planId);
  const { data, error } = useQuery(queries.admin.plans);
  const save = useMutation({
    mutationFn: () => api.admin.setPlan(account.id, { planId }),
    onSuccess: async () => {
      toast(`Plan changed for ${account.email}`);
      onClose();
      await Promise.all([
        client.invalidateQueries({ queryKey: ["admin"] }),
        // It may be the reader’s own account.
        client.invalidateQueries({ queryKey: queries.site.queryKey }),
      ]);
    },
  });
  const chosen = data?.plans.find((plan) => plan.id === planId);
  const failure = formError(save.error ?? error, ["planId"]);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissable={!save.isPending}
      size="sm"
      title="Change plan"
      description={<Address email={account.email} />}
      footer={
        <>
          <Button onClick={onClose} disabled={save.isPending}>
            Cancel
          </Button>
          <Button
            type="submit"
            form="change-plan"
            variant="primary"
            pending={save.isPending}
            disabled={planId === account.planId}
          >
            Change plan
          </Button>
        </>
      }
    >
      <Form
        id="change-plan"
        className="flex flex-col gap-5"
        error={save.error}
        onSubmit={() => {
          save.mutate();
        }}
      >
        <Field
          label="Plan"
          hint={
            chosen &&
            `${formatPerMinute(chosen)}, ${unbroken(`${formatCount(chosen.concurrentRequests)} concurrent`)}.`
          }
          error={fieldError(save.error, "planId")}
        >
          <Select
            value={planId}
            onChange={(event) => setPlanId(event.target.value)}
            options={data?.plans.map((plan) => ({ value: plan.id, label: plan.name })) ?? []}
          />
        </Field>
        {failure !== undefined && <Callout tone="bad">{failure}</Callout>}
      </Form>
    </Dialog>
  );
}
