/**
 * Sends deliveries to webhooks. The table is the queue: a server claims what is due for a minute and writes down how it
 * ended. If it dies in between, the delivery is due again after that minute, on any replica; so each arrives at least
 * once, always under the same message id, and in no particular order.
 *
 * An attempt that fails is repeated after growing pauses for a day, then given up. A webhook that has only failed for
 * three days, or answers 410 Gone, is switched off. One that is slow takes a few of the places for sending, not all.
 */
import type { Clock } from "../clock.js";
import { PeriodicTask } from "../periodic-task.js";
import { SealedElsewhere } from "../proof/sealed-settings.js";
import type { AttemptResult, Delivery, OffReason, WebhookSender, WebhookStore } from "./ports.js";
import type { WebhookSecrets } from "./webhook-secret.js";

const everyMs = 5_000;
const mostSending = 20;
const fewForOne = 4;
/** Longer than any attempt. */
const leaseMs = 60_000;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const pausesMs = [5_000, minuteMs, 5 * minuteMs, 15 * minuteMs, hourMs, 2 * hourMs, 4 * hourMs, 8 * hourMs];
const failsForMs = 3 * 24 * hourMs;

export interface DelivererParts {
  store: Pick<WebhookStore, "claim" | "find" | "finish" | "noteFailing" | "switchOff">;
  secrets: Pick<WebhookSecrets, "headers">;
  sender: WebhookSender;
  clock: Clock;
  onSwitchedOff: (webhookId: string, reason: OffReason) => void;
  reportError: (error: unknown) => void;
}

export class Deliverer {
  /** By delivery: the webhook it goes to, and the end of the attempt. */
  readonly #sending = new Map<string, { webhookId: string; ended: Promise<void> }>();
  readonly #closing = new AbortController();
  readonly #task: PeriodicTask;

  constructor(private readonly parts: DelivererParts) {
    this.#task = new PeriodicTask(() => this.#claimDue().catch(parts.reportError), everyMs);
  }

  /** There may be something to deliver. Resolves when all that is due is being sent. */
  async wake(): Promise<void> {
    if (!this.#closing.signal.aborted) await this.#task.runAgain();
  }

  /** Resolves when nothing is being sent. */
  async idle(): Promise<void> {
    while (this.#sending.size > 0) await Promise.all([...this.#sending.values()].map(({ ended }) => ended));
  }

  /** Attempts under way are broken off and repeated by whoever is next. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#task.stop();
    await this.idle();
  }

  async #claimDue(): Promise<void> {
    const { store, clock } = this.parts;
    while (this.#sending.size < mostSending && !this.#closing.signal.aborted) {
      const now = clock.now();
      const due = await store.claim({
        now,
        leaseUntil: new Date(now.getTime() + leaseMs),
        limit: fewForOne,
        except: this.#busyWebhooks(),
      });
      if (due.length === 0) return;
      for (const delivery of due) this.#start(delivery);
    }
  }

  #busyWebhooks(): string[] {
    const counts = new Map<string, number>();
    for (const { webhookId } of this.#sending.values())
      counts.set(webhookId, (counts.get(webhookId) ?? 0) + 1);
    return [...counts].filter(([, count]) => count >= fewForOne).map(([webhookId]) => webhookId);
  }

  #start(delivery: Delivery): void {
    const ended = this.#attempt(delivery)
      .catch(this.parts.reportError)
      .finally(() => {
        this.#sending.delete(delivery.id);
        void this.wake();
      });
    this.#sending.set(delivery.id, { webhookId: delivery.webhookId, ended });
  }

  async #attempt(delivery: Delivery): Promise<void> {
    const { store, clock } = this.parts;
    const webhook = await store.find(delivery.webhookId);
    if (webhook === null) return;
    const startedMs = clock.monotonicMs();
    const answer = await this.#send(webhook.url, delivery);
    const lastAt = clock.now();
    if (answer === "broken off") {
      const { responseStatus, error, durationMs, deliveredAt } = delivery;
      const unchanged = { responseStatus, error, durationMs, deliveredAt };
      await store.finish(delivery, { nextAt: lastAt, lastAt, ...unchanged });
      return;
    }
    const isDelivered = answer.status !== null && answer.status >= 200 && answer.status < 300;
    await store.finish(delivery, {
      nextAt: isDelivered ? null : nextAttempt(delivery, lastAt),
      deliveredAt: isDelivered ? lastAt : null,
      lastAt,
      responseStatus: answer.status,
      error: answer.error,
      durationMs: Math.round(clock.monotonicMs() - startedMs),
    } satisfies AttemptResult);
    if (isDelivered) {
      if (webhook.failingSince !== null) await store.noteFailing(webhook.id, null);
    } else await this.#noteFailure(webhook.id, lastAt, answer.status);
  }

  async #send(
    url: string,
    { id, webhookId, body }: Delivery,
  ): Promise<Awaited<ReturnType<WebhookSender["send"]>> | "broken off"> {
    const { secrets, sender } = this.parts;
    const signed = await secrets.headers(webhookId, id, body).catch((error: unknown) => {
      if (error instanceof SealedElsewhere) return null;
      throw error;
    });
    if (signed === null) return { status: null, error: "secret_unreadable" };
    try {
      return await sender.send(url, signed, body, this.#closing.signal);
    } catch (error) {
      if (this.#closing.signal.aborted) return "broken off";
      throw error;
    }
  }

  async #noteFailure(webhookId: string, at: Date, status: number | null): Promise<void> {
    const { store, onSwitchedOff } = this.parts;
    const since = await store.noteFailing(webhookId, at);
    const isGone = status === 410;
    if (!isGone && (since === null || at.getTime() - since.getTime() < failsForMs)) return;
    const reason = isGone ? "gone" : "failing";
    if (await store.switchOff(webhookId, at, reason)) onSwitchedOff(webhookId, reason);
  }
}

/** Null when it is given up. */
function nextAttempt({ attempts, retryUntil }: Delivery, now: Date): Date | null {
  if (now >= retryUntil) return null;
  const pauseMs = pausesMs[Math.min(attempts, pausesMs.length) - 1] ?? 0;
  // The last attempt is at the end of the day.
  return new Date(Math.min(now.getTime() + pauseMs, retryUntil.getTime()));
}
