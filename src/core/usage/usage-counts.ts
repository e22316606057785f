import type { FirstTokenTimes } from "./first-tokens.js";

/** What was used in some time, by whomever it is counted for. */
export interface UsageCounts extends FirstTokenTimes {
  /** Without those that were refused. */
  requests: number;
  errors: number;
  /** Refused with 429. */
  rateLimited: number;
  /** Refused with 503 before they ran. */
  unavailable: number;
  promptTokens: number;
  completionTokens: number;
}

/** What is shown of a key's or a model's part in it. */
export interface UsageShare {
  requests: number;
  /** Rate-limited or unavailable. */
  refused: number;
  tokens: number;
}
