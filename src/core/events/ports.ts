/** What webhooks need from the store and from the network. */
import type { EventType, SubscribedType } from "./events.js";

export const offReasons = ["admin", "failing", "gone"] as const;
export type OffReason = (typeof offReasons)[number];

export interface Webhook {
  id: string;
  url: string;
  description: string;
  /** Null: all of them, also those of later versions. */
  events: readonly SubscribedType[] | null;
  createdAt: Date;
  /** Null while it is on. */
  off: { at: Date; reason: OffReason } | null;
  /** When deliveries began to fail; null since one succeeded. */
  failingSince: Date | null;
}

export type WebhookChange = Pick<Webhook, "url" | "description" | "events" | "off">;

/** Why a delivery got no answer. */
export const deliveryErrors = ["timeout", "unreachable", "address_not_allowed", "secret_unreadable"] as const;
export type DeliveryError = (typeof deliveryErrors)[number];

export interface NewDelivery {
  /** Also the id of the message, which a receiver sees again when a delivery is repeated. */
  id: string;
  webhookId: string;
  /** The account that the event is about, with which the delivery is deleted. */
  accountId: string | null;
  type: EventType;
  body: string;
  createdAt: Date;
  /** It is given up when an attempt fails after this time. */
  retryUntil: Date;
}

export interface Delivery extends NewDelivery {
  /** Null once it was delivered or given up. */
  nextAt: Date | null;
  attempts: number;
  deliveredAt: Date | null;
  /** Of the last attempt; null without one. */
  lastAt: Date | null;
  responseStatus: number | null;
  error: DeliveryError | null;
  durationMs: number | null;
}

/** How an attempt ended. */
export type AttemptResult = Pick<
  Delivery,
  "nextAt" | "deliveredAt" | "responseStatus" | "error" | "durationMs"
> & { lastAt: Date };

export interface WebhookStore {
  /** Oldest first. */
  list(): Promise<Webhook[]>;
  find(id: string): Promise<Webhook | null>;
  /** False, and nothing is done, when there are already `most`. */
  create(webhook: Webhook, most: number): Promise<boolean>;
  /** One that is switched on is no longer failing. Null when there is none. */
  change(id: string, change: WebhookChange): Promise<Webhook | null>;
  /** With its deliveries. False when there is none. */
  delete(id: string): Promise<boolean>;
  /** Sets `failingSince`, unless it is set, or clears it; returns what it is then. */
  noteFailing(id: string, at: Date | null): Promise<Date | null>;
  /** False when it was off already. */
  switchOff(id: string, at: Date, reason: OffReason): Promise<boolean>;

  /** Those whose id exists are left as they are. Returns how many there was no room for: `most` for each webhook. */
  add(deliveries: readonly NewDelivery[], most: number): Promise<number>;
  /**
   * Takes deliveries that are due, of webhooks that are on, the one due longest first. Nobody else gets them before
   * `leaseUntil`, at which they are due again unless `finish` was called.
   */
  claim(options: {
    now: Date;
    leaseUntil: Date;
    limit: number;
    except: readonly string[];
  }): Promise<Delivery[]>;
  /** Does nothing if it was claimed again meanwhile. */
  finish(delivery: Pick<Delivery, "id" | "attempts">, result: AttemptResult): Promise<void>;
  findDelivery(id: string): Promise<Delivery | null>;
  /** To one webhook or all, the newest first; from the one after `before` on. */
  listDeliveries(
    webhookId: string | null,
    before: Pick<Delivery, "id" | "createdAt"> | null,
    limit: number,
  ): Promise<Delivery[]>;
  /** Makes it due now. */
  redeliver(id: string, now: Date, retryUntil: Date): Promise<void>;
  prune(before: Date): Promise<void>;

  /** Keys that neither ended nor were revoked and expire in this time, those that expire first first. */
  keysExpiring(
    after: Date,
    until: Date,
    limit: number,
  ): Promise<{ id: string; accountId: string; expiresAt: Date }[]>;
}

export interface WebhookSender {
  /** Follows no redirect, reads next to nothing of the answer. Rejects only when `signal` aborts. */
  send(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<{ status: number; error: null } | { status: null; error: DeliveryError }>;
}
