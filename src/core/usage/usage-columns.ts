/** The columns of counts in every CSV file of usage, in their order. */
import type { UsageBucket } from "./usage-views.js";
import type { CsvCell } from "./csv.js";

const columns = {
  requests: "requests",
  errors: "errors",
  rate_limited: "rateLimited",
  unavailable: "unavailable",
  prompt_tokens: "promptTokens",
  completion_tokens: "completionTokens",
  first_token_ms_p50: "firstTokenMsP50",
  first_token_ms_p95: "firstTokenMsP95",
} as const;

export const countHeadings = Object.keys(columns);

export const countCells = (counts: Omit<UsageBucket, "start">): CsvCell[] =>
  Object.values(columns).map((name) => counts[name]);
