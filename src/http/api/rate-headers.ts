/** The `x-ratelimit-*` headers, in OpenAI's form. */
import type { FastifyReply } from "fastify";
import type { RateReading, Rates } from "../../core/serving/limits.js";

export function writeRates(reply: FastifyReply, { requests, tokens }: Partial<Rates>): void {
  if (requests !== undefined) writeRate(reply, "requests", requests);
  if (tokens !== undefined) writeRate(reply, "tokens", tokens);
}

function writeRate(reply: FastifyReply, kind: keyof Rates, rate: RateReading): void {
  reply.header(`x-ratelimit-limit-${kind}`, rate.limit);
  reply.header(`x-ratelimit-remaining-${kind}`, rate.remaining);
  reply.header(`x-ratelimit-reset-${kind}`, duration(rate.resetMs));
}

/** As Go prints durations: `120ms`, `59s`, `1m0s`. Rounded up, so that nobody retries too early. */
export function duration(ms: number): string {
  if (Math.ceil(ms) < 1000) return `${Math.ceil(ms)}ms`;
  const seconds = Math.ceil(ms / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
