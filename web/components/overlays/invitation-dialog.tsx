/** Creates a one-time link for an invitation. Its email address is optional; what else is asked differs. */
import type { QueryKey } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { inviteDays, longest } from "../../../src/core/bounds.js";
import type { OneTimeLink as Link } from "../../../src/protocol/dashboard/api.js";
import { useChange } from "../../hooks/use-change.ts";
import { Field, Input, Select, verbatim } from "../controls/field.tsx";
import { FormDialog } from "./form-dialog.tsx";
import { OneTimeLink } from "./one-time-link.tsx";

interface InvitationDialogProps {
  title: string;
  description: string;
  /** Filled in at first. */
  email?: string;
  emailHint: string;
  /** What is wrong with an address. */
  faultOf?: (email: string) => string | undefined;
  /** After how many days it may expire. */
  days: readonly number[];
  invite: (invitation: { email?: string; expiresInDays: number }) => Promise<Link>;
  reads: readonly QueryKey[];
  /** The other fields, with the one for the days. */
  fields: (expiry: ReactNode) => ReactNode;
  onClose: () => void;
}

export function InvitationDialog(props: InvitationDialogProps) {
  const { title, description, emailHint, faultOf, days, invite, reads, fields, onClose } = props;
  const [typed, setTyped] = useState(props.email ?? "");
  const [checked, setChecked] = useState(false);
  const [expiry, setExpiry] = useState(String(inviteDays.usual));
  const email = typed.trim();
  const fault = email === "" ? undefined : faultOf?.(email);
  const create = useChange(
    () => invite({ ...(email === "" ? {} : { email }), expiresInDays: Number(expiry) }),
    { reads },
  );

  return (
    <FormDialog
      title={title}
      description={description}
      change={create}
      onSubmit={() => {
        setChecked(true);
        if (fault === undefined) create.mutate();
      }}
      submit="Create link"
      result={
        create.data && (
          <OneTimeLink label={email === "" ? "Invitation" : `Invitation for ${email}`} link={create.data} />
        )
      }
      onClose={onClose}
    >
      <Field label="Email" aside="optional" hint={emailHint} name="email" error={checked ? fault : undefined}>
        <Input type="email" maxLength={longest.email} {...verbatim} value={typed} onValue={setTyped} />
      </Field>
      {fields(
        <Field label="Expires" name="expiresInDays">
          <Select
            value={expiry}
            onValue={setExpiry}
            options={days.map((count) => ({
              value: String(count),
              label: count === 1 ? "In a day" : `In ${count} days`,
            }))}
          />
        </Field>,
      )}
    </FormDialog>
  );
}
