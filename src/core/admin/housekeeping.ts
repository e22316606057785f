/** Deletes what has expired, when the service has started and once an hour. The next run makes up for one that failed. */
import type { AuditStore } from "../audit.js";
import type { Clock } from "../clock.js";
import type { WebhookStore } from "../events/ports.js";
import type { QuotaStore } from "../limits/ports.js";
import { PeriodicTask } from "../periodic-task.js";
import type { Store } from "../store.js";
import type { ChangeStore } from "../replicas/changes.js";
import type { StepStore } from "../factors/ports.js";
import type { LinkStore } from "../sign-in/ports.js";
import type { Sessions } from "../sign-in/sessions.js";
import type { SingleSignOnStore } from "../single-sign-on/ports.js";
import type { UsageStore } from "../usage/ports.js";
import type { ServiceStore } from "./ports.js";

const everyMs = 60 * 60_000;
const dayMs = 24 * 60 * 60_000;

const deliveryDaysKept = 7;

/** More than a month and the day that two time zones can be apart. */
const quotaDaysKept = 62;

function quotasKeptSince(now: Date): [day: string, time: Date] {
  const since = new Date(now.getTime() - quotaDaysKept * dayMs);
  return [since.toISOString().slice(0, 10), since];
}

export interface HousekeepingParts {
  store: Pick<Store, "eraseTraces"> & {
    readonly links: LinkStore;
    readonly signInSteps: StepStore;
    readonly singleSignOn: SingleSignOnStore;
    readonly usage: UsageStore;
    readonly quotas: QuotaStore;
    readonly service: ServiceStore;
    readonly audit: AuditStore;
    readonly changes: ChangeStore;
    readonly webhooks: Pick<WebhookStore, "prune">;
  };
  sessions: Sessions;
  clock: Clock;
  /** How long usage and the audit trail are kept. */
  retentionDays: number;
  /** Deletes old copies of the database. */
  removeOldCopies: (now: Date) => void;
  reportError: (error: unknown) => void;
}

export class Housekeeping {
  readonly #task: PeriodicTask;

  constructor(private readonly parts: HousekeepingParts) {
    this.#task = new PeriodicTask(() => this.#tidy(), everyMs);
  }

  start(): void {
    void this.#task.run();
  }

  /** Waits for a run under way. */
  close(): Promise<void> {
    return this.#task.stop();
  }

  /** Never rejects. */
  async #tidy(): Promise<void> {
    const { store, sessions, clock, retentionDays, removeOldCopies, reportError } = this.parts;
    const now = clock.now();
    const kept = new Date(now.getTime() - retentionDays * dayMs);
    try {
      removeOldCopies(now);
      await sessions.prune();
      await store.links.prune(now);
      await store.signInSteps.prune(now);
      await store.singleSignOn.prune(now);
      await store.usage.prune(kept);
      await store.quotas.prune(...quotasKeptSince(now));
      await store.service.usage.prune(kept);
      await store.service.outcomes.prune(kept);
      await store.audit.prune(kept);
      await store.audit.forgetDeleted(new Date(now.getTime() - 2 * everyMs));
      await store.webhooks.prune(new Date(now.getTime() - deliveryDaysKept * dayMs));
      await store.changes.prune(new Date(now.getTime() - everyMs));
      await store.eraseTraces();
    } catch (error) {
      reportError(error);
    }
  }
}
