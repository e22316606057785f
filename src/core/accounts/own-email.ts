/**
 * The address of an account: verifying it, and changing it.
 *
 * An address is verified by a link mailed to it; until then the account works and is shown as unverified. A change is
 * asked for by someone who has just proved who they are, then the present address has to agree and after it the new one
 * has to confirm, each by a link. Until both did, nothing changes; a new password, a suspension or a second request calls
 * it off. Without a mail server nothing can be verified, and the address changes right away.
 */
import type { Audit } from "../audit.js";
import type { Clock } from "../clock.js";
import type { Admissions } from "../counters.js";
import { DashboardError } from "../dashboard-error.js";
import type { Account } from "../entities.js";
import type { KeyRing } from "../keys/key-ring.js";
import { changeFromMail, changeToMail, verifyMail } from "../sign-in/mail.js";
import { deadLink, type OneTimeLinks } from "../sign-in/one-time-links.js";
import type { Outbox } from "../sign-in/outbox.js";
import type { LinkStore, SessionRecord } from "../sign-in/ports.js";
import { tokenHash } from "../sign-in/secret-token.js";
import { Throttle } from "../sign-in/throttle.js";
import { DuplicateEmail, type Store } from "../store.js";
import type { AccountStore } from "./ports.js";
import { addressTaken, checkedEmail } from "./sign-up.js";

const mostMails = { name: "own-email", limit: 5, windowMs: 60 * 60_000 };

export interface OwnEmailParts {
  store: Pick<Store, "findAccountByEmail"> & { readonly accounts: AccountStore; readonly links: LinkStore };
  links: OneTimeLinks;
  keys: Pick<KeyRing, "forgetAccount">;
  audit: Audit;
  outbox: Outbox;
  admissions: Admissions;
  clock: Clock;
  ownerName: () => string;
  publicUrl: () => string;
}

/** A change that was asked for and is not confirmed yet. */
export interface EmailChange {
  email: string;
  /** Which address has to open its link next. */
  waitsFor: "present" | "new";
  expiresAt: Date;
}

/** What a link did. */
export interface Confirmed {
  done: "verified" | "agreed" | "changed";
  /** The address that it is about: the new one where it changes. */
  email: string;
}

export class OwnEmail {
  readonly #mails: Throttle;

  constructor(private readonly parts: OwnEmailParts) {
    this.#mails = new Throttle(parts.admissions, parts.clock, mostMails);
  }

  /** Asked for by its owner. */
  async requestVerification({ account }: SessionRecord): Promise<void> {
    if (account.emailVerifiedAt !== null) throw new DashboardError("conflict", "Your address is verified.");
    this.#requireMail();
    await this.#mails.attempt(account.id);
    this.mailVerification(account);
  }

  /** Returns immediately; does nothing without a mail server. */
  mailVerification({ id, email }: Account): void {
    const { outbox, links, publicUrl, ownerName } = this.parts;
    outbox.post(async () => verifyMail(email, publicUrl() + (await links.verify(id)).path, ownerName()));
  }

  async pendingChange({ account }: SessionRecord): Promise<EmailChange | null> {
    const { store, clock } = this.parts;
    const link = await store.links.findEmailChange(account.id, clock.now());
    if (link?.email == null) return null;
    const waitsFor = link.kind === "change_from" ? "present" : "new";
    return { email: link.email, waitsFor, expiresAt: link.expiresAt };
  }

  /** Null where it is done, without a mail server; otherwise what is waited for now. */
  async change(me: SessionRecord, typed: string): Promise<EmailChange | null> {
    const { store, links, outbox, publicUrl, ownerName } = this.parts;
    const { account } = me;
    const email = checkedEmail(typed);
    if (email === account.email) {
      throw new DashboardError("conflict", "This is your address already.", { field: "email" });
    }
    const other = await store.findAccountByEmail(email);
    if (other !== null && other.id !== account.id) throw addressTaken();
    if (!outbox.canMail) {
      await this.#changed(() => store.accounts.setEmail(account.id, email));
      return null;
    }
    await this.#mails.attempt(account.id);
    const { path } = await links.changeFrom(account.id, email);
    outbox.post(async () =>
      changeFromMail(account.email, {
        link: publicUrl() + path,
        newEmail: email,
        owner: ownerName(),
        publicUrl: publicUrl(),
      }),
    );
    return this.pendingChange(me);
  }

  async cancelChange({ account }: SessionRecord): Promise<void> {
    await this.parts.store.links.deleteOwn(account.id, "change_from");
  }

  /** By a link that was mailed, whoever opens it. */
  async confirm(token: string): Promise<Confirmed> {
    const { store, clock, audit, keys } = this.parts;
    const hash = tokenHash(token);
    if (hash === null) throw deadLink();
    const verified = await store.links.verifyEmail(hash, clock.now());
    if (verified !== null) {
      keys.forgetAccount(verified.id);
      await audit.record({ accountId: verified.id }, "verified email address", verified.id);
      return { done: "verified", email: verified.email };
    }
    const agreed = await this.#agree(hash);
    if (agreed !== null) return { done: "agreed", email: agreed };
    const changed = await this.#changed(() => store.links.changeEmail(hash, clock.now()));
    return { done: "changed", email: changed.email };
  }

  /** The new address, which got its link; null where the link is none for the present address. */
  async #agree(hash: Uint8Array): Promise<string | null> {
    const { links, outbox, publicUrl, ownerName } = this.parts;
    const next = await links.changeTo(hash);
    if (next === null || next.email === null) return null;
    const { email, path } = next;
    outbox.post(async () => changeToMail(email, publicUrl() + path, ownerName()));
    return email;
  }

  async #changed(change: () => Promise<Account | null>): Promise<Account> {
    const { keys, audit } = this.parts;
    const account = await change().catch((error: unknown) => {
      throw error instanceof DuplicateEmail ? addressTaken() : error;
    });
    if (account === null) throw deadLink();
    keys.forgetAccount(account.id);
    await audit.record({ accountId: account.id }, "changed email address", account.id);
    return account;
  }

  #requireMail(): void {
    if (this.parts.outbox.canMail) return;
    throw new DashboardError("conflict", "This service does not send email, so it cannot verify addresses.");
  }
}
