/**
 * The keys of one account or team, for those who may manage them. A key of another is answered like one that does not
 * exist. Changes apply to the next request; when a key stops working, its running streams end.
 */
import type { AuditAction } from "../audit-actions.js";
import type { Actor, Audit, Person } from "../audit.js";
import { listedKeys } from "../bounds.js";
import type { Clock } from "../clock.js";
import { DashboardError, invalid } from "../dashboard-error.js";
import type { Account, ApiKey } from "../entities.js";
import { createKey, editKey, type IssuedKey, type KeyRequest, revokeKey, rotateKey } from "./issue-keys.js";
import { keyPage, type KeyPage, type KeyQuery } from "./key-list.js";
import type { KeyRing } from "./key-ring.js";
import type { CutTarget } from "../serving/running.js";
import type { Store } from "../store.js";

/** Whose keys they are, and who acts. */
export interface KeyHolder {
  account: Account;
  actor: Person;
  /** In a team: only the keys of this member; null for all. */
  memberId: string | null;
}

export const ownHolder = (account: Account): KeyHolder => ({
  account,
  actor: { accountId: account.id },
  memberId: null,
});

export interface KeySwitch {
  /** Null enables it. */
  setKeyDisabled(id: string, at: Date | null): Promise<void>;
  /** A key that was revoked is not any more. */
  restoreKey(id: string): Promise<void>;
}

export interface EndKeyParts {
  store: Store;
  keys: Pick<KeyRing, "forget">;
  audit: Audit;
  clock: Clock;
  cutStreams: (target: CutTarget) => void;
}

export interface OwnKeysParts extends EndKeyParts {
  store: Store & { readonly accounts: KeySwitch };
  keys: Pick<KeyRing, "forget" | "flush">;
}

/** By its owner or by an admin: from now on the key is refused, and its streams end. */
export async function endKey(
  { store, clock, keys, cutStreams, audit }: EndKeyParts,
  actor: Actor,
  id: string,
): Promise<ApiKey> {
  const key = await revokeKey(store, clock, id);
  keys.forget(id);
  cutStreams({ keyId: id });
  await audit.record(actor, "revoked key", id);
  return key;
}

export class OwnKeys {
  constructor(private readonly parts: OwnKeysParts) {}

  /** Newest first. `next` continues where the page ends; null on the last one. */
  async list(holder: KeyHolder, after: string | null): Promise<{ keys: ApiKey[]; next: string | null }> {
    const place = after === null ? null : parseCursor(after);
    // Times of last use are written every few seconds; a page that shows them wants them now.
    await this.parts.keys.flush();
    // One more than the page holds, to see whether there is a next page.
    const found = await this.parts.store.pageOfKeys(
      holder.account.id,
      place,
      listedKeys + 1,
      holder.memberId,
    );
    const keys = found.slice(0, listedKeys);
    const last = keys.at(-1);
    const hasNext = found.length > listedKeys && last !== undefined;
    return { keys, next: hasNext ? `${last.createdAt.getTime()} ${last.id}` : null };
  }

  async page(holder: KeyHolder, request: KeyQuery): Promise<KeyPage> {
    await this.parts.keys.flush();
    return keyPage(await this.#all(holder), request, this.parts.clock.now());
  }

  async ids(holder: KeyHolder): Promise<string[]> {
    return (await this.#all(holder)).map(({ id }) => id);
  }

  async #all({ account, memberId }: KeyHolder): Promise<ApiKey[]> {
    const keys = await this.parts.store.listKeys(account.id);
    return memberId === null ? keys : keys.filter((key) => key.memberId === memberId);
  }

  /** Applies to the next request; running ones were admitted under the previous settings. */
  async edit(holder: KeyHolder, id: string, change: Parameters<typeof editKey>[3]): Promise<ApiKey> {
    const { store, clock } = this.parts;
    await this.require(holder, id);
    const key = await editKey(store, clock, id, change);
    this.parts.keys.forget(id);
    await this.#record(holder, "edited key", id);
    return key;
  }

  /** In a team, `memberId` is whose key it becomes; null for a service key. */
  async create(holder: KeyHolder, request: KeyRequest, memberId: string | null = null): Promise<IssuedKey> {
    const { store, clock } = this.parts;
    const issued = await createKey(store, clock, holder.account, request, memberId);
    await this.#record(holder, "created key", issued.key.id);
    return issued;
  }

  async rotate(holder: KeyHolder, id: string, graceMs: number): Promise<IssuedKey> {
    const { store, clock } = this.parts;
    const key = await this.require(holder, id);
    // The new secret would be another member's, in the hands of whoever rotated it.
    if (key.memberId !== null && key.memberId !== holder.actor.accountId) {
      throw new DashboardError("forbidden", "Only its member can rotate this key. You can revoke it.");
    }
    if (key.disabledAt !== null) {
      throw new DashboardError("conflict", "This key is disabled. Enable it first, or create a new one.");
    }
    const issued = await rotateKey(store, clock, id, graceMs);
    this.parts.keys.forget(id);
    if (graceMs === 0) this.parts.cutStreams({ keyId: id });
    await this.#record(holder, "rotated key", id);
    return issued;
  }

  async revoke(holder: KeyHolder, id: string): Promise<ApiKey> {
    await this.require(holder, id);
    return endKey(this.parts, holder.actor, id);
  }

  disable(holder: KeyHolder, id: string): Promise<ApiKey> {
    return this.#setDisabled(holder, id, this.parts.clock.now());
  }

  enable(holder: KeyHolder, id: string): Promise<ApiKey> {
    return this.#setDisabled(holder, id, null);
  }

  async #setDisabled(holder: KeyHolder, id: string, at: Date | null): Promise<ApiKey> {
    await this.require(holder, id);
    await this.parts.store.accounts.setKeyDisabled(id, at);
    this.parts.keys.forget(id);
    if (at !== null) this.parts.cutStreams({ keyId: id });
    await this.#record(holder, at === null ? "enabled key" : "disabled key", id);
    return this.require(holder, id);
  }

  /** A key of another is not found. */
  async require({ account, memberId }: KeyHolder, id: string): Promise<ApiKey> {
    const key = await this.parts.store.findKey(id);
    if (key?.accountId === account.id && (memberId === null || key.memberId === memberId)) return key;
    throw new DashboardError("not_found", "There is no such key.");
  }

  #record({ actor }: KeyHolder, action: AuditAction, keyId: string): Promise<void> {
    return this.parts.audit.record(actor, action, keyId);
  }
}

/** Where a page ended: when its last key was created, and its id. */
function parseCursor(cursor: string): Pick<ApiKey, "id" | "createdAt"> {
  const [, time, id] = /^(\d{1,15}) (\w{1,64})$/.exec(cursor) ?? [];
  if (time === undefined || id === undefined) {
    throw invalid("after", "There is no such page.");
  }
  return { createdAt: new Date(Number(time)), id };
}
