import {
  noKeyLimits,
  noQuotas,
  type KeyLimits,
  type KeyRecord,
  type Plan,
} from "../../../src/core/entities.js";

/** A caller on a roomy plan, but for what a test says. */
export function callerWith(plan: Partial<Plan> = {}, keyLimits: Partial<KeyLimits> = {}): KeyRecord {
  const at = new Date(0);
  return {
    account: {
      kind: "person",
      id: "acc_1",
      email: "a@example.com",
      role: "user",
      planId: "p",
      suspendedAt: null,
      emailVerifiedAt: null,
      createdAt: at,
    },
    key: {
      id: "key_1",
      accountId: "acc_1",
      name: "k",
      lastFour: "abcd",
      models: null,
      operations: null,
      createdAt: at,
      expiresAt: null,
      revokedAt: null,
      disabledAt: null,
      limits: { ...noKeyLimits, ...keyLimits },
      lastUsedAt: null,
      lastUsedModel: null,
      tags: [],
      replaces: null,
      lineage: "key_1",
      allowFrom: null,
      memberId: null,
      scopes: [],
    },
    plan: {
      id: "p",
      name: "Small",
      requestsPerMinute: 100,
      tokensPerMinute: 1000,
      concurrentRequests: 2,
      maxKeys: 5,
      maxTokens: null,
      models: null,
      requiresEncryption: false,
      weight: 1,
      ...noQuotas,
      ...plan,
    },
  };
}
