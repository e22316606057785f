/** A team's plan, and the quotas that count in place of the plan's. */
import { useState } from "react";
import type { AdminTeamDetail } from "../../../src/protocol/dashboard/teams.js";
import { Field, Select } from "../../components/controls/field.tsx";
import { Form, FormEnd } from "../../components/controls/form.tsx";
import { Card } from "../../components/frame/card.tsx";
import { useChange } from "../../hooks/use-change.ts";
import { teamApi } from "../../service/teams.ts";
import { usePlans } from "../../service/use-plans.ts";
import { asTyped, LimitFields, quotaNames, toSend } from "../app/keys/limit-fields.tsx";

export function TeamPlan({ detail: { team, quotas } }: { detail: AdminTeamDetail }) {
  const { plans, options } = usePlans();
  const [planId, setPlanId] = useState(team.planId);
  const [typed, setTyped] = useState(() => asTyped(quotaNames, quotas));
  const save = useChange(
    async () => {
      if (planId !== team.planId) await teamApi.admin.setPlan(team.id, planId);
      return teamApi.admin.setQuotas(team.id, toSend(quotaNames, typed));
    },
    { done: `Plan and quotas of ${team.name} saved`, reads: [["admin"]] },
  );

  return (
    <Card
      title="Plan and quotas"
      description="Shared by all keys of the team. Where a quota is left empty, the plan’s applies."
    >
      <Form className="flex max-w-2xl flex-col gap-5" error={save.error} onSubmit={() => save.mutate()}>
        <Field label="Plan" name="planId">
          <Select value={planId} onValue={setPlanId} options={options} />
        </Field>
        <LimitFields
          names={quotaNames}
          value={typed}
          onChange={setTyped}
          plan={plans.find((plan) => plan.id === planId)}
          className="gap-5"
        />
        <FormEnd change={save}>Save</FormEnd>
      </Form>
    </Card>
  );
}
