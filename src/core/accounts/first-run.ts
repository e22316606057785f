/**
 * The very first start creates a local account with a key, so that there is something to try. Exactly one
 * process wins when several start at once, and it happens once in the life of a database: deleting the
 * account does not bring it back.
 */
import { createAccount, defaultPlanId } from "./accounts.js";
import { createKey } from "../keys/issue-keys.js";
import type { Clock } from "../clock.js";
import type { Store } from "../store.js";

const localEmail = "local@localhost";
const setting = "first_run_at";

/** The new key's secret on the first run, null ever after. */
export async function firstRunKey(store: Store, clock: Clock): Promise<string | null> {
  const mine = `${clock.now().toISOString()} ${crypto.randomUUID()}`;
  if ((await store.initSetting(setting, mine)) !== mine) return null;
  if ((await store.listAccounts()).length > 0) return null;
  // Without a password nobody can sign in to it; its keys are created on the command line.
  const passwordless = { email: localEmail, password: null, role: "user", planId: defaultPlanId } as const;
  const account = await createAccount(store, passwordless, () => Promise.reject(new Error("no password")));
  const request = { name: "first key", models: null, operations: null, expiresAt: null };
  return (await createKey(store, clock, account, request)).text;
}
