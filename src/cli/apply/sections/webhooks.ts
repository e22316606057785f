/** Webhooks, by their addresses; those with the same address by their ids. */
import * as z from "zod";
import { isForbiddenHost } from "../../../adapters/address-policy.js";
import type { Webhook } from "../../../core/events/ports.js";
import { WebhookSecrets } from "../../../core/events/webhook-secret.js";
import { Webhooks } from "../../../core/events/webhooks.js";
import { webhookChangeBody } from "../../../protocol/dashboard/webhooks.js";
import { byNameOrId, keyedSection } from "./keyed.js";
import type { Section, SectionParts } from "./section.js";

export const webhookEntry = z.strictObject(webhookChangeBody.shape);

export function webhooksSection(parts: SectionParts): Section {
  const { store, audit, actor, clock, sealed } = parts;
  const webhooks = new Webhooks({
    ...{ store: store.webhooks, secrets: new WebhookSecrets(sealed, clock), audit, clock, isForbiddenHost },
    // A server looks for webhooks by itself, and delivers.
    publisher: { look: async () => undefined, publishTo: async () => "" },
    onDue: () => undefined,
  });
  let known = new Map<string, Webhook>();
  const idOf = (name: string): string => known.get(name)?.id ?? "";

  return keyedSection({
    name: "webhooks",
    kind: "webhook",
    schema: webhookEntry,
    read: async () => {
      known = byNameOrId(await webhooks.list(), ({ url }) => url);
      return new Map([...known].map(([name, webhook]) => [name, entryOf(webhook)]));
    },
    nameOf: (written) => [...known].find(([, { id }]) => id === written)?.[0] ?? wholeUrl(written),
    fresh: (url) => ({ url, description: "", events: null, isOn: true }),
    merge: (_, given) => (typeof given.url === "string" ? { ...given, url: wholeUrl(given.url) } : given),
    save: async (name, { isOn, ...draft }, before) => {
      if (before !== undefined) {
        await webhooks.change(actor, idOf(name), { ...draft, isOn });
        return;
      }
      const { webhook, secret } = await webhooks.create(actor, draft);
      parts.onWebhookSecret(webhook.url, secret);
      if (!isOn) await webhooks.change(actor, webhook.id, { ...draft, isOn });
    },
    remove: (name) => webhooks.remove(actor, idOf(name)),
    shown: (name, { url, ...webhook }) => (url === name ? webhook : { url, ...webhook }),
  });
}

const entryOf = ({ url, description, events, off }: Webhook) => ({
  ...{ url, description, events: events && [...events], isOn: off === null },
});

/** As the service keeps it: `https://example.com` has a slash at its end. */
function wholeUrl(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  url.hash = "";
  return url.href;
}
