/**
 * What this server keeps in memory of an account's requests that have ended, for the account's owner: how much, and
 * until when. Counts and times only. Other servers have memory of their own: they are told to forget, and not asked
 * what they keep.
 */
import { type Engine, type Kept, type KeptByEngine, nothingKept } from "./engine-port.js";
import type { RecentItems } from "./recent-items.js";

export interface KeptMemoryParts {
  engine: Pick<Engine, "keptOf" | "forgetAccount">;
  /** Compiled schemas, which engines share. */
  schemasOf: (accountId: string) => Kept;
  items: Pick<RecentItems, "keptOf" | "forgetAccount"> | null;
  /** Null where this is the only server. */
  tellOthers: ((accountId: string) => Promise<void>) | null;
}

export interface KeptOfAccount extends KeptByEngine {
  schemas: Kept;
  items: Kept;
  hasOtherServers: boolean;
}

export class KeptMemory {
  constructor(private readonly parts: KeptMemoryParts) {}

  async of(accountId: string): Promise<KeptOfAccount> {
    const { engine, schemasOf, items, tellOthers } = this.parts;
    return {
      ...(await engine.keptOf(accountId)),
      schemas: schemasOf(accountId),
      items: items?.keptOf(accountId) ?? nothingKept,
      hasOtherServers: tellOthers !== null,
    };
  }

  /** Here; an engine that is computing forgets after its step. */
  forget(accountId: string): void {
    this.parts.engine.forgetAccount(accountId);
    this.parts.items?.forgetAccount(accountId);
  }

  /** On all servers. */
  async forgetEverywhere(accountId: string): Promise<void> {
    this.forget(accountId);
    await this.parts.tellOthers?.(accountId);
  }
}
