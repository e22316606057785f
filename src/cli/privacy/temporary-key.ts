/**
 * A key of an account that exists only while a check runs. Deleting the account removes the key and everything that was
 * counted for it. One that a killed check left is replaced by the next; its key expires by itself.
 */
import { createAccount, defaultPlanId } from "../../core/accounts/accounts.js";
import { deletedAccount } from "../../core/audit.js";
import { systemClock } from "../../core/clock.js";
import { createKey } from "../../core/keys/issue-keys.js";
import type { StoreParts } from "../store-command.js";

/** No mail can reach it: the domain is reserved for names that do not exist (RFC 2606). */
const email = "privacy-check@sotto.invalid";
const lifeMs = 60 * 60_000;
const noPassword = (): Promise<string> => Promise.reject(new Error("It has no password."));

/** `mustEncrypt`: its plan takes encrypted requests only. */
export async function createTemporaryKey(parts: StoreParts): Promise<{ key: string; mustEncrypt: boolean }> {
  await removeTemporaryKey(parts);
  const { store, record } = parts;
  const account = await createAccount(
    store,
    { email, password: null, role: "user", planId: defaultPlanId },
    noPassword,
  );
  await record("created account", account.id);
  const expiresAt = new Date(systemClock.now().getTime() + lifeMs);
  const request = { name: "privacy check", models: null, operations: null, expiresAt };
  const { text: key } = await createKey(store, systemClock, account, request);
  return { key, mustEncrypt: (await store.findPlan(defaultPlanId))?.requiresEncryption === true };
}

export async function removeTemporaryKey({ store, record }: StoreParts): Promise<void> {
  const account = await store.findAccountByEmail(email);
  if (account === null) return;
  await store.deleteAccount(account.id);
  await record("deleted account", deletedAccount);
}
