/** `sotto accounts reset` and `sotto accounts invite`: one-time links, mailed if mail is configured. */
import type { Command } from "commander";
import type { Config } from "../../config.js";
import { checkEmail, requireAccount } from "../../core/accounts/accounts.js";
import { inviteMail, resetMail, type Mail } from "../../core/sign-in/mail.js";
import { OneTimeLinks, type CreatedLink } from "../../core/sign-in/one-time-links.js";
import { Operator } from "../../core/operator.js";
import type { Store } from "../../core/store.js";
import { systemClock } from "../../core/clock.js";
import { smtpMailer } from "../../adapters/smtp.js";
import { report, time } from "../output.js";
import { readSettings, serviceUrl } from "../settings.js";
import { storeCommand, withStore } from "../store-command.js";

export function resetCommand(accounts: Command): void {
  storeCommand(accounts, "reset <email>", "create a link for choosing a new password").action(
    async (email: string, _: unknown, command: Command) => {
      const config = readSettings(command);
      const { account, made, owner } = await withStore(command, async (store, record) => {
        const account = await requireAccount(store, email);
        const made = await new OneTimeLinks(store.links, systemClock).reset(account.id);
        await record("created reset link", account.id);
        return { account, made, owner: await ownerOf(store, config) };
      });
      await deliver(command, config, made, (link) => resetMail(account.email, link, owner));
    },
  );
}

export function inviteCommand(accounts: Command): void {
  storeCommand(accounts, "invite [email]", "create a link for creating an account").action(
    async (email: string | undefined, _: unknown, command: Command) => {
      const config = readSettings(command);
      if (config.accounts.signUp === "closed") {
        command.error(
          "error: sign-up is closed, so an invitation would not work. Set SOTTO_SIGN_UP=invite.",
          {
            exitCode: 1,
          },
        );
      }
      const address = email === undefined ? null : checkEmail(email);
      const { made, owner } = await withStore(command, async (store, record) => {
        const made = await new OneTimeLinks(store.links, systemClock).invite(address);
        await record("created invitation", made.id);
        return { made, owner: await ownerOf(store, config) };
      });
      await deliver(command, config, made, (link) =>
        address === null ? null : inviteMail(address, link, owner),
      );
    },
  );
}

/** Prints the link, and mails it if there is a mail server and a recipient. */
async function deliver(
  command: Command,
  config: Config,
  { path, expiresAt }: CreatedLink,
  write: (link: string) => Mail | null,
): Promise<void> {
  const link = serviceUrl(config) + path;
  const mail = config.accounts.smtpUrl === undefined ? null : write(link);
  const mailed = mail === null ? null : await send(config, mail);
  const notes = { sent: `\nIt was mailed to ${mail?.to ?? ""}.`, failed: "\nIt could not be mailed." };
  report(
    command,
    { link, expires_at: expiresAt, mailed: mailed === "sent" },
    `This link works once, until ${time(expiresAt)} UTC:\n\n  ${link}\n${mailed === null ? "" : notes[mailed]}`,
  );
}

export async function send({ accounts }: Config, mail: Mail): Promise<"sent" | "failed"> {
  const mailer = smtpMailer({ url: accounts.smtpUrl ?? "", from: accounts.mailFrom });
  try {
    await mailer.send(mail);
    return "sent";
  } catch {
    return "failed";
  } finally {
    await mailer.close();
  }
}

export async function ownerOf(
  store: Pick<Store, "getSetting" | "setSetting">,
  config: Config,
): Promise<string> {
  const operator = new Operator(store, config.service.ownerName);
  await operator.read();
  return operator.name;
}
