/**
 * The secret that a webhook's deliveries are signed with, as Standard Webhooks describes it: `whsec_` and base64, and
 * HMAC-SHA256 over id, time and body. Sealed in the database. After a rotation both sign for a day, so that a receiver
 * can be changed over without losing a delivery.
 */
import { createHmac, randomBytes } from "node:crypto";
import type { Clock } from "../clock.js";
import { SealedElsewhere, type SealedSettings } from "../proof/sealed-settings.js";

const prefix = "whsec_";
const secretBytes = 24;
const bothForMs = 24 * 60 * 60_000;

export class WebhookSecrets {
  constructor(
    private readonly sealed: SealedSettings,
    private readonly clock: Clock,
  ) {}

  /** The new secret, to be shown once. The one before signs for another day. */
  async renew(webhookId: string): Promise<string> {
    const current = prefix + randomBytes(secretBytes).toString("base64");
    const before = await this.#read(webhookId).catch((error: unknown) => {
      if (error instanceof SealedElsewhere) return null;
      throw error;
    });
    const untilMs = this.clock.now().getTime() + bothForMs;
    const stored = before === null ? current : `${current} ${before[0]} ${untilMs}`;
    await this.sealed.replace(nameOf(webhookId), Buffer.from(stored));
    return current;
  }

  delete(webhookId: string): Promise<void> {
    return this.sealed.delete(nameOf(webhookId));
  }

  /** The headers of one attempt; null when there is no secret. Rejects when it was sealed under another service key. */
  async headers(webhookId: string, messageId: string, body: string): Promise<Record<string, string> | null> {
    const stored = await this.#read(webhookId);
    if (stored === null) return null;
    const nowMs = this.clock.now().getTime();
    const [current, previous, untilMs] = stored;
    const secrets = previous !== undefined && Number(untilMs) > nowMs ? [current, previous] : [current];
    const timestamp = String(Math.floor(nowMs / 1000));
    return {
      "webhook-id": messageId,
      "webhook-timestamp": timestamp,
      "webhook-signature": secrets
        .map((secret) => sign(secret, `${messageId}.${timestamp}.${body}`))
        .join(" "),
    };
  }

  /** The secret, and after a rotation the one before with its last moment. */
  async #read(webhookId: string): Promise<[current: string, previous?: string, untilMs?: string] | null> {
    const stored = await this.sealed.get(nameOf(webhookId));
    const [current = "", previous, untilMs] = stored?.toString().split(" ") ?? [];
    if (stored === null) return null;
    return previous === undefined || untilMs === undefined ? [current] : [current, previous, untilMs];
  }
}

const nameOf = (webhookId: string): string => `webhook.${webhookId}`;

const sign = (secret: string, text: string): string =>
  `v1,${createHmac("sha256", Buffer.from(secret.slice(prefix.length), "base64"))
    .update(text)
    .digest("base64")}`;
