/** `sotto accounts reset-factors`: for someone who lost them, and no admin is left who could help. */
import type { Command } from "commander";
import { requireAccount } from "../../core/accounts/accounts.js";
import { factorsResetMail } from "../../core/sign-in/mail.js";
import { report } from "../output.js";
import { readSettings, serviceUrl } from "../settings.js";
import { storeCommand, withStore } from "../store-command.js";
import { ownerOf, send } from "./account-links.js";

export function resetFactorsCommand(accounts: Command): void {
  storeCommand(accounts, "reset-factors <email>", "remove an account's second factors").action(
    async (email: string, _: unknown, command: Command) => {
      const config = readSettings(command);
      const { account, owner } = await withStore(command, async (store, record) => {
        const account = await requireAccount(store, email);
        await store.factors.reset(account.id);
        await record("reset second factors of account", account.id);
        return { account, owner: await ownerOf(store, config) };
      });
      const mail = factorsResetMail(account.email, owner, serviceUrl(config));
      const mailed = config.accounts.smtpUrl !== undefined && (await send(config, mail)) === "sent";
      report(
        command,
        { id: account.id, email: account.email, mailed },
        `${account.email} signs in with its password alone until it adds a second factor again. It was signed out everywhere${mailed ? " and told by mail" : ""}.`,
      );
    },
  );
}
