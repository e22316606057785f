/** `sotto accounts reset`, `invite` and `reset-factors`: ways in, mailed if mail is configured. */
import type { Command } from "commander";
import type { Config } from "../../config.js";
import { checkEmail, requireAccount } from "../../core/accounts/accounts.js";
import { factorsResetMail, inviteMail, resetMail, type Mail } from "../../core/sign-in/mail.js";
import { OneTimeLinks, type CreatedLink } from "../../core/sign-in/one-time-links.js";
import { Operator } from "../../core/operator.js";
import { systemClock } from "../../core/clock.js";
import { smtpMailer } from "../../adapters/smtp.js";
import { time } from "../output.js";
import { serviceUrl } from "../settings.js";
import { type Shown, storeCommand, type StoreParts } from "../store-command.js";

export function accountLinkCommands(accounts: Command): void {
  storeCommand(accounts, "reset <email>", "create a link for choosing a new password").onStore(
    async (parts, email: string) => {
      const { store, record } = parts;
      const account = await requireAccount(store, email);
      const made = await new OneTimeLinks(store.links, systemClock).reset(account.id);
      await record("created reset link", account.id);
      return deliver(parts, made, (link, owner) => resetMail(account.email, link, owner));
    },
  );
  storeCommand(accounts, "invite [email]", "create a link for creating an account").onStore(
    async (parts, email: string | undefined) => {
      const { command, config, store, record } = parts;
      if (config.accounts.signUp === "closed") {
        const error = "error: sign-up is closed, so an invitation would not work. Set SOTTO_SIGN_UP=invite.";
        command.error(error, { exitCode: 1 });
      }
      const address = email === undefined ? null : checkEmail(email);
      const made = await new OneTimeLinks(store.links, systemClock).invite(address);
      await record("created invitation", made.id);
      return deliver(parts, made, (link, owner) =>
        address === null ? null : inviteMail(address, link, owner),
      );
    },
  );
  // For someone who lost them, and no admin is left who could help.
  storeCommand(accounts, "reset-factors <email>", "remove an account's second factors").onStore(
    async (parts, given: string) => {
      const { config, store, record } = parts;
      const { id, email } = await requireAccount(store, given);
      await store.factors.reset(id);
      await record("reset second factors of account", id);
      const owner = await ownerOf(parts);
      const mailed = (await send(config, factorsResetMail(email, owner, serviceUrl(config)))) === "sent";
      const text = `${email} signs in with its password alone until it adds a second factor again. It was signed out everywhere${mailed ? " and told by mail" : ""}.`;
      return [{ id, email, mailed }, text];
    },
  );
}

/** Shows the link, and mails it if there is a mail server and a recipient. */
async function deliver(
  parts: StoreParts,
  { path, expiresAt }: CreatedLink,
  write: (link: string, owner: string) => Mail | null,
): Promise<Shown> {
  const link = serviceUrl(parts.config) + path;
  const mail = write(link, await ownerOf(parts));
  const mailed = mail === null ? null : await send(parts.config, mail);
  const notes = { sent: `\nIt was mailed to ${mail?.to ?? ""}.`, failed: "\nIt could not be mailed." };
  return [
    { link, expires_at: expiresAt, mailed: mailed === "sent" },
    `This link works once, until ${time(expiresAt)} UTC:\n\n  ${link}\n${mailed === null ? "" : notes[mailed]}`,
  ];
}

/** Null without a mail server. */
async function send({ accounts }: Config, mail: Mail): Promise<"sent" | "failed" | null> {
  if (accounts.smtpUrl === undefined) return null;
  const mailer = smtpMailer({ url: accounts.smtpUrl, from: accounts.mailFrom });
  try {
    await mailer.send(mail);
    return "sent";
  } catch {
    return "failed";
  } finally {
    await mailer.close();
  }
}

async function ownerOf({ store, config }: StoreParts): Promise<string> {
  const operator = new Operator(store, config.service.ownerName);
  await operator.read();
  return operator.name;
}
