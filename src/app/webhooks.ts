/** Events and the webhooks that they are sent to, wired to the store, the audit trail and the network. */
import { hostname } from "node:os";
import { isForbiddenHost } from "../adapters/address-policy.js";
import type { WebhookClient } from "../adapters/webhook-client.js";
import { News } from "../core/admin/news.js";
import { Audit } from "../core/audit.js";
import { auditEvents } from "../core/events/audit-events.js";
import { Deliverer } from "../core/events/deliverer.js";
import { EventPublisher } from "../core/events/event-publisher.js";
import { EventWatch } from "../core/events/event-watch.js";
import type { WebhookSender } from "../core/events/ports.js";
import { WebhookSecrets } from "../core/events/webhook-secret.js";
import { Webhooks } from "../core/events/webhooks.js";
import { modelIds } from "../core/models.js";
import type { SealedSettings } from "../core/proof/sealed-settings.js";
import { type EngineStatus, isAvailable } from "../core/serving/engine-port.js";
import type { FullStore } from "../store/full-store.js";
import type { Engines } from "./engines.js";
import type { Context } from "./overrides.js";

/** Null while it has not answered yet, or is not meant to. */
const isUp = (status: EngineStatus): boolean | null =>
  status.state === "starting" || status.state === "off" ? null : isAvailable(status);

export function createWebhooks(
  { clock, log, closers }: Context,
  store: FullStore,
  vault: SealedSettings,
  { fleet }: Engines,
  reportError: (error: unknown) => void,
) {
  const secrets = new WebhookSecrets(vault, clock);
  // Loaded for the first delivery: most services have no webhooks.
  let client: Promise<WebhookClient> | undefined;
  const load = async () => new (await import("../adapters/webhook-client.js")).WebhookClient();
  closers.add({ close: async () => (await client)?.close() });
  const sender: WebhookSender = { send: async (...given) => (await (client ??= load())).send(...given) };
  const deliverer = closers.add(
    new Deliverer({
      ...{ store: store.webhooks, secrets, sender, clock, reportError },
      onSwitchedOff: (_id, reason) =>
        log.warn("webhook switched off: it keeps failing", { cause: reason.toUpperCase() }),
    }),
  );
  const onDue = () => void deliverer.wake();
  const publisher = closers.add(
    new EventPublisher({
      ...{ store: store.webhooks, clock, reportError },
      onDropped: (count) => log.warn("events dropped: a webhook has too many deliveries", { count }),
      onAdded: onDue,
    }),
  );
  const note = auditEvents({
    findKey: (id) => store.findKey(id),
    findAccount: (id) => store.accounts.findAccount(id),
    findRole: async (teamId, accountId) => (await store.teams.membership(teamId, accountId))?.role ?? null,
    findWindow: (id) => store.news.findWindow(id),
    events: publisher,
  });
  const audit = new Audit(store.audit, clock, (...line) => publisher.follow(note(...line)));
  const news = new News(store.news, audit, clock);
  const eventWatch = closers.add(
    new EventWatch({
      ...{ store, clock, reportError, events: publisher, server: hostname() },
      engines: () => new Map(modelIds.map((model) => [model, isUp(fleet.status(model))])),
      endedWindows: (since) => news.listPastWindows(since),
      lookForListeners: () => publisher.look(),
    }),
  );
  return {
    events: publisher,
    audit,
    news,
    eventWatch,
    deliverer,
    webhooks: new Webhooks({
      ...{ store: store.webhooks, secrets, publisher, audit, clock, isForbiddenHost, onDue },
    }),
  };
}
