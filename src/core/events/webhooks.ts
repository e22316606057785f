/** Webhooks, for admins: which there are, what they ask for, and how deliveries to them went. */
import { randomBytes } from "node:crypto";
import type { AuditAction } from "../audit-actions.js";
import type { Actor, Audit } from "../audit.js";
import { longest, mostWebhooks } from "../bounds.js";
import type { Clock } from "../clock.js";
import { DashboardError } from "../dashboard-error.js";
import type { EventPublisher } from "./event-publisher.js";
import type { Delivery, Webhook, WebhookStore } from "./ports.js";
import type { WebhookSecrets } from "./webhook-secret.js";

const pageSize = 50;
const retriedForMs = 24 * 60 * 60_000;

type WebhookDraft = Pick<Webhook, "url" | "description" | "events">;

export interface WebhooksParts {
  store: WebhookStore;
  secrets: WebhookSecrets;
  publisher: Pick<EventPublisher, "publishTo" | "look">;
  audit: Audit;
  clock: Clock;
  /** Whether the address policy forbids its host, where that is an address. What a name leads to is checked later. */
  isForbiddenHost: (url: URL) => boolean;
  /** There is something to deliver. */
  onDue: () => void;
}

export class Webhooks {
  constructor(private readonly parts: WebhooksParts) {}

  list(): Promise<Webhook[]> {
    return this.parts.store.list();
  }

  /** With the secret, which is shown once. */
  async create(actor: Actor, draft: WebhookDraft): Promise<{ webhook: Webhook; secret: string }> {
    const { store, secrets, clock } = this.parts;
    const id = `wh_${randomBytes(10).toString("hex")}`;
    const webhook = { id, ...this.#checked(draft), createdAt: clock.now(), off: null, failingSince: null };
    if (!(await store.create(webhook, mostWebhooks))) {
      throw new DashboardError("limit_reached", `There are ${mostWebhooks} webhooks. Delete one first.`);
    }
    const secret = await secrets.renew(id);
    await this.#changed(actor, "created webhook", id);
    return { webhook, secret };
  }

  async change(actor: Actor, id: string, draft: WebhookDraft & { isOn: boolean }): Promise<Webhook> {
    const { store, clock, onDue } = this.parts;
    const { off } = await this.require(id);
    const offNow = off ?? { at: clock.now(), reason: "admin" as const };
    const webhook = await store.change(id, { ...this.#checked(draft), off: draft.isOn ? null : offNow });
    if (webhook === null) throw noWebhook();
    await this.#changed(actor, "changed webhook", id);
    if (draft.isOn) onDue();
    return webhook;
  }

  async remove(actor: Actor, id: string): Promise<void> {
    const { store, secrets } = this.parts;
    if (!(await store.delete(id))) throw noWebhook();
    await secrets.delete(id);
    await this.#changed(actor, "deleted webhook", id);
  }

  /** The one before works for another day. */
  async rotateSecret(actor: Actor, id: string): Promise<string> {
    await this.require(id);
    const secret = await this.parts.secrets.renew(id);
    await this.#changed(actor, "rotated secret of webhook", id);
    return secret;
  }

  /** Sends an event that means nothing. Resolves when it is written down, not when it has arrived. */
  async test(id: string): Promise<void> {
    const webhook = await this.require(id);
    if (webhook.off !== null) throw isOff();
    await this.parts.publisher.publishTo(webhook, { type: "webhook.test", data: { webhook_id: id } });
  }

  /** To one webhook or all, the newest first. `next` continues where the page ends; null on the last one. */
  async deliveries(
    id: string | null,
    before: string | null,
  ): Promise<{ deliveries: Delivery[]; next: string | null }> {
    const place = before === null ? null : parseCursor(before);
    const found = await this.parts.store.listDeliveries(id, place, pageSize + 1);
    const deliveries = found.slice(0, pageSize);
    const last = deliveries.at(-1);
    const hasNext = found.length > pageSize && last !== undefined;
    return { deliveries, next: hasNext ? `${last.createdAt.getTime()} ${last.id}` : null };
  }

  /** Sends it again, under the same message id, whether or not it arrived. */
  async redeliver(deliveryId: string): Promise<void> {
    const { store, clock, onDue } = this.parts;
    const delivery = await this.requireDelivery(deliveryId);
    if ((await this.require(delivery.webhookId)).off !== null) throw isOff();
    const now = clock.now();
    await store.redeliver(deliveryId, now, new Date(now.getTime() + retriedForMs));
    onDue();
  }

  async #changed(actor: Actor, action: AuditAction, id: string): Promise<void> {
    await this.parts.audit.record(actor, action, id);
    await this.parts.publisher.look();
  }

  async requireDelivery(id: string): Promise<Delivery> {
    const delivery = await this.parts.store.findDelivery(id);
    if (delivery === null) throw new DashboardError("not_found", "There is no such delivery.");
    return delivery;
  }

  async require(id: string): Promise<Webhook> {
    const webhook = await this.parts.store.find(id);
    if (webhook === null) throw noWebhook();
    return webhook;
  }

  #checked({ url: text, description, events }: WebhookDraft): WebhookDraft {
    const url = URL.canParse(text) ? new URL(text) : null;
    const isHttp = url !== null && /^https?:$/.test(url.protocol) && url.hostname !== "";
    if (!isHttp || url.username !== "" || url.password !== "" || text.length > longest.webhookUrl) {
      throw badUrl("Enter an address that begins with https:// or http://, without a user name.");
    }
    if (this.parts.isForbiddenHost(url)) throw badUrl("This address is reserved and never connected to.");
    url.hash = "";
    return { url: url.href, description: description.trim(), events };
  }
}

const badUrl = (message: string): DashboardError =>
  new DashboardError("bad_request", message, { field: "url" });

const noWebhook = (): DashboardError => new DashboardError("not_found", "There is no such webhook.");

const isOff = (): DashboardError =>
  new DashboardError("conflict", "This webhook is off. Switch it on first.");

function parseCursor(cursor: string): Pick<Delivery, "id" | "createdAt"> {
  const [, time, id] = /^(\d{1,15}) (msg_\w{1,60})$/.exec(cursor) ?? [];
  if (time === undefined || id === undefined) {
    throw new DashboardError("bad_request", "There is no such page.", { field: "before" });
  }
  return { createdAt: new Date(Number(time)), id };
}
