/** `sotto teams member`, `limits`, `remove-member`: who is in a team, as what, and with which limits. */
import { type Command, Option } from "commander";
import { requireAccount } from "../../core/accounts/accounts.js";
import { noKeyLimits, type TeamRole, teamRoles } from "../../core/entities.js";
import { UserError } from "../../core/user-error.js";
import { findTeam } from "../find-team.js";
import { confirm } from "../input.js";
import { changedLimits, describeLimits, type LimitOptions, quotaOptions } from "../limits.js";
import { countOrNone, quotaOrNone } from "../option-values.js";
import { report } from "../output.js";
import { storeCommand } from "../store-command.js";
import { actor, withTeams } from "./team-admin.js";

export function memberCommand(teams: Command): void {
  storeCommand(teams, "member <team> <email>", "add an account to a team, or change its role there")
    .addOption(new Option("--role <role>", "what it may do").choices(teamRoles).default("member"))
    .action(async (name: string, email: string, { role }: { role: TeamRole }, command: Command) => {
      const { team, account } = await withTeams(command, async (admin, store) => {
        const [team, account] = [await findTeam(admin, name), await requireAccount(store, email)];
        await admin.putMember(actor, team.id, account.id, role);
        return { team, account };
      });
      const article = /^[ao]/.test(role) ? "an" : "a";
      report(
        command,
        { team: team.id, account: account.id, email: account.email, role },
        `${account.email} is ${article} ${role} of the team ${team.name}.`,
      );
    });
}

export function memberLimitsCommand(teams: Command): void {
  const command = storeCommand(
    teams,
    "limits <team> <email>",
    "limit what a member uses of a team; what is not given stays",
  )
    .option("--requests-per-minute <n>", "requests per minute; 'none' for the team's alone", countOrNone)
    .option("--tokens-per-minute <n>", "likewise, for tokens", countOrNone)
    .option("--concurrent <n>", "likewise, for concurrent requests", countOrNone);
  quotaOptions(command, quotaOrNone, "; 'none' for none").action(
    async (name: string, email: string, options: LimitOptions) => {
      const { team, account, limits } = await withTeams(command, async (admin, store) => {
        const [team, account] = [await findTeam(admin, name), await requireAccount(store, email)];
        const member = await store.teams.membership(team.id, account.id);
        const limits = changedLimits(member?.limits ?? noKeyLimits, options);
        await admin.setMemberLimits(actor, team.id, account.id, limits);
        return { team, account, limits };
      });
      const shown = describeLimits(limits).join(", ") || "the team's limits alone";
      report(
        command,
        { team: team.id, account: account.id, limits },
        `${account.email} in the team ${team.name}: ${shown}.`,
      );
    },
  );
}

export function removeMemberCommand(teams: Command): void {
  storeCommand(teams, "remove-member <team> <email>", "take an account out of a team; its keys there end")
    .option("--yes", "do not ask")
    .action(async (name: string, email: string, _: unknown, command: Command) => {
      await withTeams(command, async (admin, store) => {
        const [team, account] = [await findTeam(admin, name), await requireAccount(store, email)];
        const question = `Take ${account.email} out of the team ${team.name}? Its keys there end for good.`;
        if (!(await confirm(command, question)))
          throw new UserError("Not confirmed, so nothing was changed.");
        await admin.removeMember(actor, team.id, account.id);
        report(
          command,
          { team: team.id, account: account.id, removed: true },
          `${account.email} is not in the team ${team.name} any more.`,
        );
      });
    });
}
