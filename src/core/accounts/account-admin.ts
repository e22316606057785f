/** What an admin does with the accounts and plans of others. Every change is seen by the next request. */
import type { SignUpMode } from "../../protocol/dashboard-api.js";
import type { Actor, Audit } from "../audit.js";
import type { CutTarget } from "../serving/completion.js";
import { DashboardError } from "../dashboard-error.js";
import type { AccountSummary, FullStore } from "../dashboard-ports.js";
import type { KeyRing } from "../keys/key-ring.js";
import { inviteMail, resetMail } from "../sign-in/mail.js";
import type { MadeLink, OneTimeLinks } from "../sign-in/one-time-links.js";
import type { Outbox } from "../sign-in/outbox.js";
import { deletePlan, listPlans, savePlan } from "./plans.js";
import type { Clock, Plan, Role } from "../ports.js";

export interface AccountAdminParts {
  store: FullStore;
  links: OneTimeLinks;
  keys: Pick<KeyRing, "forgetAccount" | "forgetAll">;
  audit: Audit;
  outbox: Outbox;
  signUp: SignUpMode;
  ownerName: string;
  publicUrl: () => string;
  clock: Clock;
  cutStreams: (target: CutTarget) => void;
}

export class AccountAdmin {
  constructor(private readonly parts: AccountAdminParts) {}

  search(search: string, page: number, size: number) {
    const { store, clock } = this.parts;
    return store.accounts.searchAccounts(search, { offset: page * size, limit: size }, clock.now());
  }

  /** Its keys are refused, its sessions and its streams end. */
  async suspend(actor: Actor, id: string): Promise<AccountSummary> {
    const { store, clock, keys, audit, cutStreams } = this.parts;
    await this.#require(id);
    if (!(await store.accounts.suspend(id, clock.now()))) throw lastAdmin("suspended");
    keys.forgetAccount(id);
    cutStreams({ accountId: id });
    await audit.record(actor, "suspended account", id);
    return this.#require(id);
  }

  async resume(actor: Actor, id: string): Promise<AccountSummary> {
    await this.#require(id);
    await this.parts.store.setAccountSuspended(id, null);
    this.parts.keys.forgetAccount(id);
    await this.parts.audit.record(actor, "resumed account", id);
    return this.#require(id);
  }

  async setPlan(actor: Actor, id: string, planId: string): Promise<AccountSummary> {
    await this.#require(id);
    if ((await this.parts.store.findPlan(planId)) === null) {
      throw new DashboardError("bad_request", "There is no such plan.", { field: "planId" });
    }
    await this.parts.store.setAccountPlan(id, planId);
    this.parts.keys.forgetAccount(id);
    await this.parts.audit.record(actor, "changed plan of account", id);
    return this.#require(id);
  }

  async setRole(actor: Actor, id: string, role: Role): Promise<AccountSummary> {
    await this.#require(id);
    if (!(await this.parts.store.accounts.setRole(id, role))) throw lastAdmin("made a user");
    this.parts.keys.forgetAccount(id);
    await this.parts.audit.record(actor, "changed role of account", id);
    return this.#require(id);
  }

  /** The link is mailed too when there is a mail server. */
  async makeResetLink(actor: Actor, id: string): Promise<MadeLink> {
    const { links, audit, outbox, publicUrl, ownerName } = this.parts;
    const { account } = await this.#require(id);
    const made = await links.reset(id);
    await audit.record(actor, "created reset link", id);
    outbox.post(async () => resetMail(account.email, publicUrl() + made.path, ownerName));
    return made;
  }

  /** Mailed too when it is for an address and there is a mail server. */
  async invite(actor: Actor, email: string | null): Promise<MadeLink> {
    const { links, audit, outbox, publicUrl, ownerName, signUp } = this.parts;
    if (signUp === "closed") {
      throw new DashboardError("conflict", "Sign-up is closed, so an invitation would not work.");
    }
    const made = await links.invite(email);
    await audit.record(actor, "created invitation", "");
    if (email !== null) outbox.post(async () => inviteMail(email, publicUrl() + made.path, ownerName));
    return made;
  }

  listPlans(): Promise<{ plan: Plan; accounts: number }[]> {
    return listPlans(this.parts.store);
  }

  async savePlan(actor: Actor, plan: Plan): Promise<Plan> {
    const saved = await savePlan(this.parts.store, plan);
    this.parts.keys.forgetAll();
    await this.parts.audit.record(actor, "saved plan", plan.id);
    return saved;
  }

  async deletePlan(actor: Actor, id: string): Promise<void> {
    await deletePlan(this.parts.store, id);
    await this.parts.audit.record(actor, "deleted plan", id);
  }

  async #require(id: string): Promise<AccountSummary> {
    const found = await this.parts.store.accounts.findSummary(id, this.parts.clock.now());
    if (found === null) throw new DashboardError("not_found", "There is no such account.");
    return found;
  }
}

const lastAdmin = (what: string): DashboardError =>
  new DashboardError(
    "conflict",
    `The only account that manages the service cannot be ${what}. Make another one an admin first.`,
  );
