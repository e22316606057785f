/**
 * Creating one's own account: by signing up, with or without an invitation, and the first admin's by the
 * set-up link. Links are checked before the password is hashed, so that invented ones cost nothing, and used
 * up in the transaction that creates the account, so that exactly one of many concurrent attempts succeeds.
 */
import { defaultPlanId, parseEmail } from "./accounts.js";
import type { SignUpMode } from "./sign-up-mode.js";
import type { Audit } from "../audit.js";
import type { Clock } from "../clock.js";
import type { Admissions } from "../counters.js";
import { DashboardError, invalid } from "../dashboard-error.js";
import type { Account } from "../entities.js";
import { deadLink, isForAddress } from "../sign-in/one-time-links.js";
import type { Passwords } from "../sign-in/password-queue.js";
import type { LinkStore, NewLink } from "../sign-in/ports.js";
import { tokenHash } from "../sign-in/secret-token.js";
import { Throttle } from "../sign-in/throttle.js";
import { DuplicateEmail, type Store } from "../store.js";

const limitByAddress = 30;
const windowMs = 60 * 60_000;

export class SignUp {
  readonly #byAddress: Throttle;

  constructor(
    private readonly store: Store & { readonly links: LinkStore },
    private readonly passwords: Passwords,
    private readonly audit: Audit,
    private readonly mode: SignUpMode,
    private readonly clock: Clock,
    admissions: Admissions,
  ) {
    this.#byAddress = new Throttle(admissions, clock, { name: "sign-up", limit: limitByAddress, windowMs });
  }

  async signUp(
    request: { email: string; password: string; invite?: string | undefined },
    address: string,
  ): Promise<Account> {
    if (this.mode === "closed") throw new DashboardError("forbidden", "Sign-up is closed.");
    if (this.mode === "invite" && request.invite === undefined) {
      throw new DashboardError("forbidden", "Sign-up is by invitation. Ask the operator for one.");
    }
    await this.#byAddress.attempt(address);
    const email = checkedEmail(request.email);
    const invite = request.invite === undefined ? null : await this.#findLink("invite", request.invite);
    if (invite !== null && !isForAddress(invite, email)) {
      throw new DashboardError("forbidden", "This invitation is for another address.", { field: "email" });
    }
    const account = await this.#create(email, request.password, (passwordHash) =>
      invite === null
        ? this.store.createAccount({ email, passwordHash, role: "user", planId: defaultPlanId })
        : this.#createByLink("invite", invite.hash, { email, passwordHash }),
    );
    await this.audit.record({ accountId: account.id }, "signed up", account.id);
    return account;
  }

  /** The first admin's account, by the link that the first start printed. */
  async setUp(token: string, emailText: string, password: string): Promise<Account> {
    const { hash } = await this.#findLink("setup", token);
    const email = checkedEmail(emailText);
    const account = await this.#create(email, password, (passwordHash) =>
      this.#createByLink("setup", hash, { email, passwordHash }),
    );
    await this.audit.record({ accountId: account.id }, "set up the service", account.id);
    return account;
  }

  async #findLink(kind: "setup" | "invite", token: string): Promise<NewLink> {
    const hash = tokenHash(token);
    const link = hash === null ? null : await this.store.links.find(kind, hash, this.clock.now());
    if (link === null) throw deadLink();
    return link;
  }

  #createByLink(
    kind: "setup" | "invite",
    hash: Uint8Array,
    account: { email: string; passwordHash: string },
  ): Promise<Account | null> {
    const request = { ...account, planId: defaultPlanId };
    return this.store.links.createAccount(kind, hash, this.clock.now(), request);
  }

  async #create(
    email: string,
    password: string,
    insert: (passwordHash: string) => Promise<Account | null>,
  ): Promise<Account> {
    // Most taken addresses are found here, before a hash is spent on them.
    if ((await this.store.findAccountByEmail(email)) !== null) throw taken();
    const passwordHash = await this.passwords.hash(password);
    try {
      const account = await insert(passwordHash);
      if (account === null) throw deadLink();
      return account;
    } catch (error) {
      throw error instanceof DuplicateEmail ? taken() : error;
    }
  }
}

const taken = (): DashboardError => addressTaken(" Sign in instead.");

export const addressTaken = (next = ""): DashboardError =>
  new DashboardError("conflict", `This address has an account already.${next}`, { field: "email" });

/** Throws `bad_request` for what is no address. */
export function checkedEmail(text: string): string {
  const email = parseEmail(text);
  if (email === null) throw invalid("email", "Enter an email address like ada@example.com.");
  return email;
}
