/**
 * What people do with the teams that they are in. A team that someone is not in is answered like one that does not exist.
 * Changes apply to the next request; when a key stops working, its running streams end (the store notes it for every
 * replica). Each change is announced in one place: the audit trail.
 */
import type { AuditAction } from "../audit-actions.js";
import type { Audit } from "../audit.js";
import { mostMembers } from "../bounds.js";
import type { Clock } from "../clock.js";
import { DashboardError, existing, invalid } from "../dashboard-error.js";
import type { Account, KeyLimits, Plan, TeamRole } from "../entities.js";
import type { KeyRing } from "../keys/key-ring.js";
import type { KeyHolder } from "../keys/own-keys.js";
import { isInNetworks } from "../networks.js";
import type { ActedFor } from "../serving/playground.js";
import type { MemberOutcome, Membership, Team, TeamCounts, TeamStore } from "./ports.js";
import { hasRight, mayDecideOn, type TeamRight } from "./roles.js";
import { checkTeamName, securityChange, type TeamSecurity, verifiedDomainOf } from "./team-fields.js";

/** Teams that are offered to an address of their domain. */
const mostOffered = 20;

/** A team as one of its members has it. */
export interface OpenTeam {
  team: Team;
  /** With the team's quotas in place of the plan's. */
  plan: Plan;
  role: TeamRole;
}

export interface TeamsParts {
  store: TeamStore;
  /** The next request of this server sees a change; other servers follow the store. */
  keys: Pick<KeyRing, "forgetAccount">;
  audit: Audit;
  clock: Clock;
}

export class Teams {
  constructor(private readonly parts: TeamsParts) {}

  /** Those that the account is in, and those that it may join by the domain of its address. */
  async of(account: Account): Promise<{ teams: { team: Team; role: TeamRole }[]; offered: Team[] }> {
    const domain = verifiedDomainOf(account);
    const [teams, byDomain] = await Promise.all([
      this.parts.store.ofAccount(account.id),
      domain === null ? [] : this.parts.store.byDomain(domain, mostOffered),
    ]);
    const isIn = new Set(teams.map(({ team }) => team.id));
    return { teams, offered: byDomain.filter(({ id }) => !isIn.has(id)) };
  }

  /** Throws `not_found` for a team of others, `forbidden` without the right and while the team is suspended. */
  async open(account: Account, id: string, right: TeamRight): Promise<OpenTeam> {
    const open = await this.#require(account, id);
    if (open.team.suspendedAt !== null) {
      throw new DashboardError("forbidden", "This team is suspended. Ask the operator of the service.");
    }
    if (!hasRight(open.role, right)) throw mayNot(open.role);
    return open;
  }

  /** Whose keys an open team shows: all of them, or those of one's own. */
  holderOf(account: Account, { team, role }: OpenTeam): KeyHolder {
    const memberId = hasRight(role, "all_keys") ? null : account.id;
    return { account: team, actor: { accountId: account.id }, memberId };
  }

  /** For the playground, which is for those who may have keys. */
  async requireActedFor(account: Account, id: string): Promise<ActedFor> {
    const { team, plan } = await this.open(account, id, "own_keys");
    const { limits } = await this.#requireMember(id, account.id);
    return { team, plan, limits };
  }

  /** The same; null where it may not. */
  findActedFor(account: Account, id: string): Promise<ActedFor | null> {
    return this.requireActedFor(account, id).catch((error: unknown) => {
      if (error instanceof DashboardError) return null;
      throw error;
    });
  }

  async members(account: Account, id: string): Promise<OpenTeam & { members: Membership[] }> {
    const open = await this.open(account, id, "usage");
    return { ...open, members: await this.parts.store.members(id) };
  }

  async change(
    account: Account,
    id: string,
    { name, joinDomain }: { name: string; joinDomain: string | null },
  ): Promise<Team> {
    const { team } = await this.open(account, id, "manage");
    const domain = joinDomain === null ? null : joinDomain.trim().toLowerCase();
    if (domain !== null && domain !== team.joinDomain && domain !== verifiedDomainOf(account)) {
      throw invalid(
        "joinDomain",
        "Use the domain of your own address, which must be verified. For another one, ask the operator.",
      );
    }
    const changed = await this.parts.store.change(id, { name: checkTeamName(name), joinDomain: domain });
    await this.#announce(account, "changed team", id);
    return changed ?? team;
  }

  /** Networks and second factors. `address` is that of the caller, who must not lock themselves out. */
  async secure(account: Account, id: string, security: TeamSecurity, address: string): Promise<Team> {
    const { team } = await this.open(account, id, "secure");
    const change = securityChange(team, security, this.parts.clock.now());
    if (change.allowFrom !== null && !isInNetworks(change.allowFrom, address)) {
      throw invalid(
        "allowFrom",
        `Your own address, ${address}, is in none of these networks: you would lock yourself out.`,
      );
    }
    const changed = await this.parts.store.change(id, change);
    await this.#announce(account, "changed security of team", id);
    return changed ?? team;
  }

  /** Throws `forbidden` for a member who is outside of the team's networks. */
  async requireNetwork(account: Account, id: string, address: string): Promise<void> {
    const allowFrom = (await this.parts.store.findFor(id, account.id))?.team.allowFrom ?? null;
    if (allowFrom === null || isInNetworks(allowFrom, address)) return;
    throw new DashboardError("forbidden", "This team can only be used from its own networks.");
  }

  /** By the domain of a verified address. */
  async join(account: Account, id: string): Promise<Team> {
    const team = await this.parts.store.find(id);
    const isOpen = team?.suspendedAt === null && team.joinDomain !== null;
    if (team === null || !isOpen || team.joinDomain !== verifiedDomainOf(account))
      throw new DashboardError("not_found", noTeam);
    await this.requireRoom(id);
    if (await this.parts.store.addMember(id, account.id, "member"))
      await this.#announce(account, "joined team", id);
    return team;
  }

  /** One's keys in the team end. Possible while the team is suspended, too. */
  async leave(account: Account, id: string): Promise<void> {
    await this.#require(account, id);
    requireDone(await this.parts.store.removeMember(id, account.id, this.parts.clock.now()));
    await this.#announce(account, "left team", id);
  }

  async setRole(account: Account, id: string, memberId: string, role: TeamRole): Promise<void> {
    const { role: by } = await this.open(account, id, "manage");
    const member = await this.#requireMember(id, memberId);
    if (!mayDecideOn(by, member.role, role)) throw mayNot(by);
    requireDone(await this.parts.store.setRole(id, memberId, role, this.parts.clock.now()));
    await this.#announce(account, "changed role in team", id, memberId);
  }

  async setLimits(account: Account, id: string, memberId: string, limits: KeyLimits): Promise<void> {
    const { role: by } = await this.open(account, id, "manage");
    const member = await this.#requireMember(id, memberId);
    if (!mayDecideOn(by, member.role)) throw mayNot(by);
    await this.parts.store.setLimits(id, memberId, limits);
    await this.#announce(account, "changed limits in team", id, memberId);
  }

  /** The member's keys in the team end. */
  async removeMember(account: Account, id: string, memberId: string): Promise<void> {
    const { role: by } = await this.open(account, id, "manage");
    const member = await this.#requireMember(id, memberId);
    if (!mayDecideOn(by, member.role)) throw mayNot(by);
    requireDone(await this.parts.store.removeMember(id, memberId, this.parts.clock.now()));
    await this.#announce(account, "removed member of team", id, memberId);
  }

  /** What deleting the team would take with it. */
  async counts(account: Account, id: string): Promise<TeamCounts> {
    await this.open(account, id, "delete");
    return this.parts.store.count(id, this.parts.clock.now());
  }

  /** `name` confirms which team is meant. */
  async remove(account: Account, id: string, name: string): Promise<TeamCounts> {
    const { team } = await this.open(account, id, "delete");
    if (name.trim() !== team.name) throw invalid("name", "This is not the name of the team.");
    const counts = await this.parts.store.count(id, this.parts.clock.now());
    await this.parts.store.remove(id);
    await this.#announce(account, "deleted team", id, "");
    return counts;
  }

  async requireRoom(id: string): Promise<void> {
    const { members } = await this.parts.store.count(id, this.parts.clock.now());
    if (members < mostMembers) return;
    throw new DashboardError("limit_reached", `A team has at most ${mostMembers} members.`);
  }

  async #require(account: Account, id: string): Promise<OpenTeam> {
    return existing(await this.parts.store.findFor(id, account.id), noTeam);
  }

  async #requireMember(id: string, accountId: string): Promise<Membership> {
    return existing(await this.parts.store.membership(id, accountId), noMember);
  }

  /** `target` is a member of the team; empty where the team is gone. */
  async #announce(account: Account, action: AuditAction, id: string, target = id): Promise<void> {
    this.parts.keys.forgetAccount(id);
    // Joining and leaving have the team for their target: the member is who acts.
    const memberId = target === id ? account.id : target;
    await this.parts.audit.record({ accountId: account.id }, action, target, { teamId: id, memberId });
  }
}

export function requireDone(outcome: MemberOutcome): void {
  if (outcome === "none") throw new DashboardError("not_found", noMember);
  if (outcome === "last_owner") {
    throw new DashboardError(
      "conflict",
      "A team needs an owner. Make another member an owner first, or delete the team.",
    );
  }
}

export const noTeam = "There is no such team.";
const noMember = "There is no such member.";

const mayNot = (role: TeamRole): DashboardError =>
  new DashboardError("forbidden", `Your role in this team (${role}) does not allow this.`);
