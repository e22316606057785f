/** Wake-ups through Redis pub/sub. The listener is replaced after an outage, as the client of `redis-link.ts` is. */
import type { Redis } from "ioredis";
import type { WakeUps } from "../../core/replicas/wake-ups.js";
import type { RedisLink } from "./redis-link.js";

export class RedisWakeUps implements WakeUps {
  #subscriber: Redis;
  readonly #channel: string;
  readonly #listeners: (() => void)[] = [];

  constructor(private readonly link: RedisLink) {
    this.#channel = link.name("changes", "");
    this.#subscriber = this.#subscribe();
    link.onRecovery(async () => {
      this.#subscriber.disconnect();
      this.#subscriber = this.#subscribe();
    });
  }

  wakeOthers(): void {
    this.link.run((redis) => redis.publish(this.#channel, "")).catch(() => undefined);
  }

  onWakeUp(listener: () => void): void {
    this.#listeners.push(listener);
  }

  async close(): Promise<void> {
    this.#subscriber.disconnect();
  }

  #subscribe(): Redis {
    const subscriber = this.link.newListener();
    subscriber.on("error", () => {});
    subscriber.on("message", () => this.#notify());
    // Wake-ups sent while it was disconnected are lost. It resubscribes automatically.
    subscriber.on("ready", () => this.#notify());
    subscriber.subscribe(this.#channel).catch(() => undefined);
    return subscriber;
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
