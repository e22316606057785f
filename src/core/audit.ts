/**
 * The audit trail: who did what to which account, key, plan or announcement. It names people by the id of
 * their account and looks their address up when it is read; of a deleted account not even the id is left. It
 * holds no content, no network address, and nothing about attempts that failed.
 */
import type { AuditLine, AuditStore } from "./dashboard-ports.js";
import type { Clock } from "./ports.js";

export type AuditAction =
  | "set up the service"
  | "signed up"
  | "signed in"
  | "signed out everywhere"
  | "changed password"
  | "reset password"
  | "deleted account"
  | "created account"
  | "suspended account"
  | "resumed account"
  | "changed plan of account"
  | "changed role of account"
  | "created reset link"
  | "created invitation"
  | "created key"
  | "rotated key"
  | "disabled key"
  | "enabled key"
  | "revoked key"
  | "saved plan"
  | "deleted plan"
  | "published changelog entry"
  | "changed changelog entry"
  | "deleted changelog entry"
  | "scheduled maintenance"
  | "changed maintenance"
  | "called off maintenance"
  | "ended maintenance"
  | "changed source of model"
  | "rolled back model"
  | "started pull"
  | "paused pull"
  | "resumed pull"
  | "cancelled pull";

/** Replaces the id of every deleted account, and of every deleted key. */
export const deletedAccount = "deleted account";
export const deletedKey = "deleted key";

/** Who acts: an account's id, or the operator at the command line. */
export type Actor = { accountId: string } | "command line" | typeof deletedAccount;

const auditPageSize = 100;

export class Audit {
  constructor(
    private readonly store: AuditStore,
    private readonly clock: Clock,
  ) {}

  async record(actor: Actor, action: AuditAction, target: string): Promise<void> {
    const who = typeof actor === "string" ? actor : actor.accountId;
    await this.store.add({ at: this.clock.now(), actor: who, action, target });
  }

  /** Newest first. `next` continues where the page ends; null on the last one. */
  async page(before: string | null): Promise<{ lines: AuditLine[]; next: string | null }> {
    const found = await this.store.list(before, auditPageSize + 1);
    const lines = found.slice(0, auditPageSize);
    return { lines, next: found.length > lines.length ? (lines.at(-1)?.id ?? null) : null };
  }
}
