/** Everything the service keeps about an account, with the reason why. Nothing else is kept. */
import { setImmediate } from "node:timers/promises";
import type { StoredAboutMe, StoredRows } from "./stored-views.js";
import { DashboardError } from "../dashboard-error.js";
import type { StoredStore } from "./ports.js";
import type { Clock } from "../clock.js";

const pageRows = 50;
const exportBatchSize = 200;

const reasons = new Map([
  ["accounts", "Your account: the address you sign in with, a hash of your password, your role and plan."],
  [
    "keys",
    "Your API keys, as hashes that the keys on requests are compared with, and the day and model of their last use.",
  ],
  ["sessions", "Where you are signed in, as hashes of the cookies. Gone when you sign out or they expire."],
  [
    "links",
    "Links to choose a new password and invitations to your address that were not used yet. Gone once used, revoked or expired.",
  ],
  ["usage", "Counts by the hour, so that you can see what you used. There is no field for what you wrote."],
  ["account_days", "The same counts by the day, so that months can be shown quickly. Gone with the hours."],
  ["key_days", "What each of your keys used by the day, in counts. Gone with the hours."],
  ["key_spans", "The same in sums of 32 days, so that a year can be shown quickly. Gone with the hours."],
  [
    "quota_days",
    "What each key used by the day, so that quotas hold after a restart. Gone after two months.",
  ],
  [
    "quota_warnings",
    "Which warnings about quotas were mailed to you, so that each is mailed once. Gone after two months.",
  ],
  [
    "audit",
    "What was done to your account and by whom, so that misuse can be found. Kept as long as usage; when you delete your account, what you did to it goes with it, and your id is taken out of the rest.",
  ],
  [
    "changes",
    "That a key, a session or your account changed, so that every server learns of it at once. Gone within two hours, also when you delete your account.",
  ],
]);

/** The first rows of every table. */
export async function storedAbout(
  store: StoredStore,
  clock: Clock,
  accountId: string,
): Promise<StoredAboutMe> {
  const tables: StoredAboutMe["tables"] = [];
  for (const name of store.tables) {
    const page = await storedRows(store, accountId, name, null);
    tables.push({ name, why: reasons.get(name) ?? "", ...page });
  }
  return { exportedAt: clock.now().toISOString(), tables };
}

/** More rows of one table. */
export async function storedRows(
  store: StoredStore,
  accountId: string,
  table: string,
  after: string | null,
): Promise<StoredRows> {
  const page = await store.read(accountId, table, after, pageRows);
  if (page !== null) return page;
  throw new DashboardError("bad_request", "There is no such page of this table.", { field: "after" });
}

/** All of it as the text of a JSON object, piece by piece: it may be long, and other work runs in between. */
export async function* storedExport(
  store: StoredStore,
  clock: Clock,
  accountId: string,
): AsyncGenerator<string> {
  yield `{\n  "exportedAt": ${JSON.stringify(clock.now().toISOString())},\n  "tables": [`;
  for (const [index, name] of store.tables.entries()) {
    const why = JSON.stringify(reasons.get(name) ?? "");
    yield `${index === 0 ? "" : ","}\n    { "name": ${JSON.stringify(name)}, "why": ${why}, "rows": [`;
    let after: string | null = null;
    do {
      const page = await store.read(accountId, name, after, exportBatchSize);
      const rows = (page?.rows ?? []).map((row) => `\n      ${JSON.stringify(row)}`);
      if (rows.length > 0) yield (after === null ? "" : ",") + rows.join(",");
      after = page?.next ?? null;
      await setImmediate();
    } while (after !== null);
    yield "] }";
  }
  yield "\n  ]\n}\n";
}
