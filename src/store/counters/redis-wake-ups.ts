/**
 * Wake-ups and the notes of connection tests, through Redis pub/sub: nothing of either is stored there. The listener is
 * replaced after an outage, as the client of `redis-link.ts` is.
 */
import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import * as z from "zod";
import type { ArrivedRequest, OtherReplicas, TestNote } from "../../core/keys/connection-tests.js";
import type { WakeUps } from "../../core/replicas/wake-ups.js";
import type { RedisLink } from "./redis-link.js";

const accountId = z.string();
const sentNote = z.object({
  /** The replica that sent it: Redis delivers to the sender, too. */
  from: z.string(),
  note: z.discriminatedUnion("type", [
    z.object({ type: z.literal("began"), accountId, salt: z.string(), network: z.string() }),
    z.object({
      type: z.literal("arrived"),
      accountId,
      // Written by a replica of this installation, from its own allowlist.
      request: z.custom<ArrivedRequest>((value) => typeof value === "object" && value !== null),
    }),
  ]),
});

export class RedisWakeUps implements WakeUps {
  #subscriber: Redis;
  readonly #id = randomUUID();
  readonly #changes: string;
  readonly #notes: string;
  readonly #listeners: (() => void)[] = [];
  readonly #noteListeners: ((note: TestNote) => void)[] = [];
  readonly tests: OtherReplicas = {
    tell: (note) => this.#publish(this.#notes, JSON.stringify({ from: this.#id, note })),
    onNote: (listener) => void this.#noteListeners.push(listener),
  };

  constructor(private readonly link: RedisLink) {
    this.#changes = link.name("changes", "");
    this.#notes = link.name("connection-tests", "");
    this.#subscriber = this.#subscribe();
    link.onRecovery(async () => {
      this.#subscriber.disconnect();
      this.#subscriber = this.#subscribe();
    });
  }

  wakeOthers(): void {
    this.#publish(this.#changes, "");
  }

  onWakeUp(listener: () => void): void {
    this.#listeners.push(listener);
  }

  async close(): Promise<void> {
    this.#subscriber.disconnect();
  }

  #publish(channel: string, message: string): void {
    this.link.run((redis) => redis.publish(channel, message)).catch(() => undefined);
  }

  #subscribe(): Redis {
    const subscriber = this.link.newListener();
    subscriber.on("error", () => {});
    subscriber.on("message", (channel, message) => {
      if (channel === this.#changes) this.#notify();
      else this.#receive(message);
    });
    // Wake-ups sent while it was disconnected are lost. It resubscribes automatically.
    subscriber.on("ready", () => this.#notify());
    subscriber.subscribe(this.#changes, this.#notes).catch(() => undefined);
    return subscriber;
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }

  /** A note in the form of another version is ignored. */
  #receive(message: string): void {
    const sent = sentNote.safeParse(JSON.parse(message));
    if (!sent.success || sent.data.from === this.#id) return;
    for (const listener of this.#noteListeners) listener(sent.data.note);
  }
}
