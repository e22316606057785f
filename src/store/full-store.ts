import type { AccountStore, StoredStore } from "../core/accounts/ports.js";
import type { NewsStore, ServiceStore } from "../core/admin/ports.js";
import type { AuditStore } from "../core/audit.js";
import type { FactorStore, StepStore } from "../core/factors/ports.js";
import type { WebhookStore } from "../core/events/ports.js";
import type { QuotaStore } from "../core/limits/ports.js";
import type { StatementLogStore } from "../core/proof/ports.js";
import type { ChangeStore } from "../core/replicas/changes.js";
import type { ScimStore } from "../core/scim/ports.js";
import type { LinkStore, SessionStore } from "../core/sign-in/ports.js";
import type { SingleSignOnStore } from "../core/single-sign-on/ports.js";
import type { Store } from "../core/store.js";
import type { TeamStore } from "../core/teams/ports.js";
import type { UsageStore } from "../core/usage/ports.js";

/** Everything that the store keeps. */
export interface FullStore extends Store {
  readonly accounts: AccountStore;
  readonly sessions: SessionStore;
  readonly singleSignOn: SingleSignOnStore;
  readonly links: LinkStore;
  readonly factors: FactorStore;
  readonly signInSteps: StepStore;
  readonly usage: UsageStore;
  readonly quotas: QuotaStore;
  readonly news: NewsStore;
  readonly audit: AuditStore;
  readonly stored: StoredStore;
  readonly service: ServiceStore;
  readonly changes: ChangeStore;
  readonly statementLog: StatementLogStore;
  readonly webhooks: WebhookStore;
  readonly teams: TeamStore;
  readonly scim: ScimStore;

  /**
   * Everything that `work` does with the store it is given happens together, or not at all if it rejects. It must not use
   * this store meanwhile, and must not go on after an error.
   */
  atomically<T>(work: (store: FullStore) => Promise<T>): Promise<T>;
}
