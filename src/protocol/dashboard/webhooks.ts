/** Webhooks in the dashboard's API, for admins. */
import * as z from "zod";
import { noPage } from "./api.js";
import { longest } from "../../core/bounds.js";
import { eventTypes } from "../../core/events/events.js";
import type { Delivery, Webhook } from "../../core/events/ports.js";
import type { InJson } from "./in-json.js";

const url = z
  .string("Enter the address that events are sent to.")
  .trim()
  .max(longest.webhookUrl, `Use at most ${longest.webhookUrl} characters.`);
const description = z
  .string("Enter a description.")
  .max(longest.webhookDescription, `Use at most ${longest.webhookDescription} characters.`)
  .regex(/^\P{Cc}*$/u, "Use no control characters.")
  .default("");
const events = z
  .array(z.enum(eventTypes, "There is no such event."), "Choose events.")
  .min(1, "Choose at least one event.")
  .transform((types) => eventTypes.filter((type) => types.includes(type)))
  .nullable();

/** POST /api/admin/webhooks → WebhookWithSecret; `events` null for all of them */
export const webhookBody = z.object({ url, description, events });

/** PUT /api/admin/webhooks/:id → WebhookView */
export const webhookChangeBody = webhookBody.extend({ isOn: z.boolean("Say whether it is on.") });

/** GET /api/admin/webhook-deliveries → DeliveryPage, of one webhook or all */
export const deliveriesQuery = z.object({
  webhook: z.string("Choose a webhook.").max(64, "There is no such webhook.").optional(),
  before: z.string(noPage).max(100, noPage).optional(),
});

// GET /api/admin/webhooks → { webhooks: WebhookView[] }, oldest first
// DELETE /api/admin/webhooks/:id → {}
export type WebhookView = InJson<Webhook>;

// POST /api/admin/webhooks/:id/secret → { secret: string }, a new one; the one before works for another day
export interface WebhookWithSecret {
  webhook: WebhookView;
  /** Shown once. */
  secret: string;
}

// POST /api/admin/webhooks/:id/test → {}
// POST /api/admin/webhook-deliveries/:id/redeliver → {}
export interface DeliveryView extends InJson<
  Omit<Delivery, "accountId" | "body" | "deliveredAt" | "retryUntil">
> {
  state: "waiting" | "delivered" | "failed";
}

export interface DeliveryPage {
  /** Newest first. */
  deliveries: DeliveryView[];
  next: string | null;
}
