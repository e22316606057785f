/** What the default plan starts with, and how long requests may wait. */
import { field, integer, timeZone } from "./kinds.js";

export const limitFields = {
  requestsPerMinute: field("SOTTO_LIMIT_REQUESTS_PER_MINUTE", {
    schema: integer(1, 1_000_000_000),
    default: 600,
    doc: "Requests a minute for each account on the default plan. Written to the plan when the database is created.",
  }),
  tokensPerMinute: field("SOTTO_LIMIT_TOKENS_PER_MINUTE", {
    schema: integer(1, 1_000_000_000),
    default: 200_000,
    doc: "Tokens a minute, prompt and reply together, likewise.",
  }),
  concurrentRequests: field("SOTTO_LIMIT_CONCURRENT_REQUESTS", {
    schema: integer(1, 1_000_000),
    default: 16,
    doc: "Concurrent requests, likewise.",
  }),
  quotaTimezone: field("SOTTO_QUOTA_TIMEZONE", {
    schema: timeZone,
    default: "UTC",
    doc: "Time zone of daily and monthly quotas, such as `Europe/Berlin`: daily ones reset at midnight there, monthly ones on the first. The same on all replicas.",
  }),
  queueLength: field("SOTTO_QUEUE_LENGTH", {
    schema: integer(0, 100_000),
    default: 256,
    doc: "Requests that may wait for a model; one more is answered 503 immediately.",
  }),
  queueWaitMs: field("SOTTO_QUEUE_WAIT_MS", {
    schema: integer(0, 600_000),
    default: 60_000,
    doc: "Longest wait in the queue before 503.",
  }),
  drainMs: field("SOTTO_DRAIN_MS", {
    schema: integer(0, 3_600_000),
    default: 120_000,
    doc: "On SIGTERM, how long running replies may take to finish.",
  }),
};
