/** `sotto teams member`, `limits`, `remove-member`: who is in a team, as what, and with which limits. */
import { type Command, Option } from "commander";
import { requireAccount } from "../../core/accounts/accounts.js";
import { type KeyLimits, noKeyLimits, type TeamRole } from "../../core/entities.js";
import { UserError } from "../../core/user-error.js";
import { findTeam } from "../find-team.js";
import { confirm } from "../input.js";
import { countOrNone, orNull, quotaOrNone } from "../option-values.js";
import { report } from "../output.js";
import { describeQuotas } from "../quotas.js";
import { storeCommand, withStore } from "../store-command.js";
import { actor, teamAdminOf } from "./team-admin.js";

const roles = ["owner", "admin", "member", "viewer"] as const satisfies readonly TeamRole[];

export function memberCommand(teams: Command): void {
  storeCommand(teams, "member <team> <email>", "add an account to a team, or change its role there")
    .addOption(new Option("--role <role>", "what it may do").choices(roles).default("member"))
    .action(async (name: string, email: string, { role }: { role: TeamRole }, command: Command) => {
      const { team, account } = await withStore(command, async (store, _, { audit }) => {
        const admin = teamAdminOf(store, audit);
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

interface LimitOptions {
  requestsPerMinute?: number | "none";
  tokensPerMinute?: number | "none";
  concurrent?: number | "none";
  requestsPerDay?: number | "none";
  tokensPerDay?: number | "none";
  requestsPerMonth?: number | "none";
  tokensPerMonth?: number | "none";
}

export function memberLimitsCommand(teams: Command): void {
  storeCommand(teams, "limits <team> <email>", "limit what a member uses of a team; what is not given stays")
    .option("--requests-per-minute <n>", "requests per minute; 'none' for the team's alone", countOrNone)
    .option("--tokens-per-minute <n>", "likewise, for tokens", countOrNone)
    .option("--concurrent <n>", "likewise, for concurrent requests", countOrNone)
    .option("--requests-per-day <n>", "a quota of requests by the calendar day; 'none' for none", quotaOrNone)
    .option("--tokens-per-day <n>", "likewise, for tokens", quotaOrNone)
    .option("--requests-per-month <n>", "a quota of requests by the calendar month", quotaOrNone)
    .option("--tokens-per-month <n>", "likewise, for tokens", quotaOrNone)
    .action(async (name: string, email: string, options: LimitOptions, command: Command) => {
      const { team, account, limits } = await withStore(command, async (store, _, { audit }) => {
        const admin = teamAdminOf(store, audit);
        const [team, account] = [await findTeam(admin, name), await requireAccount(store, email)];
        const member = await store.teams.membership(team.id, account.id);
        const limits = changedLimits(member?.limits ?? noKeyLimits, options);
        await admin.setMemberLimits(actor, team.id, account.id, limits);
        return { team, account, limits };
      });
      const shown = [
        ...(limits.requestsPerMinute === null ? [] : [`${limits.requestsPerMinute} requests/min`]),
        ...(limits.tokensPerMinute === null ? [] : [`${limits.tokensPerMinute} tokens/min`]),
        ...(limits.concurrentRequests === null ? [] : [`${limits.concurrentRequests} concurrent`]),
        ...describeQuotas(limits),
      ];
      report(
        command,
        { team: team.id, account: account.id, limits },
        `${account.email} in the team ${team.name}: ${shown.join(", ") || "the team's limits alone"}.`,
      );
    });
}

const changedLimits = (now: KeyLimits, options: LimitOptions): KeyLimits => ({
  requestsPerMinute: orNull(options.requestsPerMinute, now.requestsPerMinute),
  tokensPerMinute: orNull(options.tokensPerMinute, now.tokensPerMinute),
  concurrentRequests: orNull(options.concurrent, now.concurrentRequests),
  requestsPerDay: orNull(options.requestsPerDay, now.requestsPerDay),
  tokensPerDay: orNull(options.tokensPerDay, now.tokensPerDay),
  requestsPerMonth: orNull(options.requestsPerMonth, now.requestsPerMonth),
  tokensPerMonth: orNull(options.tokensPerMonth, now.tokensPerMonth),
});

export function removeMemberCommand(teams: Command): void {
  storeCommand(teams, "remove-member <team> <email>", "take an account out of a team; its keys there end")
    .option("--yes", "do not ask")
    .action(async (name: string, email: string, _: unknown, command: Command) => {
      await withStore(command, async (store, _record, { audit }) => {
        const admin = teamAdminOf(store, audit);
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
