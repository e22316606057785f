/** Webhooks, for admins. */
import type { Delivery, Webhook } from "../../../core/events/ports.js";
import { fieldsInJson } from "../../../protocol/dashboard/in-json.js";
import {
  deliveriesQuery,
  webhookBody,
  webhookChangeBody,
  type DeliveryPage,
  type DeliveryView,
  type WebhookView,
  type WebhookWithSecret,
} from "../../../protocol/dashboard/webhooks.js";
import type { DashboardParts } from "../parts.js";
import { admin, confirmed, type DashboardRoute } from "../route.js";

export function webhookRoutes({ dashboard: { webhooks } }: DashboardParts): DashboardRoute[] {
  return [
    admin("GET", "/admin/webhooks", async () => ({ webhooks: (await webhooks.list()).map(webhookView) })),
    admin("POST", "/admin/webhooks", async (visit, actor): Promise<WebhookWithSecret> => {
      const { webhook, secret } = await webhooks.create(actor, await visit.body(webhookBody));
      return { webhook: webhookView(webhook), secret };
    }),
    admin("GET", "/admin/webhooks/:id", async ({ id }) => webhookView(await webhooks.require(id))),
    admin("PUT", "/admin/webhooks/:id", async (visit, actor) =>
      webhookView(await webhooks.change(actor, visit.id, await visit.body(webhookChangeBody))),
    ),
    admin("DELETE", "/admin/webhooks/:id", ({ id }, actor) => webhooks.remove(actor, id)),
    admin("POST", "/admin/webhooks/:id/secret", confirmed, async ({ id }, actor) => ({
      secret: await webhooks.rotateSecret(actor, id),
    })),
    admin("POST", "/admin/webhooks/:id/test", ({ id }) => webhooks.test(id)),
    admin("GET", "/admin/webhook-deliveries", async (visit): Promise<DeliveryPage> => {
      const { webhook = null, before = null } = visit.query(deliveriesQuery);
      const { deliveries, next } = await webhooks.deliveries(webhook, before);
      return { deliveries: deliveries.map(deliveryView), next };
    }),
    admin("GET", "/admin/webhook-deliveries/:id", async ({ id }) =>
      deliveryView(await webhooks.requireDelivery(id)),
    ),
    admin("POST", "/admin/webhook-deliveries/:id/redeliver", ({ id }) => webhooks.redeliver(id)),
  ];
}

const webhookView = (webhook: Webhook): WebhookView =>
  fieldsInJson(webhook, "id", "url", "description", "events", "createdAt", "off", "failingSince");

const deliveryView = (delivery: Delivery): DeliveryView => ({
  ...fieldsInJson(delivery, "id", "webhookId", "type", "createdAt", "nextAt", "attempts", "lastAt"),
  ...fieldsInJson(delivery, "responseStatus", "error", "durationMs"),
  state: stateOf(delivery),
});

function stateOf({ nextAt, deliveredAt }: Delivery): DeliveryView["state"] {
  if (nextAt !== null) return "waiting";
  return deliveredAt === null ? "failed" : "delivered";
}
