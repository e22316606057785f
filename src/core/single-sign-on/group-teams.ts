/**
 * The teams that someone's groups at the provider put them in. Only memberships that groups of the same provider made
 * are changed or ended: one who was invited stays, in the role that people gave them. The last owner of a team stays, and
 * a team that is full or was deleted takes nobody.
 */
import type { AuditAction } from "../audit-actions.js";
import type { Audit } from "../audit.js";
import { mostMembers } from "../bounds.js";
import type { Clock } from "../clock.js";
import { type TeamRole, teamRoles } from "../entities.js";
import type { KeyRing } from "../keys/key-ring.js";
import type { TeamStore } from "../teams/ports.js";
import type { GroupRule } from "./provider.js";

export interface GroupTeamsParts {
  store: { readonly teams: TeamStore };
  keys: Pick<KeyRing, "forgetAccount">;
  audit: Audit;
  clock: Clock;
}

/** `matched`: the rules of the groups that the person is in. */
export async function applyTeams(
  { store: { teams }, keys, audit, clock }: GroupTeamsParts,
  providerId: string,
  accountId: string,
  matched: readonly GroupRule[],
): Promise<void> {
  const now = clock.now();
  const announce = async (action: AuditAction, teamId: string) => {
    keys.forgetAccount(teamId);
    await audit.record({ accountId }, action, accountId, { teamId, memberId: accountId });
  };
  const wanted = rolesIn(matched);
  const present = new Map(
    (await teams.membershipsOf(accountId)).map((membership) => [membership.teamId, membership]),
  );
  for (const membership of present.values()) {
    const { teamId } = membership;
    if (membership.providerId !== providerId || wanted.has(teamId)) continue;
    if ((await teams.removeMember(teamId, accountId, now)) === "done")
      await announce("removed member of team", teamId);
  }
  for (const [teamId, role] of wanted) {
    const membership = present.get(teamId);
    if (membership === undefined) {
      if ((await teams.find(teamId)) === null || (await teams.count(teamId, now)).members >= mostMembers)
        continue;
      if (await teams.addMember(teamId, accountId, role, providerId))
        await announce("added member of team", teamId);
    } else if (membership.providerId === providerId && membership.role !== role) {
      if ((await teams.setRole(teamId, accountId, role, now)) === "done")
        await announce("changed role in team", teamId);
    }
  }
}

/** By team; of several groups, the role that may do most. */
function rolesIn(rules: readonly GroupRule[]): Map<string, TeamRole> {
  const roles = new Map<string, TeamRole>();
  for (const { team } of rules) {
    if (team === null) continue;
    const other = roles.get(team.id);
    if (other === undefined || teamRoles.indexOf(team.role) < teamRoles.indexOf(other))
      roles.set(team.id, team.role);
  }
  return roles;
}
