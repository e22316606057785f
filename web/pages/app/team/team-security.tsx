/** What a team asks of its members: the networks they are in, and a second factor. For owners, and for admins. */
import { useState } from "react";
import { graceDays } from "../../../../src/core/bounds.js";
import type { TeamSecurityView } from "../../../../src/protocol/dashboard/teams.js";
import { Checkbox } from "../../../components/controls/checkbox.tsx";
import { Field, Input } from "../../../components/controls/field.tsx";
import { Form, FormEnd } from "../../../components/controls/form.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { useChange } from "../../../hooks/use-change.ts";
import { queries } from "../../../service/queries.ts";
import { NetworksField, networksToSend } from "../keys/key-fields.tsx";

interface TeamSecurityProps {
  security: TeamSecurityView;
  save: (security: TeamSecurityView) => Promise<unknown>;
  /** What shows the team, to be read again. */
  queryKey: readonly string[];
}

export function TeamSecurity({ security, save, queryKey }: TeamSecurityProps) {
  const [networks, setNetworks] = useState(security.allowFrom?.join(", ") ?? "");
  const [isRequired, setIsRequired] = useState(security.secondFactorDays !== null);
  const [days, setDays] = useState(String(security.secondFactorDays ?? graceDays.usual));
  const saving = useChange(
    () => save({ allowFrom: networksToSend(networks), secondFactorDays: isRequired ? Number(days) : null }),
    // It may be about the reader.
    { done: "Security saved", reads: [queryKey, queries.site.queryKey] },
  );
  return (
    <Card title="Security" description="For all keys of the team, and for its pages.">
      <Form className="flex max-w-lg flex-col gap-5" error={saving.error} onSubmit={() => saving.mutate()}>
        <NetworksField value={networks} onChange={setNetworks} />
        <Checkbox
          label="Members need a second factor"
          hint="An authenticator app or a passkey, for the dashboard. Whoever signs in with an identity provider is not asked."
          checked={isRequired}
          onChange={setIsRequired}
        />
        {isRequired && (
          <Field
            label="Days to add it"
            hint={`Counted from when it is required, or from joining the team. 0 to ${graceDays.max}.`}
            name="secondFactorDays"
          >
            <Input inputMode="numeric" maxLength={3} value={days} onValue={setDays} />
          </Field>
        )}
        <FormEnd change={saving}>Save security</FormEnd>
      </Form>
    </Card>
  );
}
