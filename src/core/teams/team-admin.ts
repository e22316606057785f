/**
 * What the operator does with teams, on the admin pages, at the command line, and for whatever else manages them, such as
 * groups of an identity provider.
 */
import type { AuditAction } from "../audit-actions.js";
import type { Actor, Audit } from "../audit.js";
import type { Clock } from "../clock.js";
import { checkPlanId } from "../accounts/plans.js";
import { existing, invalid } from "../dashboard-error.js";
import type { KeyLimits, Plan, Quotas, TeamRole } from "../entities.js";
import { withQuotas } from "../entities.js";
import type { KeyRing } from "../keys/key-ring.js";
import type { Store } from "../store.js";
import type { Membership, Team, TeamChange, TeamCounts, TeamStore, TeamSummary } from "./ports.js";
import { checkTeamName, securityChange, type TeamSecurity } from "./team-fields.js";
import { noTeam, requireDone } from "./teams.js";

export interface TeamAdminParts {
  store: Pick<Store, "findPlan" | "findAccountByEmail"> & { readonly teams: TeamStore };
  /** The next request of this server sees a change; absent at the command line, which serves none. */
  keys?: Pick<KeyRing, "forgetAccount">;
  audit: Audit;
  clock: Clock;
}

export class TeamAdmin {
  constructor(private readonly parts: TeamAdminParts) {}

  list(
    search: string,
    page: { offset: number; limit: number },
  ): Promise<{ teams: TeamSummary[]; total: number }> {
    return this.parts.store.teams.list(search, page, this.parts.clock.now());
  }

  async detail(id: string): Promise<{ team: Team; plan: Plan; members: Membership[]; counts: TeamCounts }> {
    const { store, clock } = this.parts;
    const team = await this.require(id);
    const [plan, members, counts] = await Promise.all([
      checkPlanId(store, team.planId),
      store.teams.members(id),
      store.teams.count(id, clock.now()),
    ]);
    return { team, plan: withQuotas(plan, team.quotas), members, counts };
  }

  /** With its first owner, who has an account; or without one, which is then the operator's to appoint. */
  async create(
    actor: Actor,
    { name, planId, ownerEmail }: { name: string; planId: string; ownerEmail: string | null },
  ): Promise<Team> {
    const { store } = this.parts;
    const checked = checkTeamName(name);
    await checkPlanId(store, planId);
    const owner = ownerEmail === null ? null : await store.findAccountByEmail(ownerEmail.trim());
    if (ownerEmail !== null && owner === null) {
      throw invalid("ownerEmail", "No account has this address. Create or invite it first.");
    }
    const team = await store.teams.create({ name: checked, planId, ownerId: owner?.id ?? null });
    await this.#announce(actor, "created team", team.id);
    return team;
  }

  rename(actor: Actor, id: string, name: string): Promise<Team> {
    return this.#change(actor, "changed team", id, () => ({ name: checkTeamName(name) }));
  }

  setPlan(actor: Actor, id: string, planId: string): Promise<Team> {
    return this.#change(actor, "changed plan of team", id, async () => {
      await checkPlanId(this.parts.store, planId);
      return { planId };
    });
  }

  /** In place of the plan's; null where the plan's count. */
  setQuotas(actor: Actor, id: string, quotas: Quotas): Promise<Team> {
    return this.#change(actor, "changed quotas of team", id, () => ({ quotas }));
  }

  /** Networks and second factors. */
  secure(actor: Actor, id: string, security: TeamSecurity): Promise<Team> {
    return this.#change(actor, "changed security of team", id, (team) =>
      securityChange(team, security, this.parts.clock.now()),
    );
  }

  /** Of any domain: the operator answers for it. Null for nobody. */
  setJoinDomain(actor: Actor, id: string, domain: string | null): Promise<Team> {
    const joinDomain = domain === null ? null : domain.trim().toLowerCase();
    return this.#change(actor, "changed team", id, () => ({ joinDomain }));
  }

  /** Its keys are refused, and its streams end. */
  async suspend(actor: Actor, id: string): Promise<Team> {
    const { suspendedAt } = await this.require(id);
    await this.parts.store.teams.setSuspended(id, suspendedAt ?? this.parts.clock.now());
    await this.#announce(actor, "suspended team", id);
    return this.require(id);
  }

  async resume(actor: Actor, id: string): Promise<Team> {
    await this.require(id);
    await this.parts.store.teams.setSuspended(id, null);
    await this.#announce(actor, "resumed team", id);
    return this.require(id);
  }

  /** Adds the member or changes the role of one who is there. */
  async putMember(actor: Actor, id: string, accountId: string, role: TeamRole): Promise<void> {
    const { store, clock } = this.parts;
    await this.require(id);
    if (await store.teams.addMember(id, accountId, role)) {
      await this.#announce(actor, "added member of team", id, accountId);
      return;
    }
    requireDone(await store.teams.setRole(id, accountId, role, clock.now()));
    await this.#announce(actor, "changed role in team", id, accountId);
  }

  /** The member's own in this team. */
  async setMemberLimits(actor: Actor, id: string, accountId: string, limits: KeyLimits): Promise<void> {
    await this.require(id);
    requireDone((await this.parts.store.teams.setLimits(id, accountId, limits)) ? "done" : "none");
    await this.#announce(actor, "changed limits in team", id, accountId);
  }

  /** The member's keys in the team end. */
  async removeMember(actor: Actor, id: string, accountId: string): Promise<void> {
    const { store, clock } = this.parts;
    await this.require(id);
    requireDone(await store.teams.removeMember(id, accountId, clock.now()));
    await this.#announce(actor, "removed member of team", id, accountId);
  }

  /** Returns what went with it. */
  async remove(actor: Actor, id: string): Promise<TeamCounts> {
    const { store, clock } = this.parts;
    await this.require(id);
    const counts = await store.teams.count(id, clock.now());
    await store.teams.remove(id);
    await this.#announce(actor, "deleted team", id, "");
    return counts;
  }

  async require(id: string): Promise<Team> {
    return existing(await this.parts.store.teams.find(id), noTeam);
  }

  async #change(
    actor: Actor,
    action: AuditAction,
    id: string,
    changeOf: (team: Team) => TeamChange | Promise<TeamChange>,
  ): Promise<Team> {
    const team = await this.require(id);
    const changed = await this.parts.store.teams.change(id, await changeOf(team));
    await this.#announce(actor, action, id);
    return changed ?? team;
  }

  /** `target` is a member of the team; empty where the team is gone. */
  async #announce(actor: Actor, action: AuditAction, id: string, target = id): Promise<void> {
    this.parts.keys?.forgetAccount(id);
    const memberId = target === id ? undefined : target;
    await this.parts.audit.record(actor, action, target, { teamId: id, memberId });
  }
}
