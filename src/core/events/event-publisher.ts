/**
 * Writes events down as deliveries, one for each webhook that asks for them; deliverer.ts sends them. An event is bound
 * to nothing else: it is written after what it reports, and an outage of the database between the two loses it.
 */
import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "../clock.js";
import type { EventSink, EventType, PublishOptions, ServiceEvent } from "./events.js";
import type { NewDelivery, Webhook, WebhookStore } from "./ports.js";

/** Events that wait for the database. */
const mostPending = 1_000;
/** Kept for each webhook; beyond it events are dropped. */
const mostDeliveries = 10_000;
const retriedForMs = 24 * 60 * 60_000;

export interface EventPublisherParts {
  store: Pick<WebhookStore, "list" | "add">;
  clock: Clock;
  /** There is something to deliver. */
  onAdded: () => void;
  onDropped: (count: number) => void;
  reportError: (error: unknown) => void;
}

export class EventPublisher implements EventSink {
  readonly #pending = new Set<Promise<void>>();
  #isListening = false;

  constructor(private readonly parts: EventPublisherParts) {}

  get isListening(): boolean {
    return this.#isListening;
  }

  /** Finds out whether anything listens. */
  async look(): Promise<void> {
    const webhooks = await this.parts.store.list();
    this.#isListening = webhooks.some(({ off }) => off === null);
  }

  publish(event: ServiceEvent, options: PublishOptions = {}): void {
    const { clock, onDropped } = this.parts;
    if (this.#pending.size >= mostPending) {
      onDropped(1);
      return;
    }
    this.follow(this.#write(event, clock.now(), options));
  }

  /** Work that publishes something in the end: it is waited for, and its error reported. */
  follow(work: Promise<void>): void {
    const done = work.catch(this.parts.reportError).finally(() => this.#pending.delete(done));
    this.#pending.add(done);
  }

  /** To this webhook alone, whatever it asks for. */
  async publishTo(webhook: Webhook, event: ServiceEvent): Promise<string> {
    const delivery = deliveryOf(webhook, event, this.parts.clock.now(), {});
    await this.#add([delivery]);
    return delivery.id;
  }

  /** Resolves when what was published is written. */
  async close(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  async #write(event: ServiceEvent, at: Date, options: PublishOptions): Promise<void> {
    const webhooks = await this.parts.store.list();
    const listening = webhooks.filter((webhook) => isWanted(webhook, event.type));
    if (listening.length === 0) return;
    await this.#add(listening.map((webhook) => deliveryOf(webhook, event, at, options)));
  }

  async #add(deliveries: NewDelivery[]): Promise<void> {
    const dropped = await this.parts.store.add(deliveries, mostDeliveries);
    if (dropped > 0) this.parts.onDropped(dropped);
    this.parts.onAdded();
  }
}

const isWanted = ({ off, events }: Webhook, type: EventType): boolean =>
  off === null && (events === null || events.some((wanted) => wanted === type));

function deliveryOf(webhook: Webhook, event: ServiceEvent, at: Date, { once }: PublishOptions): NewDelivery {
  const { type, data } = event;
  return {
    id: `msg_${once === undefined ? randomBytes(16).toString("hex") : nameOf(webhook.id, type, once)}`,
    webhookId: webhook.id,
    accountId: subjectOf(event),
    type,
    body: JSON.stringify({ type, timestamp: at.toISOString(), data }),
    createdAt: at,
    retryUntil: new Date(at.getTime() + retriedForMs),
  };
}

/** The account or team that the delivery is deleted with; what is left of one is the news that it was deleted. */
function subjectOf({ type, data }: ServiceEvent): string | null {
  if (type === "account.deleted" || type === "team.deleted") return null;
  if ("account_id" in data) return data.account_id;
  return "team_id" in data ? data.team_id : null;
}

/** The same for everyone who publishes the occurrence. */
const nameOf = (...parts: string[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
