import { useQuery, useQueryClient } from "@tanstack/react-query";
import { MailPlus } from "lucide-react";
import { useState } from "react";
import type { TeamInviteView, TeamPage } from "../../../../src/protocol/dashboard/teams.js";
import { Button } from "../../../components/controls/button.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { ConfirmDialog } from "../../../components/overlays/confirm-dialog.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { EmptyState } from "../../../components/states/empty-state.tsx";
import { Address } from "../../../components/text/address.tsx";
import { Table, type Column } from "../../../components/text/table.tsx";
import { Time } from "../../../components/text/time.tsx";
import { teamApi, teamQueries } from "../../../service/teams.ts";
import { roleName } from "./team-roles.ts";

/** Pending invitations. */
export function TeamInvites({ team, onInvite }: { team: TeamPage; onInvite: () => void }) {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(teamQueries.invites(team.id));
  const [revoking, setRevoking] = useState<TeamInviteView | null>(null);
  const columns: Column<TeamInviteView>[] = [
    {
      id: "email",
      header: "For",
      cell: ({ email }) =>
        email === null ? <span className="text-muted">Anyone</span> : <Address email={email} />,
    },
    { id: "role", header: "Role", cell: ({ role }) => roleName(role) },
    { id: "expires", header: "Expires", cell: ({ expiresAt }) => <Time at={expiresAt} /> },
    {
      id: "actions",
      header: "",
      align: "right",
      cell: (invite) => (
        <Button size="sm" variant="quiet" className="-mr-2.5" onClick={() => setRevoking(invite)}>
          Revoke<span className="sr-only"> the invitation for {invite.email ?? "anyone"}</span>
        </Button>
      ),
    },
  ];
  return (
    <Card title="Invitations" flush>
      <Table
        label="Pending invitations"
        columns={columns}
        rows={data?.invites}
        rowId={({ id }) => id}
        error={error}
        onRetry={refetch}
        empty={
          <EmptyState
            icon={<MailPlus />}
            title="No pending invitations"
            action={<Button onClick={onInvite}>Invite</Button>}
          >
            Invitations are listed here until they are used, declined, revoked or expired.
          </EmptyState>
        }
      />
      {revoking !== null && (
        <ConfirmDialog
          open
          onOpenChange={() => setRevoking(null)}
          title="Revoke invitation"
          confirm="Revoke invitation"
          onConfirm={async () => {
            await teamApi.revokeInvite(team.id, revoking.id);
            toast("Invitation revoked");
            await client.invalidateQueries({ queryKey: teamQueries.invites(team.id).queryKey });
          }}
        >
          The link for {revoking.email ?? "anyone"} stops working.
        </ConfirmDialog>
      )}
    </Card>
  );
}
