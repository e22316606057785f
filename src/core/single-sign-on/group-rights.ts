/**
 * What someone's groups at the provider give, applied each time they sign in, so that leaving a group takes it away
 * again. Plan and role are only touched where a rule of the provider is about them. The last admin stays one.
 *
 * Of teams, only memberships that groups of the same provider made are changed or ended: one who was invited stays, in
 * the role that people gave them. The last owner of a team stays, and a team that is full or was deleted takes nobody.
 */
import { defaultPlanId } from "../accounts/accounts.js";
import type { AccountStore } from "../accounts/ports.js";
import type { AuditAction } from "../audit-actions.js";
import type { Audit } from "../audit.js";
import { mostMembers } from "../bounds.js";
import type { Clock } from "../clock.js";
import { type Account, type TeamRole, teamRoles } from "../entities.js";
import type { KeyRing } from "../keys/key-ring.js";
import type { Store } from "../store.js";
import type { TeamStore } from "../teams/ports.js";
import type { GroupRule, Provider } from "./provider.js";

export interface GroupRightsParts {
  store: Store & { readonly accounts: AccountStore; readonly teams: TeamStore };
  keys: Pick<KeyRing, "forgetAccount">;
  audit: Audit;
  clock: Clock;
}

export async function applyGroups(
  parts: GroupRightsParts,
  provider: Provider,
  account: Account,
  groups: readonly string[] | null,
): Promise<Account> {
  const { store, keys, audit } = parts;
  const { groupClaim, groups: rules } = provider;
  if (groupClaim === null || groups === null) return account;
  const matched = rules.filter(({ group }) => groups.includes(group));
  let { planId, role } = account;
  if (rules.some((rule) => rule.planId !== null)) {
    const wanted = matched.find((rule) => rule.planId !== null)?.planId ?? defaultPlanId;
    // A plan that was deleted since changes nothing.
    if (wanted !== planId && (await store.findPlan(wanted)) !== null) {
      await store.setAccountPlan(account.id, wanted);
      await audit.record({ accountId: account.id }, "changed plan of account", account.id);
      planId = wanted;
    }
  }
  if (rules.some(({ isAdmin }) => isAdmin)) {
    const wanted = matched.some(({ isAdmin }) => isAdmin) ? "admin" : "user";
    if (wanted !== role && (await store.accounts.setRole(account.id, wanted))) {
      await audit.record({ accountId: account.id }, "changed role of account", account.id);
      role = wanted;
    }
  }
  await applyTeams(parts, provider.id, account.id, matched);
  if (planId !== account.planId || role !== account.role) keys.forgetAccount(account.id);
  return { ...account, planId, role };
}

/** `matched`: the rules of the groups that the person is in. */
async function applyTeams(
  { store: { teams }, keys, audit, clock }: GroupRightsParts,
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
