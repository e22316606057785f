/**
 * Accounts as another system's directory manages them over SCIM. `active: false` suspends as an admin does: sessions and
 * streams end on every replica and keys are refused. It may lift the suspensions that it asked for, and no others.
 */
import type { AccountAdmin } from "../accounts/account-admin.js";
import { checkEmail, defaultPlanId } from "../accounts/accounts.js";
import type { AccountStore } from "../accounts/ports.js";
import type { Actor, Audit } from "../audit.js";
import type { Clock } from "../clock.js";
import { DashboardError, existing, invalid } from "../dashboard-error.js";
import type { KeyRing } from "../keys/key-ring.js";
import { DuplicateEmail } from "../store.js";
import { DuplicateUserName, type ScimPage, type ScimStore, type ScimUser, type UserFilter } from "./ports.js";

/** What a request says about a user; what it does not say is absent. */
export interface UserChange {
  userName?: string;
  externalId?: string | null;
  email?: string;
  active?: boolean;
}

export interface ScimUsersParts {
  store: { readonly scim: ScimStore; readonly accounts: Pick<AccountStore, "setEmail"> };
  accountAdmin: Pick<AccountAdmin, "suspend" | "resume" | "remove">;
  keys: Pick<KeyRing, "forgetAccount">;
  audit: Audit;
  clock: Clock;
}

export class ScimUsers {
  constructor(private readonly parts: ScimUsersParts) {}

  list(filter: UserFilter | null, page: ScimPage): Promise<{ users: ScimUser[]; total: number }> {
    return this.parts.store.scim.listUsers(filter, page);
  }

  /** Throws `not_found`, also for an account that is not managed over SCIM. */
  async require(id: string): Promise<ScimUser> {
    return existing(await this.parts.store.scim.findUser(id), "There is no such user.");
  }

  /** Without an address of its own, the name must be one. */
  async create(actor: Actor, { userName, externalId = null, email, active }: UserChange): Promise<ScimUser> {
    const { store, audit, clock } = this.parts;
    if (userName === undefined) throw invalid("userName", "A user needs a userName.");
    const address = checkEmail(email ?? userName, "emails");
    const known = await store.scim.listUsers(
      { attribute: "userName", value: userName },
      { offset: 0, limit: 1 },
    );
    if (known.total > 0) throw taken(new DuplicateUserName());
    const user = { email: address, userName, externalId, planId: defaultPlanId };
    const created = await unlessTaken(() => store.scim.createUser(user, clock.now()));
    await audit.record(actor, "created account", created.account.id);
    return active === false ? this.change(actor, created.account.id, { active }) : created;
  }

  async change(actor: Actor, id: string, change: UserChange): Promise<ScimUser> {
    const { store, keys, audit } = this.parts;
    const user = await this.require(id);
    const { account } = user;
    const email = change.email === undefined ? account.email : checkEmail(change.email, "emails");
    if (email !== account.email) {
      await unlessTaken(() => store.accounts.setEmail(id, email));
      keys.forgetAccount(id);
      await audit.record(actor, "changed email address", id);
    }
    const { userName = user.userName, externalId = user.externalId, active } = change;
    if (userName !== user.userName || externalId !== user.externalId)
      await unlessTaken(() => store.scim.nameUser({ ...user, id, userName, externalId }));
    if (active === false) await this.#suspend(actor, id);
    if (active === true) await this.#resume(actor, id);
    return this.require(id);
  }

  /**
   * Suspended first: where it cannot be deleted, since it is the only owner of a team, its access has ended all the
   * same.
   */
  async remove(actor: Actor, id: string): Promise<void> {
    await this.require(id);
    await this.#suspend(actor, id);
    await this.parts.accountAdmin.remove(actor, id);
  }

  async #suspend(actor: Actor, id: string): Promise<void> {
    const user = await this.require(id);
    if (user.account.suspendedAt !== null) return;
    const { account } = await this.parts.accountAdmin.suspend(actor, id);
    await this.parts.store.scim.nameUser({ ...user, id, inactiveSince: account.suspendedAt });
  }

  async #resume(actor: Actor, id: string): Promise<void> {
    const user = await this.require(id);
    const { suspendedAt } = user.account;
    // Whoever an admin has suspended stays out, whatever the directory says.
    if (suspendedAt === null || suspendedAt.getTime() !== user.inactiveSince?.getTime()) return;
    await this.parts.accountAdmin.resume(actor, id);
    await this.parts.store.scim.nameUser({ ...user, id, inactiveSince: null });
  }
}

/** An account is never taken over because its address is the same: its owner has to link it first. */
async function unlessTaken<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (error instanceof DuplicateUserName) throw taken(error);
    if (!(error instanceof DuplicateEmail)) throw error;
    throw new DashboardError(
      "conflict",
      "An account with this address exists. SCIM manages it once its owner has linked it to the identity provider, on the Account page.",
      { field: "emails" },
    );
  }
}

const taken = ({ message }: DuplicateUserName): DashboardError =>
  new DashboardError("conflict", message, { field: "userName" });
