/** Announcements by Redis's publish and subscribe. */
import type { Redis } from "ioredis";
import type { Announcements } from "../../core/replicas/wake-ups.js";
import type { RedisLink } from "./redis-link.js";

export class RedisAnnouncements implements Announcements {
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

  announce(): void {
    this.link.run((redis) => redis.publish(this.#channel, "")).catch(() => undefined);
  }

  onAnnounced(listener: () => void): void {
    this.#listeners.push(listener);
  }

  async close(): Promise<void> {
    this.#subscriber.disconnect();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
