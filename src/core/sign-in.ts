/**
 * Checks an email and a password. Whether there is such an account must not show, neither in what is answered
 * nor in how long it takes: without an account, or one without a password, a hash of equal cost that matches
 * nothing is compared instead, and nothing is written about a failure. Attempts are counted by account and by
 * network address before the password is looked at, so that a right one is refused too while throttled.
 */
import type { Audit } from "./audit.js";
import { DashboardFault } from "./dashboard-fault.js";
import type { AccountStore, Credentials } from "./dashboard-ports.js";
import type { Passwords } from "./password-line.js";
import type { Account, Clock, Counter } from "./ports.js";
import { newToken } from "./secret-token.js";
import { Throttle, type Refund } from "./throttle.js";

const windowMs = 15 * 60_000;
const limitByAccount = 10;
const limitByAddress = 50;

export class SignIn {
  readonly #byAccount: Throttle;
  readonly #byAddress: Throttle;
  /** Made ahead of the first attempt, which would otherwise take longer than the others. */
  readonly #decoy: Promise<string>;

  constructor(
    private readonly accounts: AccountStore,
    private readonly passwords: Passwords,
    private readonly audit: Audit,
    counter: Counter,
    clock: Clock,
  ) {
    this.#byAccount = new Throttle(counter, clock, { name: "account", limit: limitByAccount, windowMs });
    this.#byAddress = new Throttle(counter, clock, { name: "sign-in", limit: limitByAddress, windowMs });
    this.#decoy = passwords.hash(newToken());
    // Whoever signs in first is told.
    this.#decoy.catch(() => undefined);
  }

  async signIn(email: string, password: string, address: string): Promise<Account> {
    const refunds = [await this.#byAddress.attempt(address), await this.#countByAccount(email)];
    const credentials = await this.accounts.findCredentials(email);
    if (!(await this.#matches(credentials, password)) || credentials === null) {
      throw new DashboardFault("bad_request", "The email address or the password is wrong.");
    }
    for (const refund of refunds) await refund();
    const { account } = credentials;
    if (account.suspendedAt !== null) {
      throw new DashboardFault("forbidden", "This account is suspended. Ask the operator of this service.");
    }
    await this.audit.record({ accountId: account.id }, "signed in", account.id);
    return account;
  }

  /** Before something that a stolen session alone must not do. Counts as an attempt on the account. */
  async confirm(account: Account, password: string, field: string): Promise<void> {
    const refund = await this.#countByAccount(account.email);
    const credentials = await this.accounts.findCredentialsById(account.id);
    if (!(await this.#matches(credentials, password))) {
      throw new DashboardFault("bad_request", "The password is wrong.", { field });
    }
    await refund();
  }

  #countByAccount(email: string): Promise<Refund> {
    return this.#byAccount.attempt(email.trim().toLowerCase());
  }

  async #matches(credentials: Credentials | null, password: string): Promise<boolean> {
    return this.passwords.verify(credentials?.passwordHash ?? (await this.#decoy), password);
  }
}
