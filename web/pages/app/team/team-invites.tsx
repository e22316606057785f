import { useQuery } from "@tanstack/react-query";
import type { TeamInviteView, TeamPage } from "../../../../src/protocol/dashboard/teams.js";
import { Card } from "../../../components/frame/card.tsx";
import { Address } from "../../../components/text/breakable.tsx";
import { InvitationTable } from "../../../components/text/invitation-table.tsx";
import type { Column } from "../../../components/text/table.tsx";
import { Time } from "../../../components/text/time.tsx";
import { teamApi, teamQueries } from "../../../service/teams.ts";
import { roleName } from "./team-roles.ts";

export function TeamInvites({ team, onInvite }: { team: TeamPage; onInvite: () => void }) {
  return (
    <Card title="Invitations" flush>
      <InvitationTable
        query={useQuery(teamQueries.invites(team.id))}
        columns={columns}
        nameOf={({ email }) => email ?? "anyone"}
        ends="used, declined, revoked or expired"
        revoke={({ id }) => teamApi.revokeInvite(team.id, id)}
        reads={[teamQueries.invites(team.id).queryKey]}
        onInvite={onInvite}
      />
    </Card>
  );
}

const columns: readonly Column<TeamInviteView>[] = [
  {
    header: "For",
    cell: ({ email }) =>
      email === null ? <span className="text-muted">Anyone</span> : <Address email={email} />,
  },
  { header: "Role", cell: ({ role }) => roleName(role) },
  { header: "Expires", cell: ({ expiresAt }) => <Time at={expiresAt} /> },
];
