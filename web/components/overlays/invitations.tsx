/** Creates a one-time link for an invitation. Its email address is optional; what else is asked differs. */
import type { QueryKey } from "@tanstack/react-query";
import { MailPlus } from "lucide-react";
import { useState, type ReactNode } from "react";
import { inviteDays, longest } from "../../../src/core/bounds.js";
import type { OneTimeLink as Link } from "../../../src/protocol/dashboard/api.js";
import { useChange } from "../../hooks/use-change.ts";
import { Button } from "../controls/button.tsx";
import { Field, Input, Select, verbatim } from "../controls/field.tsx";
import { EmptyState } from "../states/empty-state.tsx";
import { actionsColumn, Table, type Column, type TableQuery } from "../text/table.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
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

/** Invitations that are pending, each with a button that revokes it. */
interface InvitationTableProps<Invitation> {
  query: TableQuery & { data: { invites: Invitation[] } | undefined };
  columns: readonly Column<Invitation>[];
  /** Whom it is for, to be read aloud. */
  nameOf: (invitation: Invitation) => string;
  /** The same in a sentence. */
  shownName?: (invitation: Invitation) => ReactNode;
  /** How one can end: "used, revoked or expired". */
  ends: string;
  revoke: (invitation: Invitation) => Promise<unknown>;
  reads: readonly QueryKey[];
  onInvite: () => void;
}

export function InvitationTable<Invitation extends { id: string }>(props: InvitationTableProps<Invitation>) {
  const { query, columns, nameOf, shownName = nameOf, ends, revoke, reads, onInvite } = props;
  const [revoking, setRevoking] = useState<Invitation | null>(null);
  const actions = actionsColumn((invitation: Invitation) => (
    <Button size="sm" variant="quiet" className="-mr-2.5" onClick={() => setRevoking(invitation)}>
      Revoke<span className="sr-only"> the invitation for {nameOf(invitation)}</span>
    </Button>
  ));
  return (
    <>
      <Table
        label="Pending invitations"
        columns={[...columns, actions]}
        rows={query.data?.invites}
        rowId={({ id }) => id}
        query={query}
        empty={
          <EmptyState
            icon={<MailPlus />}
            title="No pending invitations"
            action={<Button onClick={onInvite}>Invite</Button>}
          >
            Invitations are listed here until they are {ends}.
          </EmptyState>
        }
      />
      {revoking !== null && (
        <ConfirmDialog
          onClose={() => setRevoking(null)}
          title="Revoke invitation"
          onConfirm={() => revoke(revoking)}
          done="Invitation revoked"
          reads={reads}
        >
          The link for {shownName(revoking)} stops working.
        </ConfirmDialog>
      )}
    </>
  );
}
