/** Who a caller is by now, for replies that take long: a key by its id, the playground by its session. */
import { playgroundCaller } from "./playground.js";
import type { KeyRecord } from "../entities.js";
import type { Store } from "../store.js";
import type { Sessions } from "../sign-in/sessions.js";

/** Resolves to null for a key, a session or an account that is gone. Rejects when the store cannot be asked. */
export function callerNow(store: Pick<Store, "findKeyRecord">, sessions: Sessions) {
  return async ({ key, session }: KeyRecord): Promise<KeyRecord | null> => {
    if (session === undefined) return store.findKeyRecord(key.id);
    const record = await sessions.findByHash(session.hash);
    return record === null ? null : playgroundCaller(record, sessions.endOf(record));
  };
}
