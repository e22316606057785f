import { useQuery } from "@tanstack/react-query";
import type { InviteView } from "../../../../src/protocol/dashboard/accounts.js";
import { Card } from "../../../components/frame/card.tsx";
import { Address } from "../../../components/text/breakable.tsx";
import { InvitationTable } from "../../../components/overlays/invitations.tsx";
import type { Column } from "../../../components/text/table.tsx";
import { Time } from "../../../components/text/time.tsx";
import { adminApi, adminQueries } from "../../../service/admin.ts";
import { usePlans } from "../../../service/use-plans.ts";

export function InviteList({ onInvite }: { onInvite: () => void }) {
  const plans = usePlans();
  const columns: Column<InviteView>[] = [
    { header: "For", cell: (invite) => <Invited invite={invite} />, className: "max-w-80" },
    { header: "Plan", cell: ({ planId }) => (planId === null ? "Default" : plans.nameOf(planId)) },
    { header: "Created", cell: (invite) => <Time at={invite.createdAt} style="date" /> },
    { header: "Expires", cell: (invite) => <Time at={invite.expiresAt} /> },
  ];
  return (
    <Card flush>
      <InvitationTable
        query={useQuery(adminQueries.invites)}
        columns={columns}
        nameOf={nameOf}
        shownName={(invite) => <Address email={nameOf(invite)} className="font-medium text-ink" />}
        ends="used, revoked or expired"
        revoke={({ id }) => adminApi.revokeInvite(id)}
        reads={[["admin"]]}
        onInvite={onInvite}
      />
    </Card>
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
