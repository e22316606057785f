/**
 * The caller of a request from the playground: the account of a session, with every permission of its plan
 * and no key; or a team that it is in, as a member of it. Limits, queue and usage see it as they see a key's requests.
 */
import { createHash } from "node:crypto";
import { playgroundKeyId } from "../bounds.js";
import { type Account, type KeyLimits, type KeyRecord, noKeyLimits, type Plan } from "../entities.js";
import type { SessionRecord } from "../sign-in/ports.js";
import type { Sessions } from "../sign-in/sessions.js";
import type { Store } from "../store.js";

/** A team that a member of it acts for. */
export interface ActedFor {
  team: Account;
  plan: Plan;
  /** The member's own. */
  limits: KeyLimits;
}

/** `endsAt` is when the session ends unless it is used again. */
export function playgroundCaller(
  { account, plan, session }: SessionRecord,
  endsAt: Date,
  actedFor: ActedFor | null = null,
): KeyRecord {
  const holder = actedFor?.team ?? account;
  const id = actedFor === null ? playgroundKeyId : memberPlaygroundId(holder.id, account.id);
  return {
    account: holder,
    plan: actedFor?.plan ?? plan,
    session: { hash: session.hash },
    ...(actedFor && {
      member: { id: account.id, suspendedAt: account.suspendedAt, limits: actedFor.limits },
    }),
    key: {
      id,
      accountId: holder.id,
      name: "Playground",
      lastFour: "",
      models: null,
      operations: ["chat"],
      createdAt: session.createdAt,
      expiresAt: endsAt,
      revokedAt: null,
      disabledAt: null,
      limits: noKeyLimits,
      lastUsedAt: null,
      lastUsedModel: null,
      tags: [],
      replaces: null,
      lineage: id,
      allowFrom: null,
      memberId: actedFor && account.id,
      scopes: [],
    },
  };
}

/** Usage in a team is counted by member, but nothing about a deleted account may remain: so this is no account id. */
export function memberPlaygroundId(teamId: string, accountId: string): string {
  const hash = createHash("sha256").update(`${teamId} ${accountId}`).digest("hex");
  return `${playgroundKeyId}_${hash.slice(0, 20)}`;
}

interface CallerSources {
  store: Pick<Store, "findKeyRecord">;
  sessions: Sessions;
  /** Null where the account may not act for the team (any more). */
  findActedFor: (account: Account, teamId: string) => Promise<ActedFor | null>;
}

/**
 * Who a caller is by now, for replies that take long: a key by its id, the playground by its session. Null for a key, a
 * session or an account that is gone. Rejects when the store cannot be asked.
 */
export const callerNow =
  ({ store, sessions, findActedFor }: CallerSources) =>
  async ({ key, account, session, member }: KeyRecord): Promise<KeyRecord | null> => {
    if (session === undefined) return store.findKeyRecord(key.id);
    const record = await sessions.findByHash(session.hash);
    if (record === null) return null;
    const actedFor = member === undefined ? undefined : await findActedFor(record.account, account.id);
    return actedFor === null ? null : playgroundCaller(record, sessions.endOf(record), actedFor);
  };
