/** `sotto open`: signs the operator in to the dashboard, by a link that works once. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Command } from "commander";
import { requireAccount } from "../../core/accounts/accounts.js";
import { systemClock } from "../../core/clock.js";
import type { Account } from "../../core/entities.js";
import { ensureSetupLink, OneTimeLinks } from "../../core/sign-in/one-time-links.js";
import { UserError } from "../../core/user-error.js";
import { type Environment, environmentOf } from "../environment.js";
import { report } from "../output.js";
import { readSettings, serviceUrl } from "../settings.js";
import { storeCommand, withStore } from "../store-command.js";
import { paint } from "../terminal.js";

interface OpenOptions {
  url?: string;
  print?: boolean;
  json?: boolean;
}

export function openCommand(program: Command): void {
  storeCommand(program, "open [email]", "sign in to the dashboard as an admin, by a link that works once")
    .option("--url <url>", "where the service is (default: SOTTO_PUBLIC_URL, or this machine)")
    .option("--print", "print the link and open no browser")
    .notes(
      `
Examples:
  sotto open                          as the first admin
  sotto open ada@example.com          as another one

The link works once, within five minutes, and the audit trail has a line about it. It is printed, and opened where there is
a browser; over ssh, open the printed one on your own machine. Without an admin yet it is the set-up link.`,
    )
    .action(async (email: string | undefined, options: OpenOptions, command: Command) => {
      const base = (options.url ?? serviceUrl(readSettings(command))).replace(/\/+$/, "");
      const { link, account } = await createLink(command, email, base);
      const env = environmentOf(command);
      const browser =
        options.print === true || options.json === true ? null : browserCommand(process.platform, env);
      const isOpened = browser !== null && (await start(browser, link));
      const what =
        account === null
          ? "Create the admin account with this link, which works once, within a day:"
          : `Sign in as ${account.email} with this link, which works once, within five minutes:`;
      const end = isOpened ? "\n\nIt was opened in your browser." : "";
      const value = { link, account: account?.email ?? null, opened: isOpened };
      report(command, value, `${what}\n\n  ${paint("cyan", link)}${end}`);
    });
}

/** The account is null where the link sets the service up. */
const createLink = (
  command: Command,
  email: string | undefined,
  base: string,
): Promise<{ link: string; account: Account | null }> =>
  withStore(command, async ({ store, record }) => {
    const isActive = ({ role, suspendedAt }: Account) => role === "admin" && suspendedAt === null;
    const account =
      email === undefined ? (await store.listAccounts()).find(isActive) : await requireAccount(store, email);
    if (account === undefined) {
      const setupLink = await ensureSetupLink(store, systemClock, base);
      if (setupLink !== null) return { link: setupLink, account: null };
      throw new UserError(
        "There is no admin yet. Open the set-up link that 'sotto serve' printed, or create one: sotto accounts create ada@example.com --admin",
      );
    }
    if (!isActive(account)) {
      throw new UserError(`${account.email} is not an admin who can sign in. See: sotto accounts list`);
    }
    const { path } = await new OneTimeLinks(store.links, systemClock).signIn(account.id);
    await record("created sign-in link", account.id);
    return { link: base + path, account };
  });

/** Null where there is no browser to open, as over ssh. */
export function browserCommand(platform: NodeJS.Platform, env: Environment): string[] | null {
  if (env["SSH_CONNECTION"] !== undefined || env["SSH_TTY"] !== undefined || env["CI"] !== undefined)
    return null;
  if (platform === "darwin") return ["open"];
  // Not by `start`, which a shell would interpret.
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  const hasDisplay = (env["DISPLAY"] ?? "") !== "" || (env["WAYLAND_DISPLAY"] ?? "") !== "";
  return hasDisplay ? ["xdg-open"] : null;
}

/** Whether it could be started; it lives on after this command. */
async function start([program = "", ...args]: string[], link: string): Promise<boolean> {
  const child = spawn(program, [...args, link], { stdio: "ignore", detached: true });
  const started = await once(child, "spawn").then(
    () => true,
    () => false,
  );
  child.unref();
  return started;
}
