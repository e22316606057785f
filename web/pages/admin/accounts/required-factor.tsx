/** Who must have a second factor, and how long they have to add it. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { graceDays as bounds } from "../../../../src/core/bounds.js";
import type { RequiredFor, RequirementFacts } from "../../../../src/core/factors/requirement.js";
import { Button } from "../../../components/controls/button.tsx";
import { Field } from "../../../components/controls/field.tsx";
import { Form } from "../../../components/controls/form.tsx";
import { Input } from "../../../components/controls/input.tsx";
import { Select } from "../../../components/controls/select.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { ErrorState } from "../../../components/states/error-state.tsx";
import { SkeletonLines } from "../../../components/states/skeleton.tsx";
import { fieldError, formError } from "../../../form-errors.ts";
import { factorApi, factorQueries } from "../../../service/factors.ts";
import { queries } from "../../../service/queries.ts";

export function RequiredFactor() {
  const { data, error, refetch } = useQuery(factorQueries.requirement);
  return (
    <Card
      title="Required second factor"
      description="An authenticator app or a passkey besides the password, for the dashboard. Keys work without one."
    >
      {data === undefined ? (
        error === null ? (
          <SkeletonLines lines={4} />
        ) : (
          <ErrorState error={error} onRetry={refetch} what="the requirement" />
        )
      ) : (
        <RequirementForm facts={data} />
      )}
    </Card>
  );
}

const choices: { value: RequiredFor; label: string }[] = [
  { value: "off", label: "Nobody: everyone may choose" },
  { value: "admins", label: "Admins" },
  { value: "all", label: "Everyone" },
];

function RequirementForm({ facts }: { facts: RequirementFacts }) {
  const client = useQueryClient();
  const [requiredFor, setRequiredFor] = useState(facts.requiredFor);
  const [days, setDays] = useState(String(facts.graceDays));
  const save = useMutation({
    mutationFn: () => factorApi.saveRequirement({ requiredFor, graceDays: Number(days) }),
    onSuccess: (saved) => {
      client.setQueryData(factorQueries.requirement.queryKey, saved);
      toast("Saved");
      // It may be about the reader.
      void client.invalidateQueries({ queryKey: queries.site.queryKey });
    },
    gcTime: 0,
  });
  const failure = formError(save.error, ["requiredFor", "graceDays"]);
  const { isConfigured } = facts;
  return (
    <Form className="flex max-w-md flex-col gap-5" error={save.error} onSubmit={() => save.mutate()}>
      {isConfigured && (
        <Callout>
          Set by the configuration (<code className="font-mono">SOTTO_SECOND_FACTOR</code>), and only there.
        </Callout>
      )}
      <Field label="Required for" error={fieldError(save.error, "requiredFor")}>
        <Select
          options={choices}
          disabled={isConfigured}
          value={requiredFor}
          onChange={({ target }) =>
            setRequiredFor(choices.find(({ value }) => value === target.value)?.value ?? "off")
          }
        />
      </Field>
      {requiredFor !== "off" && (
        <Field
          label="Days to add it"
          hint={`Counted from when it is required, or from when the account was created. 0 to ${bounds.max}.`}
          error={fieldError(save.error, "graceDays")}
        >
          <Input
            inputMode="numeric"
            disabled={isConfigured}
            maxLength={3}
            value={days}
            onChange={(event) => setDays(event.target.value)}
          />
        </Field>
      )}
      {failure !== undefined && <Callout tone="bad">{failure}</Callout>}
      {!isConfigured && (
        <Button type="submit" variant="primary" pending={save.isPending} className="self-start">
          Save
        </Button>
      )}
    </Form>
  );
}
