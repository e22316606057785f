/** Invitations that are pending, each with a button that revokes it. */
import type { QueryKey } from "@tanstack/react-query";
import { MailPlus } from "lucide-react";
import { useState, type ReactNode } from "react";
import { Button } from "../controls/button.tsx";
import { ConfirmDialog } from "../overlays/confirm-dialog.tsx";
import { EmptyState } from "../states/empty-state.tsx";
import { actionsColumn, Table, type Column, type TableQuery } from "./table.tsx";

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
