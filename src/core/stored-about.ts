/** Everything the service keeps about an account, with the reason why. Nothing else is kept. */
import type { StoredAboutMe } from "../protocol/dashboard.js";
import type { StoredStore } from "./dashboard-ports.js";
import type { Clock } from "./ports.js";

const reasons = new Map([
  ["accounts", "Your account: the address you sign in with, a hash of your password, your role and plan."],
  ["keys", "Your API keys, as hashes that the keys on requests are compared with."],
  ["sessions", "Where you are signed in, as hashes of the cookies. Gone when you sign out or they expire."],
  ["links", "Links to choose a new password that were not used yet. Gone once used or expired."],
  ["usage", "Counts by the hour, so that you can see what you used. There is no field for what you wrote."],
  ["audit", "What was done to your account and by whom, so that misuse can be found."],
  [
    "changes",
    "That a key or your account changed, so that every server learns of it at once. Gone within two hours.",
  ],
]);

export async function storedAbout(
  store: StoredStore,
  clock: Clock,
  accountId: string,
): Promise<StoredAboutMe> {
  const tables = await store.readAll(accountId);
  return {
    exportedAt: clock.now().toISOString(),
    tables: tables.map(({ name, rows }) => ({ name, why: reasons.get(name) ?? "", rows })),
  };
}
