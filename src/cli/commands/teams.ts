/** `sotto teams`: teams, their plans and quotas, and who is in them. */
import type { Command } from "commander";
import { defaultPlanId } from "../../core/accounts/accounts.js";
import type { Team } from "../../core/teams/ports.js";
import { UserError } from "../../core/user-error.js";
import { allTeams, findTeam } from "../find-team.js";
import { confirm } from "../input.js";
import { changedQuotas, describeQuotas, quotaOptions, type QuotaOptions, quotasJson } from "../limits.js";
import { quotaOrNone } from "../option-values.js";
import { report, table, tableOf, time } from "../output.js";
import { storeCommand } from "../store-command.js";
import { actor, withTeams } from "./team-admin.js";
import { memberCommand, memberLimitsCommand, removeMemberCommand } from "./team-members.js";

export function teamsCommand(program: Command): void {
  const teams = program
    .command("teams")
    .description("create, list, change and delete teams, and who is in them");
  listCommand(teams);
  showCommand(teams);
  createCommand(teams);
  planCommand(teams);
  quotasCommand(teams);
  memberCommand(teams);
  memberLimitsCommand(teams);
  removeMemberCommand(teams);
  switchCommand(teams, "suspend", "refuse a team's keys until it is resumed");
  switchCommand(teams, "resume", "accept a suspended team's keys again");
  deleteCommand(teams);
}

function listCommand(teams: Command): void {
  storeCommand(teams, "list", "list all teams").action(async (_: unknown, command: Command) => {
    const listed = await withTeams(command, allTeams);
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
    const json = listed.map(({ team, members, liveKeys }) => ({ ...toJson(team), members, keys: liveKeys }));
    report(command, json, listed.length === 0 ? none : text);
  });
}

function showCommand(teams: Command): void {
  storeCommand(teams, "show <team>", "show a team, by its id or name, and who is in it").action(
    async (name: string, _: unknown, command: Command) => {
      const { team, members } = await withTeams(command, async (admin) =>
        admin.detail((await findTeam(admin, name)).id),
      );
      const people = members.map((member) => [member.email, member.role, time(member.joinedAt)]);
      const quotas = describeQuotas(team.quotas).join(", ") || "those of its plan";
      report(
        command,
        {
          ...toJson(team),
          members: members.map(({ accountId, email, role }) => ({ account: accountId, email, role })),
        },
        `${team.name} (${team.id}): plan ${team.planId}, ${stateOf(team)}, quotas: ${quotas}.\n\n${table(["member", "role", "joined (utc)"], people)}`,
      );
    },
  );
}

function createCommand(teams: Command): void {
  storeCommand(teams, "create <name>", "create a team with its first owner")
    .requiredOption("--owner <email>", "an account, which becomes its owner")
    .option("--plan <plan>", "plan that sets its limits", defaultPlanId)
    .action(async (name: string, options: { owner: string; plan: string }, command: Command) => {
      const request = { name, planId: options.plan, ownerEmail: options.owner };
      const team = await withTeams(command, (admin) => admin.create(actor, request));
      report(
        command,
        toJson(team),
        `Created the team ${team.name} (${team.id}). ${options.owner} can invite others on its page.`,
      );
    });
}

function planCommand(teams: Command): void {
  storeCommand(teams, "plan <team> <plan>", "move a team to another plan").action(
    async (name: string, planId: string, _: unknown, command: Command) => {
      const team = await withTeams(command, async (admin) =>
        admin.setPlan(actor, (await findTeam(admin, name)).id, planId),
      );
      report(command, toJson(team), `The team ${team.name} is on the plan ${team.planId}.`);
    },
  );
}

function quotasCommand(teams: Command): void {
  const command = storeCommand(
    teams,
    "quotas <team>",
    "set a team's own quotas; what is not given stays as it is",
  );
  quotaOptions(command, quotaOrNone, "; 'none' for the plan's").action(
    async (name: string, options: QuotaOptions) => {
      const team = await withTeams(command, async (admin) => {
        const { id, quotas } = await findTeam(admin, name);
        return admin.setQuotas(actor, id, changedQuotas(quotas, options));
      });
      const shown = describeQuotas(team.quotas).join(", ") || "those of its plan";
      report(command, toJson(team), `The team ${team.name} has the quotas: ${shown}.`);
    },
  );
}

function switchCommand(teams: Command, action: "suspend" | "resume", description: string): void {
  storeCommand(teams, `${action} <team>`, description).action(
    async (name: string, _: unknown, command: Command) => {
      const team = await withTeams(command, async (admin) =>
        admin[action](actor, (await findTeam(admin, name)).id),
      );
      report(
        command,
        toJson(team),
        action === "suspend"
          ? `The team ${team.name} is suspended: a running server refuses its keys within 2 seconds.\nUndo it: sotto teams resume ${team.id}`
          : `The team ${team.name} is active: its keys work again.`,
      );
    },
  );
}

function deleteCommand(teams: Command): void {
  storeCommand(teams, "delete <team>", "delete a team with its keys, memberships, invitations and usage")
    .option("--yes", "do not ask")
    .action(async (name: string, _: unknown, command: Command) => {
      await withTeams(command, async (admin) => {
        const { team, counts } = await admin.detail((await findTeam(admin, name)).id);
        const what = `the team ${team.name} with ${counts.members} memberships, ${counts.keys} keys, ${counts.invitations} invitations and its usage`;
        if (!(await confirm(command, `Delete ${what}? This cannot be undone.`))) {
          throw new UserError("Not confirmed, so nothing was deleted.");
        }
        await admin.remove(actor, team.id);
        report(command, { id: team.id, deleted: true, ...counts }, `Deleted ${what}.`);
      });
    });
}

const stateOf = ({ suspendedAt }: Team): string => (suspendedAt === null ? "active" : "suspended");

const toJson = (team: Team) => ({
  id: team.id,
  name: team.name,
  plan: team.planId,
  state: stateOf(team),
  quotas: quotasJson(team.quotas),
  suspended_at: team.suspendedAt,
  created_at: team.createdAt,
});
