/** `sotto teams`: teams, their plans and quotas, and who is in them. */
import { Option, type Command } from "commander";
import { defaultPlanId, requireAccount } from "../../core/accounts/accounts.js";
import { systemClock } from "../../core/clock.js";
import { type TeamRole, teamRoles } from "../../core/entities.js";
import type { Team, TeamSummary } from "../../core/teams/ports.js";
import { TeamAdmin } from "../../core/teams/team-admin.js";
import { UserError } from "../../core/user-error.js";
import { confirm } from "../input.js";
import { report, table, time } from "../output.js";
import { describeQuotas, quotasJson } from "../quotas.js";
import { storeCommand, withStore } from "../store-command.js";

const actor = "command line";
const pageSize = 500;

export function teamsCommand(program: Command): void {
  const teams = program.command("teams").description("create, list, suspend and delete teams");
  listCommand(teams);
  showCommand(teams);
  createCommand(teams);
  planCommand(teams);
  addCommand(teams);
  switchCommand(teams, "suspend", "refuse a team's keys until it is resumed");
  switchCommand(teams, "resume", "accept a suspended team's keys again");
  deleteCommand(teams);
}

function listCommand(teams: Command): void {
  storeCommand(teams, "list", "list all teams").action(async (_: unknown, command: Command) => {
    const listed = await withStore(command, (...opened) => allTeams(adminOf(...opened)));
    const rows = listed.map(({ team, members, liveKeys }) => [
      ...[team.name, team.planId, stateOf(team), String(members), String(liveKeys)],
      ...[time(team.createdAt), team.id],
    ]);
    const headings = ["name", "plan", "state", "members", "keys", "created (utc)", "id"];
    const none = "No teams yet. Create one: sotto teams create Research --owner ada@example.com";
    const json = listed.map(({ team, members, liveKeys }) => ({ ...toJson(team), members, keys: liveKeys }));
    report(command, json, rows.length === 0 ? none : table(headings, rows));
  });
}

function showCommand(teams: Command): void {
  storeCommand(teams, "show <team>", "show a team, by its id or name, and who is in it").action(
    async (name: string, _: unknown, command: Command) => {
      const { team, members } = await withStore(command, async (...opened) => {
        const admin = adminOf(...opened);
        return admin.detail(await idOf(admin, name));
      });
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
      const team = await withStore(command, (...opened) => adminOf(...opened).create(actor, request));
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
      const team = await withStore(command, async (...opened) => {
        const admin = adminOf(...opened);
        return admin.setPlan(actor, await idOf(admin, name), planId);
      });
      report(command, toJson(team), `The team ${team.name} is on the plan ${team.planId}.`);
    },
  );
}

function addCommand(teams: Command): void {
  storeCommand(teams, "add <team> <email>", "add a member to a team, or change the role of one")
    .addOption(new Option("--role <role>", "what they may do").choices(teamRoles).default("member"))
    .action(async (name: string, email: string, { role }: { role: TeamRole }, command: Command) => {
      const team = await withStore(command, async (...opened) => {
        const admin = adminOf(...opened);
        const id = await idOf(admin, name);
        const { id: accountId } = await requireAccount(opened[0], email);
        await admin.putMember(actor, id, accountId, role);
        return admin.require(id);
      });
      report(command, { ...toJson(team), email, role }, `${email} is in the team ${team.name} as ${role}.`);
    });
}

function switchCommand(teams: Command, action: "suspend" | "resume", description: string): void {
  storeCommand(teams, `${action} <team>`, description).action(
    async (name: string, _: unknown, command: Command) => {
      const team = await withStore(command, async (...opened) => {
        const admin = adminOf(...opened);
        return admin[action](actor, await idOf(admin, name));
      });
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
      await withStore(command, async (...opened) => {
        const admin = adminOf(...opened);
        const { team, counts } = await admin.detail(await idOf(admin, name));
        const what = `the team ${team.name} with ${counts.members} memberships, ${counts.keys} keys, ${counts.invitations} invitations and its usage`;
        if (!(await confirm(command, `Delete ${what}? This cannot be undone.`))) {
          throw new UserError("Not confirmed, so nothing was deleted.");
        }
        await admin.remove(actor, team.id);
        report(command, { id: team.id, deleted: true, ...counts }, `Deleted ${what}.`);
      });
    });
}

const adminOf = (...[store, , { audit }]: Parameters<Parameters<typeof withStore>[1]>): TeamAdmin =>
  new TeamAdmin({ store, audit, clock: systemClock });

async function allTeams(admin: TeamAdmin): Promise<TeamSummary[]> {
  const all: TeamSummary[] = [];
  for (;;) {
    const { teams, total } = await admin.list("", { offset: all.length, limit: pageSize });
    all.push(...teams);
    if (teams.length === 0 || all.length >= total) return all;
  }
}

/** By its id, or by its name where only one team has it. */
async function idOf(admin: TeamAdmin, text: string): Promise<string> {
  const { teams } = await admin.list(text, { offset: 0, limit: pageSize });
  const named = teams.filter(({ team }) => team.id === text || team.name === text);
  const [found, ...others] = named;
  if (found !== undefined && others.length === 0) return found.team.id;
  throw new UserError(
    found === undefined
      ? "There is no such team. List them: sotto teams list"
      : "Several teams have this name. Use the id: sotto teams list",
  );
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
