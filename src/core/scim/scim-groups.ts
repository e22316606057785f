/**
 * Teams as groups of another system's directory. A team that SCIM creates has the default plan and no owner, until an
 * admin of the service appoints one; whoever SCIM adds is a member. It sees and removes those members alone that are its
 * users; keys and roles stay the team's own business.
 */
import { defaultPlanId } from "../accounts/accounts.js";
import type { Actor } from "../audit.js";
import { mostMembers } from "../bounds.js";
import { DashboardError, existing, invalid } from "../dashboard-error.js";
import type { TeamAdmin } from "../teams/team-admin.js";
import type { GroupFilter, ScimGroup, ScimMember, ScimPage, ScimStore } from "./ports.js";

export interface GroupWithMembers extends ScimGroup {
  members: ScimMember[];
}

/** `all`: replaces whatever members there are. */
export type MemberChange = { type: "add" | "remove" | "all"; ids: readonly string[] };

/** What a request says about a group, in its order; what it does not say is absent. */
export interface GroupChange {
  name?: string;
  externalId?: string | null;
  members?: readonly MemberChange[];
}

export interface ScimGroupsParts {
  store: { readonly scim: ScimStore };
  teamAdmin: Pick<TeamAdmin, "create" | "rename" | "putMember" | "removeMember" | "remove">;
}

export class ScimGroups {
  constructor(private readonly parts: ScimGroupsParts) {}

  async list(
    filter: GroupFilter | null,
    page: ScimPage,
    { withMembers }: { withMembers: boolean },
  ): Promise<{ groups: GroupWithMembers[]; total: number }> {
    const { scim } = this.parts.store;
    const { groups, total } = await scim.listGroups(filter, page);
    const members = withMembers ? await scim.members(groups.map(({ id }) => id)) : [];
    return {
      groups: groups.map((group) => ({
        ...group,
        members: members.filter(({ groupId }) => groupId === group.id),
      })),
      total,
    };
  }

  async require(id: string): Promise<GroupWithMembers> {
    const { scim } = this.parts.store;
    const group = existing(await scim.findGroup(id), "There is no such group.");
    return { ...group, members: await scim.members([id]) };
  }

  async create(actor: Actor, { name, ...change }: GroupChange): Promise<GroupWithMembers> {
    if (name === undefined) throw invalid("displayName", "A group needs a displayName.");
    const team = { name, planId: defaultPlanId, ownerEmail: null };
    const { id } = await this.parts.teamAdmin.create(actor, team);
    return this.change(actor, id, change);
  }

  async change(
    actor: Actor,
    id: string,
    { name, externalId, members = [] }: GroupChange,
  ): Promise<GroupWithMembers> {
    const { store, teamAdmin } = this.parts;
    const group = await this.require(id);
    if (name !== undefined && name !== group.name) await teamAdmin.rename(actor, id, name);
    if (externalId !== undefined && externalId !== group.externalId)
      await store.scim.setExternalId(id, externalId);
    for (const change of members) await this.#changeMembers(actor, id, change);
    return this.require(id);
  }

  async remove(actor: Actor, id: string): Promise<void> {
    await this.require(id);
    await this.parts.teamAdmin.remove(actor, id);
  }

  async #changeMembers(actor: Actor, id: string, { type, ids }: MemberChange): Promise<void> {
    const present = new Set((await this.parts.store.scim.members([id])).map((member) => member.id));
    const named = new Set(ids);
    const added = type === "remove" ? [] : [...named].filter((member) => !present.has(member));
    const removed = [...present].filter((member) =>
      type === "all" ? !named.has(member) : type === "remove" && named.has(member),
    );
    if (present.size + added.length - removed.length > mostMembers) throw tooMany();
    await this.#requireUsers(added);
    for (const member of removed) await this.parts.teamAdmin.removeMember(actor, id, member);
    for (const member of added) await this.parts.teamAdmin.putMember(actor, id, member, "member");
  }

  async #requireUsers(ids: readonly string[]): Promise<void> {
    if (ids.length > mostMembers) throw tooMany();
    for (const id of ids) {
      if ((await this.parts.store.scim.findUser(id)) !== null) continue;
      throw invalid("members", "A member is no user of this service.");
    }
  }
}

const tooMany = (): DashboardError =>
  new DashboardError("limit_reached", `A team has at most ${mostMembers} members.`);
