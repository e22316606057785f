/**
 * Changes that running servers must learn of, made by another replica or on the command line. They
 * are rows of the store, written in the transaction that makes the change, so none is lost and none is seen
 * too early. `change-follower.ts` reads them.
 */

export const changeKinds = [
  /** A key does not work any more: its streams end. */
  "key_ended",
  /** A key was enabled, or will end later. */
  "key_changed",
  /** An account was suspended or deleted: its streams end. */
  "account_ended",
  "account_changed",
  /** Sessions of an account ended: signed out, or by a new password. */
  "sessions_ended",
  /** May concern any account. */
  "plans_changed",
  /** The owner of an account had its cached conversations dropped. */
  "caches_dropped",
  /** A model was given another source. */
  "models_changed",
] as const;
export type ChangeKind = (typeof changeKinds)[number];

export interface Change {
  /** Counts up by one, in the order of commits. */
  id: number;
  kind: ChangeKind;
  /** The id of a key, an account or a plan; empty where there is none. */
  subject: string;
}

export interface ChangeStore {
  append(kind: ChangeKind, subject: string): Promise<void>;
  /** The number of the newest; 0 when there never was one. */
  last(): Promise<number>;
  /** In their order. */
  readAfter(id: number, limit: number): Promise<Change[]>;
  /** Called after each change that was made through this store object. */
  onAppended(listener: () => void): void;
  prune(before: Date): Promise<void>;
}
