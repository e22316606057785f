/**
 * Checks an email and a password. Whether there is such an account must not show, neither in what is answered
 * nor in how long it takes: without an account, or one without a password, a hash of equal cost that matches
 * nothing is compared instead, and nothing is written about a failure.
 *
 * Attempts are counted before the password is checked, so that a right one is refused too while throttled.
 * A stranger's count by account and by network address. A browser that signed in to the account before has an
 * allowance of its own, and so has an account that is signed in: guesses from elsewhere do not lock the owner out.
 */
import { DashboardError } from "../dashboard-error.js";
import type { Credentials, CredentialStore, SessionRecord } from "./ports.js";
import type { KnownDevices } from "./known-devices.js";
import type { Passwords } from "./password-queue.js";
import type { Account } from "../entities.js";
import type { Clock } from "../clock.js";
import type { Admissions } from "../counters.js";
import { newToken } from "./secret-token.js";
import { Throttle, type Refund } from "./throttle.js";

const windowMs = 15 * 60_000;
const limitByAccount = 10;
const limitByAddress = 50;

/** Where an attempt comes from. */
export interface Origin {
  network: string;
  /** What the browser's cookie says about it; null without one. */
  device: string | null;
}

export class SignIn {
  readonly #byAccount: Throttle;
  readonly #byAddress: Throttle;
  readonly #byDevice: Throttle;
  readonly #bySession: Throttle;
  /** Every attempt waits for it, so that how long the first one takes says nothing either. */
  #decoy: Promise<string> | undefined;

  constructor(
    private readonly accounts: CredentialStore,
    private readonly passwords: Passwords,
    private readonly devices: KnownDevices,
    admissions: Admissions,
    clock: Clock,
  ) {
    const throttle = (name: string, limit: number) =>
      new Throttle(admissions, clock, { name, limit, windowMs });
    this.#byAccount = throttle("account", limitByAccount);
    this.#byAddress = throttle("sign-in", limitByAddress);
    this.#byDevice = throttle("device", limitByAccount);
    this.#bySession = throttle("session", limitByAccount);
  }

  /** The account whose password it is. A second factor may be missing still. */
  async checkPassword(email: string, password: string, origin: Origin): Promise<Account> {
    const refund = await this.#count(email, origin);
    const credentials = await this.accounts.findCredentials(email);
    if (!(await this.#matches(credentials, password)) || credentials === null) {
      throw new DashboardError("bad_request", "The email address or the password is wrong.");
    }
    await refund();
    refuseSuspended(credentials.account);
    return credentials.account;
  }

  /** Before something that a stolen session alone must not do. */
  async confirm({ account }: SessionRecord, password: string): Promise<void> {
    const refund = await this.#bySession.attempt(account.id);
    const credentials = await this.accounts.findCredentialsById(account.id);
    if (!(await this.#matches(credentials, password))) {
      throw new DashboardError("bad_request", "The password is wrong.", { field: "password" });
    }
    await refund();
  }

  async #count(email: string, { network, device }: Origin): Promise<Refund> {
    const known = await this.devices.recognise(device, email);
    if (known !== null) return this.#byDevice.attempt(known);
    const refundAddress = await this.#byAddress.attempt(network);
    try {
      const refundAccount = await this.#byAccount.attempt(email.trim().toLowerCase());
      return async () => {
        await refundAccount();
        await refundAddress();
      };
    } catch (error) {
      // The password was not checked, so it was no guess at any other account either.
      await refundAddress();
      throw error;
    }
  }

  async #matches(credentials: Credentials | null, password: string): Promise<boolean> {
    this.#decoy ??= this.passwords.hash(newToken()).catch((error: unknown) => {
      this.#decoy = undefined;
      throw error;
    });
    const decoy = await this.#decoy;
    return this.passwords.verify(credentials?.passwordHash ?? decoy, password);
  }
}

/** Only for someone who has proved whose account it is. */
export function refuseSuspended({ suspendedAt }: Account): void {
  if (suspendedAt === null) return;
  throw new DashboardError("forbidden", "This account is suspended. Ask the operator of this service.");
}
