/** The columns of counts in every CSV file of usage, in their order. */
import type { UsageBucket } from "./usage-views.js";
import type { CsvCell } from "./csv.js";

export const countHeadings = [
  "requests",
  "errors",
  "rate_limited",
  "unavailable",
  "prompt_tokens",
  "completion_tokens",
  "first_token_ms_p50",
  "first_token_ms_p95",
];

export const countCells = (counts: Omit<UsageBucket, "start">): CsvCell[] => [
  counts.requests,
  counts.errors,
  counts.rateLimited,
  counts.unavailable,
  counts.promptTokens,
  counts.completionTokens,
  counts.firstTokenMsP50,
  counts.firstTokenMsP95,
];
