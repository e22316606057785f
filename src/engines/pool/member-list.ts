/**
 * The members of a pool as an operator lists them. When the list changes, an engine whose settings are the same
 * keeps its connections and what is known of it; a change of its weight alone is no change of the engine. What is
 * no longer listed is drained and closed by the pool.
 */
import type { Engine } from "../../core/serving/engine-port.js";
import type { PoolMember } from "./member.js";

export interface MemberSource {
  /** For the operator. */
  id: string;
  /** The same for the same engine. */
  settings: string;
  weight?: number | undefined;
  make: () => MadeMember;
}

export interface MadeMember {
  engine: Engine;
  /** Requests of others that wait at the engine, where it reports them. */
  waiting?: (() => number) | undefined;
  /** It is restarted when it dies, and requests wait for that. */
  restartsItself?: boolean | undefined;
  /** Resolves when it can answer; rejects, with a message for the operator, when it cannot. */
  ready: (signal: AbortSignal) => Promise<void>;
}

export class MemberList {
  #made = new Map<string, MadeMember>();

  /** For `PoolEngine` or its `setMembers`. Creates what is new, drops what is not listed. */
  list(sources: readonly MemberSource[]): PoolMember[] {
    const before = this.#made;
    this.#made = new Map();
    return sources.flatMap(({ id, settings, weight, make }) => {
      if (this.#made.has(settings)) return [];
      const made = before.get(settings) ?? make();
      this.#made.set(settings, made);
      const { engine, waiting, restartsItself } = made;
      return [{ id, engine, weight, waiting, restartsItself }];
    });
  }

  get engines(): Engine[] {
    return [...this.#made.values()].map(({ engine }) => engine);
  }

  /** Resolves when one of them can answer: the others are watched and join when they can. */
  async ready(signal: AbortSignal): Promise<void> {
    try {
      await Promise.any([...this.#made.values()].map((made) => made.ready(signal)));
    } catch (error) {
      throw error instanceof AggregateError ? error.errors[0] : error;
    }
  }
}
