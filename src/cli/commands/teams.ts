/** `sotto teams`: teams, their plans and quotas, and who is in them with which limits. */
import { type Command, Option } from "commander";
import { defaultPlanId, requireAccount } from "../../core/accounts/accounts.js";
import { systemClock } from "../../core/clock.js";
import { noKeyLimits, type TeamRole, teamRoles } from "../../core/entities.js";
import type { Team } from "../../core/teams/ports.js";
import { TeamAdmin } from "../../core/teams/team-admin.js";
import { allTeams, findTeam } from "../find-team.js";
import { requireConfirmed } from "../input.js";
import {
  changedLimits,
  changedQuotas,
  describeLimits,
  describeQuotas,
  type LimitOptions,
  quotaOptions,
  type QuotaOptions,
  quotasJson,
} from "../limits.js";
import { countOrNone, quotaOrNone } from "../option-values.js";
import { table, tableOf, time } from "../output.js";
import { actor, storeCommand, type StoreParts } from "../store-command.js";

export function teamsCommand(program: Command): void {
  const teams = program
    .command("teams")
    .description("create, list, change and delete teams, and who is in them");
  listCommands(teams);
  createCommand(teams);
  changeCommands(teams);
  memberCommands(teams);
  switchCommand(teams, "suspend", "refuse a team's keys until it is resumed");
  switchCommand(teams, "resume", "accept a suspended team's keys again");
  deleteCommand(teams);
}

const adminOf = ({ store, audit }: StoreParts): TeamAdmin =>
  new TeamAdmin({ store, audit, clock: systemClock });

function listCommands(teams: Command): void {
  storeCommand(teams, "list", "list all teams").onStore(async (parts) => {
    const listed = await allTeams(parts.store.teams);
    const text = tableOf(listed, {
      name: ({ team }) => team.name,
      plan: ({ team }) => team.planId,
      state: ({ team }) => stateOf(team),
      members: ({ members }) => members,
      keys: ({ liveKeys }) => liveKeys,
      "created (utc)": ({ team }) => time(team.createdAt),
      id: ({ team }) => team.id,
    });
    const none = "No teams yet. Create one: sotto teams create Research --owner ada@example.com";
    const json = listed.map(({ team, members, liveKeys }) => ({
      ...toJson(team),
      members,
      keys: liveKeys,
    }));
    return [json, text || none];
  });
  storeCommand(teams, "show <team>", "show a team, by its id or name, and who is in it").onStore(
    async (parts, name: string) => {
      const { id } = await findTeam(parts.store.teams, name);
      const { team, members } = await adminOf(parts).detail(id);
      const people = members.map((member) => [member.email, member.role, time(member.joinedAt)]);
      const json = members.map(({ accountId, email, role }) => ({ account: accountId, email, role }));
      return [
        { ...toJson(team), members: json },
        `${team.name} (${team.id}): plan ${team.planId}, ${stateOf(team)}, quotas: ${quotasOf(team)}.\n\n${table(["member", "role", "joined (utc)"], people)}`,
      ];
    },
  );
}

function createCommand(teams: Command): void {
  storeCommand(teams, "create <name>", "create a team with its first owner")
    .requiredOption("--owner <email>", "an account, which becomes its owner")
    .option("--plan <plan>", "plan that sets its limits", defaultPlanId)
    .onStore(async (parts, name: string, { owner, plan }: { owner: string; plan: string }) => {
      const team = await adminOf(parts).create(actor, { name, planId: plan, ownerEmail: owner });
      const text = `Created the team ${team.name} (${team.id}). ${owner} can invite others on its page.`;
      return [toJson(team), text];
    });
}

function changeCommands(teams: Command): void {
  storeCommand(teams, "plan <team> <plan>", "move a team to another plan").onStore(
    async (parts, name: string, planId: string) => {
      const { id } = await findTeam(parts.store.teams, name);
      const team = await adminOf(parts).setPlan(actor, id, planId);
      return [toJson(team), `The team ${team.name} is on the plan ${team.planId}.`];
    },
  );
  const quotas = storeCommand(
    teams,
    "quotas <team>",
    "set a team's own quotas; what is not given stays as it is",
  );
  quotaOptions(quotas, quotaOrNone, "; 'none' for the plan's").onStore(
    async (parts, name: string, options: QuotaOptions) => {
      const { id, quotas } = await findTeam(parts.store.teams, name);
      const team = await adminOf(parts).setQuotas(actor, id, changedQuotas(quotas, options));
      return [toJson(team), `The team ${team.name} has the quotas: ${quotasOf(team)}.`];
    },
  );
}

function memberCommands(teams: Command): void {
  storeCommand(teams, "member <team> <email>", "add an account to a team, or change its role there")
    .addOption(new Option("--role <role>", "what it may do").choices(teamRoles).default("member"))
    .onStore(async (parts, name: string, given: string, { role }: { role: TeamRole }) => {
      const { admin, team, id, email } = await findMember(parts, name, given);
      await admin.putMember(actor, team.id, id, role);
      const article = /^[ao]/.test(role) ? "an" : "a";
      return [
        { team: team.id, account: id, email, role },
        `${email} is ${article} ${role} of the team ${team.name}.`,
      ];
    });
  const limited = storeCommand(
    teams,
    "limits <team> <email>",
    "limit what a member uses of a team; what is not given stays",
  )
    .option("--requests-per-minute <n>", "requests per minute; 'none' for the team's alone", countOrNone)
    .option("--tokens-per-minute <n>", "likewise, for tokens", countOrNone)
    .option("--concurrent <n>", "likewise, for concurrent requests", countOrNone);
  quotaOptions(limited, quotaOrNone, "; 'none' for none").onStore(
    async (parts, name: string, given: string, options: LimitOptions) => {
      const { admin, team, id, email } = await findMember(parts, name, given);
      const member = await parts.store.teams.membership(team.id, id);
      const limits = changedLimits(member?.limits ?? noKeyLimits, options);
      await admin.setMemberLimits(actor, team.id, id, limits);
      const shown = describeLimits(limits).join(", ") || "the team's limits alone";
      return [{ team: team.id, account: id, limits }, `${email} in the team ${team.name}: ${shown}.`];
    },
  );
  storeCommand(teams, "remove-member <team> <email>", "take an account out of a team; its keys there end")
    .option("--yes", "do not ask")
    .onStore(async (parts, name: string, given: string) => {
      const { admin, team, id, email } = await findMember(parts, name, given);
      const question = `Take ${email} out of the team ${team.name}? Its keys there end for good.`;
      await requireConfirmed(parts.command, question);
      await admin.removeMember(actor, team.id, id);
      return [
        { team: team.id, account: id, removed: true },
        `${email} is not in the team ${team.name} any more.`,
      ];
    });
}

/** A team, and the account that is in it or is to be. */
async function findMember(parts: StoreParts, name: string, email: string) {
  const team = await findTeam(parts.store.teams, name);
  return { admin: adminOf(parts), team, ...(await requireAccount(parts.store, email)) };
}

function switchCommand(teams: Command, action: "suspend" | "resume", description: string): void {
  storeCommand(teams, `${action} <team>`, description).onStore(async (parts, name: string) => {
    const { id } = await findTeam(parts.store.teams, name);
    const team = await adminOf(parts)[action](actor, id);
    return [
      toJson(team),
      action === "suspend"
        ? `The team ${team.name} is suspended: a running server refuses its keys within 2 seconds.\nUndo it: sotto teams resume ${team.id}`
        : `The team ${team.name} is active: its keys work again.`,
    ];
  });
}

function deleteCommand(teams: Command): void {
  storeCommand(teams, "delete <team>", "delete a team with its keys, memberships, invitations and usage")
    .option("--yes", "do not ask")
    .onStore(async (parts, name: string) => {
      const admin = adminOf(parts);
      const { id } = await findTeam(parts.store.teams, name);
      const { team, counts } = await admin.detail(id);
      const what = `the team ${team.name} with ${counts.members} memberships, ${counts.keys} keys, ${counts.invitations} invitations and its usage`;
      const question = `Delete ${what}? This cannot be undone.`;
      await requireConfirmed(parts.command, question, { nothing: "deleted" });
      await admin.remove(actor, id);
      return [{ id, deleted: true, ...counts }, `Deleted ${what}.`];
    });
}

const stateOf = ({ suspendedAt }: Team): string => (suspendedAt === null ? "active" : "suspended");

const quotasOf = ({ quotas }: Team): string => describeQuotas(quotas).join(", ") || "those of its plan";

const toJson = (team: Team) => ({
  id: team.id,
  name: team.name,
  plan: team.planId,
  state: stateOf(team),
  quotas: quotasJson(team.quotas),
  suspended_at: team.suspendedAt,
  created_at: team.createdAt,
});
