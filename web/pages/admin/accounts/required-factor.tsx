/** Who must have a second factor, and how long they have to add it. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { graceDays as bounds } from "../../../../src/core/bounds.js";
import type { RequiredFor, RequirementFacts } from "../../../../src/core/factors/requirement.js";
import { Button } from "../../../components/controls/button.tsx";
import { Field, Input, Select } from "../../../components/controls/field.tsx";
import { Form, FormFailure } from "../../../components/controls/form.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { Loaded } from "../../../components/states/loaded.tsx";
import { useChange } from "../../../hooks/use-change.ts";
import { factorApi, factorQueries } from "../../../service/factors.ts";
import { queries } from "../../../service/queries.ts";

export function RequiredFactor() {
  const read = useQuery(factorQueries.requirement);
  return (
    <Card
      title="Required second factor"
      description="An authenticator app or a passkey besides the password, for the dashboard. Keys work without one."
    >
      <Loaded query={read} what="the requirement" lines={4}>
        {(data) => <RequirementForm facts={data} />}
      </Loaded>
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
  const save = useChange(() => factorApi.saveRequirement({ requiredFor, graceDays: Number(days) }), {
    done: "Saved",
    onDone: (saved) => client.setQueryData(factorQueries.requirement.queryKey, saved),
    // It may be about the reader.
    reads: [queries.site.queryKey],
  });
  const { isConfigured } = facts;
  return (
    <Form className="flex max-w-md flex-col gap-5" error={save.error} onSubmit={() => save.mutate()}>
      {isConfigured && (
        <Callout>
          Set by the configuration (<code className="font-mono">SOTTO_SECOND_FACTOR</code>), and only there.
        </Callout>
      )}
      <Field label="Required for" name="requiredFor">
        <Select
          options={choices}
          disabled={isConfigured}
          value={requiredFor}
          onValue={(chosen) => setRequiredFor(choices.find(({ value }) => value === chosen)?.value ?? "off")}
        />
      </Field>
      {requiredFor !== "off" && (
        <Field
          label="Days to add it"
          hint={`Counted from when it is required, or from when the account was created. 0 to ${bounds.max}.`}
          name="graceDays"
        >
          <Input inputMode="numeric" disabled={isConfigured} maxLength={3} value={days} onValue={setDays} />
        </Field>
      )}
      <FormFailure />
      {!isConfigured && (
        <Button type="submit" variant="primary" pending={save.isPending} className="self-start">
          Save
        </Button>
      )}
    </Form>
  );
}
