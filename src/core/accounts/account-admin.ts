/** What an admin does with the accounts and plans of others. Every change is seen by the next request. */
import type { AuditAction } from "../audit-actions.js";
import type { Actor, Audit, Person } from "../audit.js";
import type { CutTarget } from "../serving/running.js";
import { DashboardError, existing, invalid } from "../dashboard-error.js";
import type { EventSink } from "../events/events.js";
import type { AccountStore, AccountSummary } from "./ports.js";
import type { Session } from "../sign-in/ports.js";
import type { KeyRing } from "../keys/key-ring.js";
import { endKey, type KeyHolder } from "../keys/own-keys.js";
import type { UsageRecorder } from "../usage/usage-recorder.js";
import type { FactorStore, FactorSummary } from "../factors/ports.js";
import { factorsResetMail, resetMail } from "../sign-in/mail.js";
import type { CreatedLink, OneTimeLinks } from "../sign-in/one-time-links.js";
import type { Outbox } from "../sign-in/outbox.js";
import type { Sessions } from "../sign-in/sessions.js";
import { endAccount } from "./own-account.js";
import { checkPlanId, deletePlan, listPlans, requirePlan, savePlan } from "./plans.js";
import type { ApiKey, Plan, Role } from "../entities.js";
import type { Clock } from "../clock.js";
import { DuplicateEmail, type NewAccount, type Store } from "../store.js";
import { addressTaken, checkedEmail } from "./sign-up.js";

const undoMs = 60 * 60_000;

type BulkChange =
  | { action: "suspend" | "resume"; ids: readonly string[] }
  | { action: "plan"; ids: readonly string[]; planId: string };

interface BulkOutcome {
  changed: AccountSummary[];
  refused: { id: string; message: string }[];
}

export interface AccountAdminParts {
  store: Store & { readonly accounts: AccountStore; readonly factors: FactorStore };
  links: OneTimeLinks;
  keys: Pick<KeyRing, "forget" | "forgetAccount" | "forgetAll">;
  usage: Pick<UsageRecorder, "forgetAccount">;
  audit: Audit;
  events: EventSink;
  outbox: Outbox;
  sessions: Pick<Sessions, "listLive" | "endAll">;
  ownerName: () => string;
  publicUrl: () => string;
  clock: Clock;
  cutStreams: (target: CutTarget) => void;
}

export class AccountAdmin {
  constructor(private readonly parts: AccountAdminParts) {}

  /** How many there are is counted only where nothing is searched for: a search would have to read all of them. */
  async search(
    search: string,
    after: string | null,
    limit: number,
  ): Promise<{ accounts: AccountSummary[]; next: string | null; total: number | null }> {
    const { accounts } = this.parts.store;
    const page = await accounts.searchAccounts(search, { after, limit }, this.parts.clock.now());
    if (page === null) throw invalid("after", "There is no such page.");
    return { ...page, total: search === "" ? await accounts.countAccounts() : null };
  }

  /** With its plan, its second factors, and its sessions that have not ended. */
  async detail(
    id: string,
  ): Promise<{ summary: AccountSummary; plan: Plan; sessions: Session[]; factors: FactorSummary }> {
    const summary = await this.require(id);
    const [plan, sessions, factors] = await Promise.all([
      requirePlan(this.parts.store, summary.account.planId),
      this.parts.sessions.listLive(summary.account),
      this.parts.store.factors.summary(id),
    ]);
    return { summary, plan, sessions, factors };
  }

  /** The keys that were used last first, and how many it has. */
  async keys(id: string, limit: number): Promise<{ keys: ApiKey[]; total: number }> {
    await this.require(id);
    const keys = await this.parts.store.listKeys(id);
    const lastUse = ({ lastUsedAt }: ApiKey) => lastUsedAt?.getTime() ?? 0;
    const sorted = keys.reverse().sort((a, b) => lastUse(b) - lastUse(a));
    return { keys: sorted.slice(0, limit), total: keys.length };
  }

  /** Its owner has to sign in again, everywhere. */
  async endSessions(actor: Actor, id: string): Promise<void> {
    await this.require(id);
    await this.parts.sessions.endAll(id);
    await this.parts.audit.record(actor, "ended sessions of account", id);
  }

  /** For someone who lost them: the password alone signs in again. They are signed out and told by mail. */
  async resetFactors(actor: Actor, id: string): Promise<void> {
    const { store, audit, outbox, ownerName, publicUrl } = this.parts;
    const { account } = await this.require(id);
    await store.factors.reset(id);
    await audit.record(actor, "reset second factors of account", id);
    outbox.post(async () => factorsResetMail(account.email, ownerName(), publicUrl()), { isRetried: true });
  }

  /** Nobody can sign in to it before a reset link, or an identity provider, has let them. */
  async create(
    actor: Actor,
    { email, planId, role }: Omit<NewAccount, "passwordHash">,
  ): Promise<AccountSummary> {
    const { store, audit } = this.parts;
    const checked = checkedEmail(email);
    await checkPlanId(store, planId);
    try {
      const { id } = await store.createAccount({ email: checked, passwordHash: null, role, planId });
      await audit.record(actor, "created account", id);
      return await this.require(id);
    } catch (error) {
      throw error instanceof DuplicateEmail ? addressTaken() : error;
    }
  }

  /** Its keys are refused, its sessions and its streams end. */
  suspend(actor: Actor, id: string): Promise<AccountSummary> {
    const { store, clock, keys, cutStreams } = this.parts;
    return this.#change(actor, id, "suspended account", async () => {
      if (!(await store.accounts.suspend(id, clock.now()))) throw lastAdmin("suspended");
      keys.forgetAccount(id);
      cutStreams({ accountId: id });
    });
  }

  resume(actor: Actor, id: string): Promise<AccountSummary> {
    const { store } = this.parts;
    return this.#change(actor, id, "resumed account", () => store.setAccountSuspended(id, null));
  }

  setPlan(actor: Actor, id: string, planId: string): Promise<AccountSummary> {
    const { store } = this.parts;
    return this.#change(actor, id, "changed plan of account", async () => {
      await checkPlanId(store, planId);
      await store.setAccountPlan(id, planId);
    });
  }

  setRole(actor: Actor, id: string, role: Role): Promise<AccountSummary> {
    return this.#change(actor, id, "changed role of account", async () => {
      if (!(await this.parts.store.accounts.setRole(id, role))) throw lastAdmin("made a user");
    });
  }

  /**
   * The same change to several accounts, one after another: each is a change of its own, with its line in the audit
   * trail, so one that fails does not stop the others.
   */
  async changeAll(actor: Actor, request: BulkChange): Promise<BulkOutcome> {
    if (request.action === "plan") await checkPlanId(this.parts.store, request.planId);
    const outcome: BulkOutcome = { changed: [], refused: [] };
    for (const id of new Set(request.ids)) {
      try {
        const change =
          request.action === "plan"
            ? this.setPlan(actor, id, request.planId)
            : this[request.action](actor, id);
        outcome.changed.push(await change);
      } catch (error) {
        if (!(error instanceof DashboardError)) throw error;
        outcome.refused.push({ id, message: error.message });
      }
    }
    return outcome;
  }

  /** With all that belongs to it. Admins delete their own account on its page, which asks for the password. */
  async remove(actor: Actor, id: string): Promise<void> {
    await this.require(id);
    if (typeof actor === "object" && actor.accountId === id) {
      throw new DashboardError("conflict", "This is your own account. Delete it on the Account page.");
    }
    if (!(await endAccount({ ...this.parts, accounts: this.parts.store.accounts }, actor, id))) {
      throw lastAdmin("deleted");
    }
  }

  /** The keys of a person or a team, for an admin who manages them. */
  async requireHolder(actor: Person, id: string): Promise<KeyHolder> {
    const found = await this.parts.store.accounts.findAccount(id);
    return { account: existing(found, "There is no such account or team."), actor, memberId: null };
  }

  async revokeKey(actor: Actor, id: string): Promise<ApiKey> {
    await this.requireKey(id);
    return endKey(this.parts, actor, id);
  }

  /** Undoes one's own `revokeKey` of the last hour; what others revoked, its owner above all, stays revoked. */
  async restoreKey(actor: Actor, id: string): Promise<ApiKey> {
    const { store, clock, keys, audit } = this.parts;
    const key = await this.requireKey(id);
    const from = new Date(clock.now().getTime() - undoMs);
    const { lines } = await audit.page(null, { action: "revoked key", account: key.accountId, from });
    const revokedBy = lines.find(({ target }) => target === id)?.actor;
    if (typeof actor === "string" || revokedBy !== actor.accountId) {
      throw new DashboardError("conflict", "Only a key that you revoked in the last hour can be restored.");
    }
    await store.accounts.restoreKey(id);
    keys.forget(id);
    await audit.record(actor, "restored key", id);
    return (await store.findKey(id)) ?? key;
  }

  async requireKey(id: string): Promise<ApiKey> {
    return existing(await this.parts.store.findKey(id), "There is no such key.");
  }

  /** The link is mailed too when there is a mail server. */
  async createResetLink(actor: Actor, id: string): Promise<CreatedLink> {
    const { links, audit, outbox, publicUrl, ownerName } = this.parts;
    const { account } = await this.require(id);
    const made = await links.reset(id);
    await audit.record(actor, "created reset link", id);
    outbox.post(async () => resetMail(account.email, publicUrl() + made.path, ownerName()));
    return made;
  }

  listPlans(): Promise<{ plan: Plan; accounts: number }[]> {
    return listPlans(this.parts.store);
  }

  requirePlanById(id: string): Promise<Plan> {
    return requirePlan(this.parts.store, id);
  }

  /** Throws `conflict` where there is one with this id. */
  async createPlan(actor: Actor, plan: Plan): Promise<Plan> {
    if ((await this.parts.store.findPlan(plan.id)) !== null) {
      throw new DashboardError("conflict", "There is a plan with this id already.", { field: "id" });
    }
    return this.savePlan(actor, plan);
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

  /** The next request of the account sees it. */
  async #change(
    actor: Actor,
    id: string,
    action: AuditAction,
    change: () => Promise<void>,
  ): Promise<AccountSummary> {
    await this.require(id);
    await change();
    this.parts.keys.forgetAccount(id);
    await this.parts.audit.record(actor, action, id);
    return this.require(id);
  }

  /** Throws `not_found` for an account that does not exist. */
  async require(id: string): Promise<AccountSummary> {
    const found = await this.parts.store.accounts.findSummary(id, this.parts.clock.now());
    return existing(found, "There is no such account.");
  }
}

const lastAdmin = (what: string): DashboardError =>
  new DashboardError(
    "conflict",
    `The only account that manages the service cannot be ${what}. Make another one an admin first.`,
  );
