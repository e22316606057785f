/** What the contract suites of the dashboard's stores have in common. */
import { createHash, randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe } from "vitest";
import type { FullStore } from "../../../src/store/full-store.js";
import type { UsageBucketRow } from "../../../src/core/usage/ports.js";
import { noKeyLimits, type Account, type ApiKey } from "../../../src/core/entities.js";
import type { Passkey } from "../../../src/core/factors/ports.js";
import type { Session } from "../../../src/core/sign-in/ports.js";
import type { NewAccount, NewKey } from "../../../src/core/store.js";
import { noFirstTokens } from "../../../src/core/usage/first-tokens.js";

interface FullStoreUnderTest {
  store: FullStore;
  /** Closes all connections and removes the database. */
  dispose(): Promise<void>;
}

/** `open` gives a fresh database whose only plan is `free`. */
export type OpenStore = () => Promise<FullStoreUnderTest>;

export interface Opened {
  readonly store: FullStore;
  createAccount(account?: Partial<NewAccount>): Promise<Account>;
  createKey(accountId: string, key?: Partial<NewKey>): Promise<ApiKey>;
}

/** Runs `tests` with a store of its own for each. */
export function describeWithStore(name: string, open: OpenStore, tests: (opened: Opened) => void): void {
  describe(name, () => {
    let current: FullStoreUnderTest;
    let accounts = 0;
    beforeEach(async () => {
      current = await open();
      accounts = 0;
    });
    afterEach(() => current.dispose());
    tests({
      get store() {
        return current.store;
      },
      createAccount: (account) => {
        accounts += 1;
        return current.store.createAccount({
          email: `user${accounts}@example.com`,
          passwordHash: null,
          role: "user",
          planId: "free",
          ...account,
        });
      },
      createKey: (accountId, key) => current.store.createKey(newKey(accountId, key)),
    });
  });
}

/** A hash that nothing else has. */
export const someHash = (): Uint8Array => Uint8Array.from(createHash("sha256").update(randomUUID()).digest());

export const at = (time: string): Date => new Date(`2030-01-01T${time}Z`);

export const newKey = (accountId: string, key: Partial<NewKey> = {}): NewKey => ({
  accountId,
  name: "laptop",
  hash: someHash(),
  lastFour: "abcd",
  models: null,
  operations: null,
  limits: noKeyLimits,
  expiresAt: null,
  ...key,
});

export const newSession = (accountId: string, session: Partial<Session> = {}): Session => ({
  hash: someHash(),
  accountId,
  method: "password",
  device: null,
  createdAt: at("08:00:00"),
  confirmedAt: at("08:00:00"),
  lastSeenAt: at("08:00:00"),
  expiresAt: at("20:00:00"),
  ...session,
});

export const newPasskey = (accountId: string, passkey: Partial<Passkey> = {}): Passkey => ({
  id: Buffer.from(someHash()).toString("base64url"),
  accountId,
  name: "Laptop",
  publicKey: "pQECAyYgASFYIA",
  counter: 0,
  transports: ["internal", "hybrid"],
  canSync: true,
  isSynced: false,
  createdAt: at("08:00:00"),
  lastUsedAt: null,
  ...passkey,
});

/** An hour of an account's usage, with every count set. */
export const usageBucket = (accountId: string, row: Partial<UsageBucketRow> = {}): UsageBucketRow => ({
  accountId,
  keyId: "key_1",
  model: "omega",
  start: at("08:00:00"),
  requests: 2,
  errors: 1,
  rateLimited: 3,
  unavailable: 1,
  promptTokens: 30,
  completionTokens: 4,
  firstTokenMs: 30_010,
  firstTokens: noFirstTokens.with(0, 1).with(10, 1),
  firstTokenMinMs: 10,
  firstTokenMaxMs: 30_000,
  ...row,
});
