/**
 * The audit trail: who did what to which account, key, plan or announcement. It names people by the id of
 * their account and looks their address up when it is read; of a deleted account not even the id is left. It
 * holds no content, no network address, and nothing about attempts that failed.
 */
import { setImmediate } from "node:timers/promises";
import type { AuditAction } from "./audit-actions.js";
import type { Clock } from "./clock.js";

/** Replaces the id of every deleted account, and of every deleted key. */
export const deletedAccount = "deleted account";
export const deletedKey = "deleted key";

/** Someone with an account, and the key that they act with where it is no session. */
export interface Person {
  accountId: string;
  keyId?: string;
}

/** Who acts: a person, or the operator at the command line. */
export type Actor = Person | "command line" | typeof deletedAccount;

/** The team that a line is about, and the member of it, for events: the line itself may name neither. */
export interface TeamMatter {
  teamId: string;
  memberId?: string | undefined;
}

export type OnRecorded = (action: AuditAction, target: string, team?: TeamMatter) => void;

/** A line as it is kept: ids, never addresses; of what was deleted not even those. */
interface AuditRecord {
  id: string;
  at: Date;
  /** An account's id, `command line`, or `deleted account`. */
  actor: string;
  /** The key of theirs that it was done with, in the operator's API and over SCIM. */
  actorKey: string | null;
  action: string;
  target: string;
}

export type NewAuditRecord = Omit<AuditRecord, "id" | "actorKey"> & Partial<Pick<AuditRecord, "actorKey">>;

interface NamedKey {
  name: string;
  lastFour: string;
}

export interface AuditLine extends AuditRecord {
  /** Null when the actor is no account, or none that still exists. */
  actorEmail: string | null;
  /** What the key is called that it was done with. */
  actorKeyName: NamedKey | null;
  targetEmail: string | null;
  /** What the target is called, when it is a key that exists. */
  targetKey: (NamedKey & { accountId: string; ownerEmail: string | null }) | null;
}

/** All that are given must hold. */
export interface AuditFilter {
  /** As in the record. */
  actor?: string | undefined;
  action?: string | undefined;
  /** From this time on, and before that one. */
  from?: Date | undefined;
  to?: Date | undefined;
  /** What an account did, and what was done to it or its keys. */
  account?: string | undefined;
}

export interface AuditStore {
  add(record: NewAuditRecord): Promise<void>;
  /** Newest first; from the one after `before` on. */
  list(before: string | null, limit: number, filter?: AuditFilter): Promise<AuditLine[]>;
  prune(before: Date): Promise<void>;
  /** Takes the ids of accounts and keys that are gone out of the lines written since. */
  forgetDeleted(since: Date): Promise<void>;
}

const auditPageSize = 100;
const exportBatchSize = 500;

export class Audit {
  constructor(
    private readonly store: AuditStore,
    private readonly clock: Clock,
    /** Called with every line once it is written. */
    private readonly onRecorded: OnRecorded = () => undefined,
  ) {}

  /** The same as part of a transaction: `later` calls what it is given once everything is written. */
  within(store: AuditStore, later: (tell: OnRecorded) => OnRecorded): Audit {
    return new Audit(store, this.clock, later(this.onRecorded));
  }

  async record(actor: Actor, action: AuditAction, target: string, team?: TeamMatter): Promise<void> {
    const { accountId, keyId = null } = typeof actor === "string" ? { accountId: actor } : actor;
    await this.store.add({ at: this.clock.now(), actor: accountId, actorKey: keyId, action, target });
    this.onRecorded(action, target, team);
  }

  /** Newest first. `next` continues where the page ends; null on the last one. */
  async page(
    before: string | null,
    filter: AuditFilter = {},
  ): Promise<{ lines: AuditLine[]; next: string | null }> {
    const found = await this.store.list(before, auditPageSize + 1, filter);
    const lines = found.slice(0, auditPageSize);
    return { lines, next: found.length > lines.length ? (lines.at(-1)?.id ?? null) : null };
  }

  /** All that match, newest first and at most so many, in parts: between two of them others get their turn. */
  async *parts(filter: AuditFilter, most: number): AsyncGenerator<AuditLine[]> {
    let before: string | null = null;
    for (let left = most; left > 0;) {
      const lines: AuditLine[] = await this.store.list(before, Math.min(left, exportBatchSize), filter);
      if (lines.length > 0) yield lines;
      if (lines.length < exportBatchSize) return;
      left -= lines.length;
      before = lines.at(-1)?.id ?? null;
      await setImmediate();
    }
  }
}
