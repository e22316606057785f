/** Who a caller is by now, for replies that take long: a key by its id, the playground by its session. */
import { type ActedFor, playgroundCaller } from "./playground.js";
import type { Account, KeyRecord } from "../entities.js";
import type { Store } from "../store.js";
import type { Sessions } from "../sign-in/sessions.js";

export interface CallerSources {
  store: Pick<Store, "findKeyRecord">;
  sessions: Sessions;
  /** Null where the account may not act for the team (any more). */
  findActedFor: (account: Account, teamId: string) => Promise<ActedFor | null>;
}

/** Resolves to null for a key, a session or an account that is gone. Rejects when the store cannot be asked. */
export function callerNow({ store, sessions, findActedFor }: CallerSources) {
  return async ({ key, account, session, member }: KeyRecord): Promise<KeyRecord | null> => {
    if (session === undefined) return store.findKeyRecord(key.id);
    const record = await sessions.findByHash(session.hash);
    if (record === null) return null;
    const endsAt = sessions.endOf(record);
    if (member === undefined) return playgroundCaller(record, endsAt);
    const actedFor = await findActedFor(record.account, account.id);
    return actedFor && playgroundCaller(record, endsAt, actedFor);
  };
}
