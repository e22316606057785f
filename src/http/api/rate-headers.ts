/** The `x-ratelimit-*` headers, in OpenAI's form. */
import type { FastifyReply } from "fastify";
import type { ReadRates } from "../../core/limits/admission.js";
import type { QuotaReading, RateReading } from "../../core/limits/meters.js";

type RateKind = "requests" | "tokens" | `${QuotaReading["kind"]}-${QuotaReading["period"]}`;

/** Those of quotas, where there are any, end in what they count and its period: `…-tokens-day`. */
export function writeRates(reply: FastifyReply, { requests, tokens, quotas }: ReadRates): void {
  if (requests !== undefined) writeRate(reply, "requests", requests);
  if (tokens !== undefined) writeRate(reply, "tokens", tokens);
  for (const quota of quotas) writeRate(reply, `${quota.kind}-${quota.period}`, quota);
}

/** By kind. Put together once: they are on every response, and a name that is new each time is checked each time. */
const names = new Map<string, HeaderNames>();

interface HeaderNames {
  limit: string;
  remaining: string;
  reset: string;
}

function writeRate(reply: FastifyReply, kind: RateKind, { limit, remaining, resetMs }: RateReading): void {
  let header = names.get(kind);
  if (header === undefined) {
    header = {
      limit: `x-ratelimit-limit-${kind}`,
      remaining: `x-ratelimit-remaining-${kind}`,
      reset: `x-ratelimit-reset-${kind}`,
    };
    names.set(kind, header);
  }
  reply.header(header.limit, limit);
  reply.header(header.remaining, remaining);
  reply.header(header.reset, duration(resetMs));
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
