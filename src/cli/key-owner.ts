/** Whose keys a command is about: an account's, those of a team, or those of a member in a team. */
import { requireAccount } from "../core/accounts/accounts.js";
import { Audit } from "../core/audit.js";
import { systemClock } from "../core/clock.js";
import type { Account } from "../core/entities.js";
import { hasRight } from "../core/teams/roles.js";
import { TeamAdmin } from "../core/teams/team-admin.js";
import { UserError } from "../core/user-error.js";
import type { FullStore } from "../store/full-store.js";
import { findTeam } from "./find-team.js";

export interface KeyOwner {
  account: Account;
  /** In a team: null for service keys. */
  memberId: string | null;
}

export async function findKeyOwner(
  store: FullStore,
  email: string | undefined,
  teamName: string | undefined,
): Promise<KeyOwner> {
  const person = email === undefined ? null : await requireAccount(store, email);
  if (teamName === undefined) {
    if (person === null) throw new UserError("Name an account, or a team with --team.");
    return { account: person, memberId: null };
  }
  const admin = new TeamAdmin({ store, audit: new Audit(store.audit, systemClock), clock: systemClock });
  const account = await findTeam(admin, teamName);
  if (person === null) return { account, memberId: null };
  const member = await store.teams.membership(account.id, person.id);
  if (member === null) throw new UserError(`${person.email} is not in the team ${account.name}.`);
  if (!hasRight(member.role, "own_keys"))
    throw new UserError(`${person.email} is a ${member.role} of the team, who has no keys.`);
  return { account, memberId: person.id };
}
