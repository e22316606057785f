import { useQuery, useQueryClient } from "@tanstack/react-query";
import { MailPlus } from "lucide-react";
import { useState } from "react";
import type { InviteView } from "../../../../src/protocol/dashboard/accounts.js";
import { Button } from "../../../components/controls/button.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { ConfirmDialog } from "../../../components/overlays/confirm-dialog.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { EmptyState } from "../../../components/states/empty-state.tsx";
import { Address } from "../../../components/text/address.tsx";
import { Table, type Column } from "../../../components/text/table.tsx";
import { Time } from "../../../components/text/time.tsx";
import { adminApi, adminQueries } from "../../../service/admin.ts";
import { queries } from "../../../service/queries.ts";

/** Pending invitations. */
export function InviteList({ onInvite }: { onInvite: () => void }) {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(adminQueries.invites);
  const { data: known } = useQuery(queries.admin.plans);
  const [revoking, setRevoking] = useState<InviteView | null>(null);
  const planName = (id: string | null) =>
    id === null ? "Default" : (known?.plans.find((plan) => plan.id === id)?.name ?? id);
  const columns: Column<InviteView>[] = [
    { id: "email", header: "For", cell: (invite) => <Invited invite={invite} />, className: "max-w-80" },
    { id: "plan", header: "Plan", cell: (invite) => planName(invite.planId) },
    { id: "created", header: "Created", cell: (invite) => <Time at={invite.createdAt} style="date" /> },
    { id: "expires", header: "Expires", cell: (invite) => <Time at={invite.expiresAt} /> },
    {
      id: "actions",
      header: "",
      align: "right",
      cell: (invite) => (
        <Button size="sm" variant="quiet" className="-mr-2.5" onClick={() => setRevoking(invite)}>
          Revoke<span className="sr-only"> the invitation for {nameOf(invite)}</span>
        </Button>
      ),
    },
  ];
  return (
    <>
      <Card flush>
        <Table
          label="Pending invitations"
          columns={columns}
          rows={data?.invites}
          rowId={(invite) => invite.id}
          error={error}
          onRetry={refetch}
          empty={
            <EmptyState
              icon={<MailPlus />}
              title="No pending invitations"
              action={<Button onClick={onInvite}>Invite</Button>}
            >
              Invitations are listed here until they are used, revoked or expired.
            </EmptyState>
          }
        />
      </Card>
      {revoking !== null && (
        <ConfirmDialog
          open
          onOpenChange={() => setRevoking(null)}
          title="Revoke invitation"
          confirm="Revoke invitation"
          onConfirm={async () => {
            await adminApi.revokeInvite(revoking.id);
            toast("Invitation revoked");
            await client.invalidateQueries({ queryKey: ["admin"] });
          }}
        >
          The link for <Address email={nameOf(revoking)} className="font-medium text-ink" /> stops working.
        </ConfirmDialog>
      )}
    </>
  );
}

function Invited({ invite }: { invite: InviteView }) {
  return invite.email === null ? (
    <span className="text-muted">{invite.isForUnknownAddress ? "One address" : "Anyone"}</span>
  ) : (
    <Address email={invite.email} className="font-medium" />
  );
}

const nameOf = ({ email, isForUnknownAddress }: InviteView): string =>
  email ?? (isForUnknownAddress ? "one address" : "anyone");
