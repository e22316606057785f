/**
 * The members of a pool as an operator lists them. When the list changes, an engine whose settings are the same
 * keeps its connections and what is known of it; a change of its weight alone is no change of the engine. What is
 * no longer listed is drained and closed by the pool.
 */
import { createUpstream } from "../upstream/create.js";
import type { UpstreamEngine, UpstreamEngineParts } from "../upstream/engine.js";
import type { UpstreamOptions, UpstreamSource } from "../upstream/options.js";
import type { PoolMember } from "./member.js";

export type UpstreamCommons = Pick<UpstreamOptions, "models" | "cacheSaltSecret" | "timeouts">;

export class UpstreamMembers {
  #engines = new Map<string, UpstreamEngine>();

  constructor(
    private readonly commons: UpstreamCommons,
    private readonly parts: UpstreamEngineParts = {},
  ) {}

  /**
   * For `PoolEngine` or its `setMembers`. Rejects with `AddressFault` or `UpstreamRefused` when one of them must
   * not be used; then nothing has changed.
   */
  async list(sources: readonly UpstreamSource[]): Promise<PoolMember[]> {
    const engines = new Map<string, UpstreamEngine>();
    const made: UpstreamEngine[] = [];
    try {
      for (const source of sources) {
        const settings = settingsOf(source);
        if (engines.has(settings)) continue;
        let engine = this.#engines.get(settings);
        if (engine === undefined) {
          const timeouts = { ...this.commons.timeouts, ...source.timeouts };
          engine = await createUpstream({ ...this.commons, ...source, timeouts }, this.parts);
          made.push(engine);
        }
        engines.set(settings, engine);
      }
    } catch (error) {
      await Promise.all(made.map((engine) => engine.close()));
      throw error;
    }
    this.#engines = engines;
    return sources.flatMap((source) => {
      const engine = engines.get(settingsOf(source));
      if (engine === undefined) return [];
      const id = source.name === undefined ? source.url : `${source.url} ${source.name}`;
      return [{ id, engine, weight: source.weight, waiting: () => engine.waiting() }];
    });
  }
}

/** Everything of it but its weight, whatever the order it is written in. */
const settingsOf = (source: UpstreamSource): string =>
  JSON.stringify(Object.entries({ ...source, weight: undefined }).sort(([a], [b]) => (a < b ? -1 : 1)));
