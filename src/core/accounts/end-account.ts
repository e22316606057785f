/** The end of an account, by its owner or by an admin. See `docs/privacy.md`. */
import { deletedAccount, type Actor, type Audit } from "../audit.js";
import type { EventSink } from "../events/events.js";
import type { KeyRing } from "../keys/key-ring.js";
import type { CutTarget } from "../serving/running.js";
import type { UsageRecorder } from "../usage/usage-recorder.js";
import { DashboardError } from "../dashboard-error.js";
import { OnlyOwner } from "../store.js";
import type { AccountStore } from "./ports.js";

export interface EndAccountParts {
  accounts: Pick<AccountStore, "remove">;
  keys: Pick<KeyRing, "forgetAccount">;
  usage: Pick<UsageRecorder, "forgetAccount">;
  audit: Audit;
  events: EventSink;
  /** Ends the replies that are being written. */
  cutStreams: (target: CutTarget) => void;
}

/**
 * Its keys stop working, its streams end and its rows are deleted before this resolves. False, and nothing is done,
 * when it is the only admin. Throws `conflict` when teams would be left without an owner.
 */
export async function endAccount(parts: EndAccountParts, actor: Actor, id: string): Promise<boolean> {
  const { accounts, keys, usage, audit, events, cutStreams } = parts;
  if (!(await unlessOnlyOwner(() => accounts.remove(id)))) return false;
  keys.forgetAccount(id);
  usage.forgetAccount(id);
  cutStreams({ accountId: id });
  await audit.record(actor, "deleted account", deletedAccount);
  events.publish({ type: "account.deleted", data: { account_id: id } });
  return true;
}

async function unlessOnlyOwner(remove: () => Promise<boolean>): Promise<boolean> {
  try {
    return await remove();
  } catch (error) {
    throw error instanceof OnlyOwner ? new DashboardError("conflict", error.message) : error;
  }
}
