/**
 * Choosing a new password by a one-time link. A request for one is answered before anything is looked up: the
 * work happens after the response, so neither its text nor its timing reveals whether the address has an account.
 */
import type { Audit } from "../audit.js";
import type { CredentialStore, LinkStore } from "./ports.js";
import type { KnownDevices } from "./known-devices.js";
import { resetMail, type Mail } from "./mail.js";
import { deadLink, type OneTimeLinks } from "./one-time-links.js";
import type { Outbox } from "./outbox.js";
import type { Passwords } from "./password-queue.js";
import type { Account } from "../entities.js";
import type { Clock } from "../clock.js";
import type { Admissions } from "../counters.js";
import { tokenHash } from "./secret-token.js";
import type { Origin } from "./sign-in.js";
import { Throttle } from "./throttle.js";

const windowMs = 60 * 60_000;
const limitByEmail = 3;
const limitByAddress = 20;

export interface PasswordResetParts {
  accounts: CredentialStore;
  store: LinkStore;
  links: OneTimeLinks;
  passwords: Passwords;
  audit: Audit;
  outbox: Outbox;
  devices: KnownDevices;
  admissions: Admissions;
  clock: Clock;
  ownerName: () => string;
  /** Never taken from a request: its Host header is the sender's to choose. */
  publicUrl: () => string;
}

export class PasswordReset {
  readonly #byEmail: Throttle;
  readonly #byAddress: Throttle;
  readonly #byDevice: Throttle;

  constructor(private readonly parts: PasswordResetParts) {
    const { admissions, clock } = parts;
    this.#byEmail = new Throttle(admissions, clock, { name: "reset", limit: limitByEmail, windowMs });
    this.#byDevice = new Throttle(admissions, clock, { name: "reset-at", limit: limitByEmail, windowMs });
    this.#byAddress = new Throttle(admissions, clock, { name: "reset-by", limit: limitByAddress, windowMs });
  }

  /** Mails a link if the address has an account, after this has resolved. */
  async request(email: string, { network, device }: Origin): Promise<void> {
    const known = await this.parts.devices.recognise(device, email);
    if (known === null) {
      await this.#byAddress.attempt(network);
      await this.#byEmail.attempt(email.trim().toLowerCase());
    } else await this.#byDevice.attempt(known);
    this.parts.outbox.post(() => this.#writeMail(email));
  }

  /** Ends all sessions of the account. */
  async reset(token: string, password: string): Promise<Account> {
    const { store, clock, passwords, audit } = this.parts;
    const hash = tokenHash(token);
    if (hash === null || (await store.find("reset", hash, clock.now())) === null) throw deadLink();
    const account = await store.resetPassword(hash, clock.now(), await passwords.hash(password));
    if (account === null) throw deadLink();
    await audit.record({ accountId: account.id }, "reset password", account.id);
    return account;
  }

  async #writeMail(email: string): Promise<Mail | null> {
    const { accounts, links, publicUrl, ownerName } = this.parts;
    const credentials = await accounts.findCredentials(email.trim());
    if (credentials === null || credentials.account.suspendedAt !== null) return null;
    const { account } = credentials;
    const { path } = await links.reset(account.id);
    return resetMail(account.email, publicUrl() + path, ownerName());
  }
}
