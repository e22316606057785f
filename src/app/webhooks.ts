/** Events and the webhooks that they are sent to, wired to the store, the audit trail and the network. */
import { hostname } from "node:os";
import { isForbiddenHost } from "../adapters/address-policy.js";
import { News } from "../core/admin/news.js";
import { Audit } from "../core/audit.js";
import type { Clock } from "../core/clock.js";
import { closeAll } from "../core/close-all.js";
import { auditEvents } from "../core/events/audit-events.js";
import { Deliverer } from "../core/events/deliverer.js";
import { EventPublisher } from "../core/events/event-publisher.js";
import { EventWatch } from "../core/events/event-watch.js";
import type { OffReason, WebhookSender } from "../core/events/ports.js";
import { WebhookSecrets } from "../core/events/webhook-secret.js";
import { Webhooks } from "../core/events/webhooks.js";
import type { SealedSettings } from "../core/proof/sealed-settings.js";
import type { FullStore } from "../store/full-store.js";

export interface WebhookOptions {
  store: FullStore;
  clock: Clock;
  sealed: SealedSettings;
  /** Whether each model can be answered now; null while it is starting or off. */
  engines: () => ReadonlyMap<string, boolean | null>;
  onSwitchedOff: (reason: OffReason) => void;
  onDropped: (count: number) => void;
  reportError: (error: unknown) => void;
}

export function createWebhooks(options: WebhookOptions) {
  const { store, clock, reportError } = options;
  const secrets = new WebhookSecrets(options.sealed, clock);
  const sender = new SenderOnDemand();
  const deliverer = new Deliverer({
    ...{ store: store.webhooks, secrets, sender, clock, reportError },
    onSwitchedOff: (_id, reason) => options.onSwitchedOff(reason),
  });
  const onDue = () => void deliverer.wake();
  const publisher = new EventPublisher({
    ...{ store: store.webhooks, clock, reportError, onDropped: options.onDropped },
    onAdded: onDue,
  });
  const note = auditEvents({
    findKey: (id) => store.findKey(id),
    findAccount: (id) => store.accounts.findAccount(id),
    findRole: async (teamId, accountId) => (await store.teams.membership(teamId, accountId))?.role ?? null,
    findWindow: (id) => store.news.findWindow(id),
    events: publisher,
  });
  const audit = new Audit(store.audit, clock, (...line) => publisher.follow(note(...line)));
  const news = new News(store.news, audit, clock);
  const watch = new EventWatch({
    ...{ store, clock, reportError, events: publisher, engines: options.engines, server: hostname() },
    endedWindows: (since) => news.listPastWindows(since),
    lookForListeners: () => publisher.look(),
  });
  return {
    events: publisher,
    audit,
    news,
    watch,
    deliverer,
    webhooks: new Webhooks({
      ...{ store: store.webhooks, secrets, publisher, audit, clock, isForbiddenHost, onDue },
    }),
    close: () =>
      closeAll([() => sender.close(), () => deliverer.close(), () => publisher.close(), () => watch.close()]),
  };
}

/** The HTTP client is loaded for the first delivery: most services have no webhooks. */
class SenderOnDemand implements WebhookSender {
  #client: Promise<WebhookSender & { close(): Promise<void> }> | null = null;

  async send(...given: Parameters<WebhookSender["send"]>) {
    this.#client ??= import("../adapters/webhook-client.js").then(({ WebhookClient }) => new WebhookClient());
    return (await this.#client).send(...given);
  }

  async close(): Promise<void> {
    await (await this.#client)?.close();
  }
}
