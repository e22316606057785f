import { useState } from "react";
import { inviteDays } from "../../../../src/core/bounds.js";
import type { TeamRole } from "../../../../src/core/entities.js";
import type { TeamPage } from "../../../../src/protocol/dashboard/teams.js";
import { Field, Select } from "../../../components/controls/field.tsx";
import { InvitationDialog } from "../../../components/overlays/invitations.tsx";
import { teamApi, teamQueries } from "../../../service/teams.ts";
import { isRole, roleHints, rolesToGive } from "./team-roles.ts";

export function TeamInviteDialog({ team, onClose }: { team: TeamPage; onClose: () => void }) {
  const [role, setRole] = useState<TeamRole>("member");

  return (
    <InvitationDialog
      title={`Invite to ${team.name}`}
      description="A link that lets one person who has an account join the team."
      emailHint="If you enter one, the link works only for the account with that address."
      days={[1, inviteDays.usual, 30, inviteDays.max]}
      invite={(invitation) => teamApi.invite(team.id, { ...invitation, role })}
      reads={[teamQueries.invites(team.id).queryKey]}
      fields={(expiry) => (
        <>
          <Field label="Role" hint={roleHints[role]} name="role">
            <Select
              value={role}
              onValue={(value) => isRole(value) && setRole(value)}
              options={rolesToGive(team.role)}
            />
          </Field>
          {expiry}
        </>
      )}
      onClose={onClose}
    />
  );
}
