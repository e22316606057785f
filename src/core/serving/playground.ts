/**
 * The caller of a request from the playground: the account of a session, with every permission of its plan
 * and no key. Limits, queue and usage see it as they see a key's requests.
 */
import { playgroundKeyId } from "../bounds.js";
import { type KeyRecord, noKeyLimits } from "../entities.js";
import type { SessionRecord } from "../sign-in/ports.js";

/** `endsAt` is when the session ends unless it is used again. */
export const playgroundCaller = ({ account, plan, session }: SessionRecord, endsAt: Date): KeyRecord => ({
  account,
  plan,
  session: { hash: session.hash },
  key: {
    id: playgroundKeyId,
    accountId: account.id,
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
    lineage: playgroundKeyId,
    allowFrom: null,
    memberId: null,
    scopes: [],
  },
});
