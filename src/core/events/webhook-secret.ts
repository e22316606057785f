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

interface Stored {
  current: string;
  previous?: { secret: string; untilMs: number };
}

export class WebhookSecrets {
  constructor(
    private readonly sealed: Pick<SealedSettings, "get" | "replace" | "delete">,
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
    const stored = before === null ? current : `${current} ${before.current} ${untilMs}`;
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
    const { current, previous } = stored;
    const secrets = [
      current,
      ...(previous !== undefined && previous.untilMs > nowMs ? [previous.secret] : []),
    ];
    const timestamp = String(Math.floor(nowMs / 1000));
    return {
      "webhook-id": messageId,
      "webhook-timestamp": timestamp,
      "webhook-signature": secrets
        .map((secret) => sign(secret, `${messageId}.${timestamp}.${body}`))
        .join(" "),
    };
  }

  async #read(webhookId: string): Promise<Stored | null> {
    const stored = await this.sealed.get(nameOf(webhookId));
    return stored === null ? null : parsed(stored.toString());
  }
}

/** `renew` wrote it: the secret, and after a rotation the one before with its last moment. */
function parsed(text: string): Stored {
  const [current = "", secret, untilMs] = text.split(" ");
  return secret === undefined ? { current } : { current, previous: { secret, untilMs: Number(untilMs) } };
}

const nameOf = (webhookId: string): string => `webhook.${webhookId}`;

const sign = (secret: string, text: string): string =>
  `v1,${createHmac("sha256", Buffer.from(secret.slice(prefix.length), "base64"))
    .update(text)
    .digest("base64")}`;
