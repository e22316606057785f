/** `sotto accounts`: who may use the service. */
import type { Command } from "commander";
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
import { accountLinkCommands } from "./account-links.js";
import { readPiped, requireConfirmed } from "../input.js";
import { tableOf, time } from "../output.js";
import { type Shown, storeCommand, type StoreParts } from "../store-command.js";
import type { FullStore } from "../../store/full-store.js";

const pageSize = 1_000;

export function accountsCommand(program: Command): void {
  const accounts = program.command("accounts").description("create, list, suspend and delete accounts");
  createCommand(accounts);
  listCommand(accounts);
  changeCommands(accounts);
  accountLinkCommands(accounts);
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
    .notes(
      `
Examples:
  sotto accounts create ada@example.com
  printf %s "$PASSWORD" | sotto accounts create ada@example.com --admin --password-stdin`,
    )
    .onStore(async ({ store, record, command }, email: string, options: CreateOptions) => {
      const example = `printf %s "$PASSWORD" | sotto accounts create …`;
      const password = options.passwordStdin ? await readPiped(command, "password", example) : null;
      const role = options.admin ? "admin" : "user";
      const request = { email, password, role, planId: options.plan } as const;
      const account = await createAccount(store, request, hashPassword);
      await record("created account", account.id);
      const text = `Created the account ${account.email} (${account.id}).\nGive it a key: sotto keys create ${account.email}`;
      return [toJson(account), text];
    });
}

function listCommand(accounts: Command): void {
  storeCommand(accounts, "list", "list all accounts").onStore(async ({ store }) => {
    const listed = await allAccounts(store.accounts);
    const text = tableOf(listed, {
      email: ({ account }) => account.email,
      role: ({ account }) => account.role,
      plan: ({ account }) => account.planId,
      state: ({ account }) => state(account),
      keys: ({ liveKeys }) => liveKeys,
      "created (utc)": ({ account }) => time(account.createdAt),
      id: ({ account }) => account.id,
    });
    return [
      listed.map(({ account }) => toJson(account)),
      text || "No accounts yet. Create one: sotto accounts create ada@example.com",
    ];
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

function changeCommands(accounts: Command): void {
  storeCommand(accounts, "suspend <email>", "refuse an account's keys until it is resumed").onStore(
    changes(
      "suspended account",
      (store, email) => suspendAccount(store, systemClock, email),
      ({ email }) =>
        `${email} is suspended: a running server refuses its keys within 2 seconds.\nUndo it: sotto accounts resume ${email}`,
    ),
  );
  storeCommand(accounts, "resume <email>", "accept a suspended account's keys again").onStore(
    changes("resumed account", resumeAccount, ({ email }) => `${email} is active: its keys work again.`),
  );
  storeCommand(accounts, "set-plan <email> <plan>", "move an account to another plan").onStore(
    changes(
      "changed plan of account",
      setAccountPlan,
      ({ email, planId }) => `${email} is on the plan ${planId}.`,
    ),
  );
}

/** The action of a command that changes one account. */
const changes =
  (
    action: AuditAction,
    change: (store: FullStore, email: string, planId: string) => Promise<Account>,
    textOf: (account: Account) => string,
  ) =>
  async ({ store, record }: StoreParts, email: string, planId: string): Promise<Shown> => {
    const account = await change(store, email, planId);
    await record(action, account.id);
    return [toJson(account), textOf(account)];
  };

function deleteCommand(accounts: Command): void {
  storeCommand(accounts, "delete <email>", "delete an account with its keys and all that belongs to it")
    .option("--yes", "do not ask")
    .onStore(async ({ command, store, record, events }, email: string) => {
      const account = await requireAccount(store, email);
      const { length } = await store.listKeys(account.id);
      const what = `${account.email} and its ${length} ${length === 1 ? "key" : "keys"}`;
      await requireConfirmed(command, `Delete ${what}? This cannot be undone.`, { nothing: "deleted" });
      await deleteAccount(store, email);
      await record("deleted account", deletedAccount);
      events.publish({ type: "account.deleted", data: { account_id: account.id } });
      return [{ id: account.id, deleted: true }, `Deleted ${what}.`];
    });
}

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
