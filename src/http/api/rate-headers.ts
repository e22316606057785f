/** The `x-ratelimit-*` headers, in OpenAI's form. */
import type { FastifyReply } from "fastify";
import type { ReadRates } from "../../core/limits/admission.js";
import type { RateReading } from "../../core/limits/meters.js";

/** Those of quotas, where there are any, end in what they count and its period: `…-tokens-day`. */
export function writeRates(reply: FastifyReply, { requests, tokens, quotas }: ReadRates): void {
  if (requests !== undefined) writeRate(reply, "requests", requests);
  if (tokens !== undefined) writeRate(reply, "tokens", tokens);
  for (const quota of quotas) writeRate(reply, `${quota.kind}-${quota.period}`, quota);
}

function writeRate(reply: FastifyReply, kind: string, { limit, remaining, resetMs }: RateReading): void {
  reply.header(`x-ratelimit-limit-${kind}`, limit);
  reply.header(`x-ratelimit-remaining-${kind}`, remaining);
  reply.header(`x-ratelimit-reset-${kind}`, duration(resetMs));
}

/** As Go prints durations: `120ms`, `59s`, `1m0s`, `26h0m5s`. Rounded up, so that nobody retries too early. */
export function duration(ms: number): string {
  if (Math.ceil(ms) < 1000) return `${Math.ceil(ms)}ms`;
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  const rest = `m${seconds % 60}s`;
  return minutes < 60 ? `${minutes}${rest}` : `${Math.floor(minutes / 60)}h${minutes % 60}${rest}`;
}
