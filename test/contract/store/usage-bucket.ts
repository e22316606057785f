/** An hour of an account's usage, with every count set. */
import type { UsageBucketRow } from "../../../src/core/dashboard-ports.js";
import { noFirstTokens } from "../../../src/core/usage/first-tokens.js";
import { at } from "./dashboard-store.js";

export const usageBucket = (accountId: string, row: Partial<UsageBucketRow> = {}): UsageBucketRow => ({
  accountId,
  keyId: "key_1",
  model: "omega",
  start: at("08:00:00"),
  requests: 2,
  errors: 1,
  rateLimited: 3,
  unavailable: 1,
  promptTokens: 30,
  completionTokens: 4,
  firstTokenMs: 30_010,
  firstTokens: noFirstTokens.with(0, 1).with(10, 1),
  firstTokenMinMs: 10,
  firstTokenMaxMs: 30_000,
  ...row,
});
