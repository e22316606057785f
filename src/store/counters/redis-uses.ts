import type { SharedUses } from "../../core/proof/single-use.js";
import { throwUnlessUnavailable, type RedisLink } from "./redis-link.js";

/** While Redis is unreachable each replica knows only what was used with itself. */
export class RedisUses implements SharedUses {
  constructor(private readonly link: RedisLink) {}

  async claim(name: string, forMs: number): Promise<boolean> {
    try {
      const key = this.link.name("use", name);
      const ms = Math.max(1, Math.ceil(forMs));
      return (await this.link.run((redis) => redis.set(key, "", "PX", ms, "NX"))) === "OK";
    } catch (error) {
      throwUnlessUnavailable(error);
      return true;
    }
  }
}
