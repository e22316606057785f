/** What a team asks of its members: the networks they are in, and a second factor. For owners, and for admins. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { graceDays } from "../../../../src/core/bounds.js";
import type { TeamSecurityView } from "../../../../src/protocol/dashboard/teams.js";
import { Button } from "../../../components/controls/button.tsx";
import { Checkbox } from "../../../components/controls/checkbox.tsx";
import { Field } from "../../../components/controls/field.tsx";
import { Form } from "../../../components/controls/form.tsx";
import { Input } from "../../../components/controls/input.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { fieldError, formError } from "../../../form-errors.ts";
import { queries } from "../../../service/queries.ts";
import { NetworksField, networksToSend } from "../keys/networks-field.tsx";

interface TeamSecurityProps {
  security: TeamSecurityView;
  save: (security: TeamSecurityView) => Promise<unknown>;
  /** What shows the team, to be read again. */
  queryKey: readonly string[];
}

export function TeamSecurity({ security, save, queryKey }: TeamSecurityProps) {
  const client = useQueryClient();
  const [networks, setNetworks] = useState(security.allowFrom?.join(", ") ?? "");
  const [isRequired, setIsRequired] = useState(security.secondFactorDays !== null);
  const [days, setDays] = useState(String(security.secondFactorDays ?? graceDays.usual));
  const saving = useMutation({
    mutationFn: () =>
      save({ allowFrom: networksToSend(networks), secondFactorDays: isRequired ? Number(days) : null }),
    onSuccess: async () => {
      toast("Security saved");
      await Promise.all([
        client.invalidateQueries({ queryKey }),
        // It may be about the reader.
        client.invalidateQueries({ queryKey: queries.site.queryKey }),
      ]);
    },
  });
  const failure = formError(saving.error, ["allowFrom", "secondFactorDays"]);
  return (
    <Card title="Security" description="For all keys of the team, and for its pages.">
      <Form
        className="flex max-w-lg flex-col gap-5"
        error={saving.error}
        onSubmit={() => {
          saving.mutate();
        }}
      >
        <NetworksField
          value={networks}
          onChange={setNetworks}
          error={fieldError(saving.error, "allowFrom")}
        />
        <Checkbox
          label="Members need a second factor"
          hint="An authenticator app or a passkey, for the dashboard. Whoever signs in with an identity provider is not asked."
          checked={isRequired}
          onChange={({ target }) => setIsRequired(target.checked)}
        />
        {isRequired && (
          <Field
            label="Days to add it"
            hint={`Counted from when it is required, or from joining the team. 0 to ${graceDays.max}.`}
            error={fieldError(saving.error, "secondFactorDays")}
          >
            <Input
              inputMode="numeric"
              maxLength={3}
              value={days}
              onChange={(event) => setDays(event.target.value)}
            />
          </Field>
        )}
        {failure !== undefined && <Callout tone="bad">{failure}</Callout>}
        <div>
          <Button type="submit" pending={saving.isPending}>
            Save security
          </Button>
        </div>
      </Form>
    </Card>
  );
}
