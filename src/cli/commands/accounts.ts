/** `sotto accounts`: who may use the service. */
import type { Command } from "commander";
import { UserError } from "../../core/user-error.js";
import { deletedAccount } from "../../core/audit.js";
import type { AuditAction } from "../../core/audit-actions.js";
import {
  createAccount,
  defaultPlanId,
  deleteAccount,
  requireAccount,
  resumeAccount,
  setAccountPlan,
  suspendAccount,
} from "../../core/accounts/accounts.js";
import type { AccountStore, AccountSummary } from "../../core/accounts/ports.js";
import { systemClock } from "../../core/clock.js";
import type { Account } from "../../core/entities.js";
import { hashPassword } from "../../adapters/password-hash.js";
import { inviteCommand, resetCommand } from "./account-links.js";
import { resetFactorsCommand } from "./reset-factors.js";
import { confirm, readPassword } from "../input.js";
import { report, tableOf, time } from "../output.js";
import { storeCommand, withStore } from "../store-command.js";
import type { FullStore } from "../../store/full-store.js";

const pageSize = 1_000;

export function accountsCommand(program: Command): void {
  const accounts = program.command("accounts").description("create, list, suspend and delete accounts");
  createCommand(accounts);
  listCommand(accounts);
  suspendCommand(accounts);
  resumeCommand(accounts);
  setPlanCommand(accounts);
  resetCommand(accounts);
  inviteCommand(accounts);
  resetFactorsCommand(accounts);
  deleteCommand(accounts);
}

interface CreateOptions {
  passwordStdin?: true;
  admin?: true;
  plan: string;
}

function createCommand(accounts: Command): void {
  storeCommand(accounts, "create <email>", "create an account")
    .option("--password-stdin", "read a password from standard input; without one nobody can sign in")
    .option("--admin", "let it manage the service")
    .option("--plan <plan>", "plan that sets its limits", defaultPlanId)
    .addHelpText(
      "after",
      `
Examples:
  sotto accounts create ada@example.com
  printf %s "$PASSWORD" | sotto accounts create ada@example.com --admin --password-stdin`,
    )
    .action(async (email: string, options: CreateOptions, command: Command) => {
      const password = options.passwordStdin ? await readPassword(command) : null;
      const role = options.admin ? "admin" : "user";
      const request = { email, password, role, planId: options.plan } as const;
      const account = await change(command, "created account", (store) =>
        createAccount(store, request, hashPassword),
      );
      report(
        command,
        toJson(account),
        `Created the account ${account.email} (${account.id}).\nGive it a key: sotto keys create ${account.email}`,
      );
    });
}

function listCommand(accounts: Command): void {
  storeCommand(accounts, "list", "list all accounts").action(async (_: unknown, command: Command) => {
    const listed = await withStore(command, ({ accounts: store }) => allAccounts(store));
    const text = tableOf(listed, {
      email: ({ account }) => account.email,
      role: ({ account }) => account.role,
      plan: ({ account }) => account.planId,
      state: ({ account }) => state(account),
      keys: ({ liveKeys }) => liveKeys,
      "created (utc)": ({ account }) => time(account.createdAt),
      id: ({ account }) => account.id,
    });
    const none = "No accounts yet. Create one: sotto accounts create ada@example.com";
    const accountsJson = listed.map(({ account }) => toJson(account));
    report(command, accountsJson, listed.length === 0 ? none : text);
  });
}

async function allAccounts(store: AccountStore): Promise<AccountSummary[]> {
  const now = systemClock.now();
  const all: AccountSummary[] = [];
  for (;;) {
    const page = await store.listSummaries(all.at(-1)?.account ?? null, pageSize, now);
    all.push(...page);
    if (page.length < pageSize) return all;
  }
}

function suspendCommand(accounts: Command): void {
  storeCommand(accounts, "suspend <email>", "refuse an account's keys until it is resumed").action(
    async (email: string, _: unknown, command: Command) => {
      const account = await change(command, "suspended account", (store) =>
        suspendAccount(store, systemClock, email),
      );
      report(
        command,
        toJson(account),
        `${account.email} is suspended: a running server refuses its keys within 2 seconds.\nUndo it: sotto accounts resume ${account.email}`,
      );
    },
  );
}

function resumeCommand(accounts: Command): void {
  storeCommand(accounts, "resume <email>", "accept a suspended account's keys again").action(
    async (email: string, _: unknown, command: Command) => {
      const account = await change(command, "resumed account", (store) => resumeAccount(store, email));
      report(command, toJson(account), `${account.email} is active: its keys work again.`);
    },
  );
}

function setPlanCommand(accounts: Command): void {
  storeCommand(accounts, "set-plan <email> <plan>", "move an account to another plan").action(
    async (email: string, plan: string, _: unknown, command: Command) => {
      const account = await change(command, "changed plan of account", (store) =>
        setAccountPlan(store, email, plan),
      );
      report(command, toJson(account), `${account.email} is on the plan ${account.planId}.`);
    },
  );
}

function deleteCommand(accounts: Command): void {
  storeCommand(accounts, "delete <email>", "delete an account with its keys and all that belongs to it")
    .option("--yes", "do not ask")
    .action(async (email: string, _: unknown, command: Command) => {
      await withStore(command, async (store, record, { events }) => {
        const account = await requireAccount(store, email);
        const { length } = await store.listKeys(account.id);
        const what = `${account.email} and its ${length} ${length === 1 ? "key" : "keys"}`;
        if (!(await confirm(command, `Delete ${what}? This cannot be undone.`))) {
          throw new UserError("Not confirmed, so nothing was deleted.");
        }
        await deleteAccount(store, email);
        await record("deleted account", deletedAccount);
        events.publish({ type: "account.deleted", data: { account_id: account.id } });
        report(command, { id: account.id, deleted: true }, `Deleted ${what}.`);
      });
    });
}

const change = (
  command: Command,
  action: AuditAction,
  work: (store: FullStore) => Promise<Account>,
): Promise<Account> =>
  withStore(command, async (store, record) => {
    const account = await work(store);
    await record(action, account.id);
    return account;
  });

const state = (account: Account): string => (account.suspendedAt === null ? "active" : "suspended");

const toJson = (account: Account) => ({
  id: account.id,
  email: account.email,
  role: account.role,
  plan: account.planId,
  state: state(account),
  suspended_at: account.suspendedAt,
  created_at: account.createdAt,
});
