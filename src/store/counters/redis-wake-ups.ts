/** Wake-ups through Redis pub/sub. */
import type { Redis } from "ioredis";
import type { WakeUps } from "../../core/replicas/wake-ups.js";
import type { RedisLink } from "./redis-link.js";

export class RedisWakeUps implements WakeUps {
  readonly #subscriber: Redis;
  readonly #channel: string;
  readonly #listeners: (() => void)[] = [];

  constructor(private readonly link: RedisLink) {
    this.#channel = link.name("changes", "");
    this.#subscriber = link.duplicate();
    this.#subscriber.on("error", () => {});
    this.#subscriber.on("message", () => this.#tell());
    // Wake-ups sent while it was disconnected are lost. It resubscribes by itself.
    this.#subscriber.on("ready", () => this.#tell());
    this.#subscriber.subscribe(this.#channel).catch(() => undefined);
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

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
