/** A team's plan, and the quotas that count in place of the plan's. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Quotas } from "../../../../src/core/entities.js";
import type { AdminTeamDetail } from "../../../../src/protocol/dashboard/teams.js";
import { Button } from "../../../components/controls/button.tsx";
import { Field } from "../../../components/controls/field.tsx";
import { Form } from "../../../components/controls/form.tsx";
import { Input } from "../../../components/controls/input.tsx";
import { Select } from "../../../components/controls/select.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { fieldError, formError } from "../../../form-errors.ts";
import { queries } from "../../../service/queries.ts";
import { teamApi } from "../../../service/teams.ts";

const labels: Record<keyof Quotas, string> = {
  requestsPerDay: "Requests per day",
  tokensPerDay: "Tokens per day",
  requestsPerMonth: "Requests per month",
  tokensPerMonth: "Tokens per month",
};
const names = ["requestsPerDay", "tokensPerDay", "requestsPerMonth", "tokensPerMonth"] as const;

export function TeamPlan({ detail: { team, quotas } }: { detail: AdminTeamDetail }) {
  const client = useQueryClient();
  const { data: plans } = useQuery(queries.admin.plans);
  const [planId, setPlanId] = useState(team.planId);
  const [typed, setTyped] = useState(() => typedOf(quotas));
  const planQuotas = plans?.plans.find((plan) => plan.id === planId);
  const save = useMutation({
    mutationFn: async () => {
      if (planId !== team.planId) await teamApi.admin.setPlan(team.id, planId);
      return teamApi.admin.setQuotas(team.id, toSend(typed));
    },
    onSuccess: async () => {
      toast(`Plan and quotas of ${team.name} saved`);
      await client.invalidateQueries({ queryKey: ["admin"] });
    },
  });
  const failure = formError(save.error, ["planId", ...names]);
  return (
    <Card
      title="Plan and quotas"
      description="Shared by all keys of the team. Where a quota is left empty, the plan’s applies."
    >
      <Form
        className="flex max-w-2xl flex-col gap-5"
        error={save.error}
        onSubmit={() => {
          save.mutate();
        }}
      >
        <Field label="Plan" error={fieldError(save.error, "planId")}>
          <Select
            value={planId}
            onChange={(event) => setPlanId(event.target.value)}
            options={plans?.plans.map((plan) => ({ value: plan.id, label: plan.name })) ?? []}
          />
        </Field>
        <div className="grid gap-5 sm:grid-cols-2">
          {names.map((name) => (
            <Field key={name} label={labels[name]} error={fieldError(save.error, name)}>
              <Input
                value={typed[name]}
                inputMode="numeric"
                autoComplete="off"
                placeholder={planQuotas?.[name]?.toLocaleString("en") ?? "No limit"}
                onChange={(event) => setTyped({ ...typed, [name]: event.target.value })}
              />
            </Field>
          ))}
        </div>
        {failure !== undefined && <Callout tone="bad">{failure}</Callout>}
        <div>
          <Button type="submit" pending={save.isPending}>
            Save
          </Button>
        </div>
      </Form>
    </Card>
  );
}

type Typed = Record<keyof Quotas, string>;

const typedOf = (quotas: Quotas): Typed => ({
  requestsPerDay: textOf(quotas.requestsPerDay),
  tokensPerDay: textOf(quotas.tokensPerDay),
  requestsPerMonth: textOf(quotas.requestsPerMonth),
  tokensPerMonth: textOf(quotas.tokensPerMonth),
});

const textOf = (limit: number | null): string => (limit === null ? "" : String(limit));

const toSend = (typed: Typed): Quotas => ({
  requestsPerDay: numberOf(typed.requestsPerDay),
  tokensPerDay: numberOf(typed.tokensPerDay),
  requestsPerMonth: numberOf(typed.requestsPerMonth),
  tokensPerMonth: numberOf(typed.tokensPerMonth),
});

/** Text that is not a number is sent as one that the service refuses. */
function numberOf(text: string): number | null {
  const digits = text.replaceAll(/[\s,]/g, "");
  if (digits === "") return null;
  return /^\d+$/.test(digits) ? Number(digits) : -1;
}
