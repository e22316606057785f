/**
 * What a plan allows, counted for each account. Requests are counted when authenticated. Tokens are
 * reserved before a run, prompt plus cap, and settled afterwards to what was used, so that a parallel burst
 * cannot spend the same tokens twice. Concurrency is a lease. A refused request consumes nothing else.
 */
import { ServiceError } from "../protocol/errors.js";
import type { Counter, CounterReading, KeyRecord, Lease, Leases } from "./ports.js";

const windowMs = 60_000;

export interface RateReading {
  limit: number;
  remaining: number;
  resetMs: number;
}

/** For the `x-ratelimit-*` headers. */
export interface Rates {
  requests: RateReading;
  tokens: RateReading;
}

export interface TokenReservation {
  rates: RateReading;
  /** Replaces the reserved amount by what was used. Call it exactly once; never rejects. */
  settle(used: number): Promise<void>;
}

export class Limits {
  constructor(
    private readonly counter: Counter,
    private readonly leases: Leases,
  ) {}

  /** Counts one request. The readings are for headers, which a refusal carries too. */
  async countRequest(caller: KeyRecord): Promise<{ rates: Rates; refusal: ServiceError | null }> {
    const { requestsPerMinute, tokensPerMinute } = caller.plan;
    const requests = await this.counter.take(requestsName(caller), 1, requestsPerMinute, windowMs);
    const tokens = await this.counter.read(tokensName(caller), tokensPerMinute, windowMs);
    const refusal = requests.admitted
      ? null
      : refuse("requests per minute", requestsPerMinute, requests.resetMs);
    return {
      rates: { requests: reading(requestsPerMinute, requests), tokens: reading(tokensPerMinute, tokens) },
      refusal,
    };
  }

  /** What is left now, for the dashboard. Counts nothing. */
  async read(caller: Pick<KeyRecord, "account" | "plan">): Promise<Rates & { held: number }> {
    const { requestsPerMinute, tokensPerMinute } = caller.plan;
    const requests = await this.counter.read(requestsName(caller), requestsPerMinute, windowMs);
    const tokens = await this.counter.read(tokensName(caller), tokensPerMinute, windowMs);
    return {
      requests: reading(requestsPerMinute, requests),
      tokens: reading(tokensPerMinute, tokens),
      held: await this.leases.held(caller.account.id),
    };
  }

  /** Throws when an account has no token left: cheap, so it can stand before any work on the prompt. */
  async requireTokens(caller: KeyRecord): Promise<void> {
    const { tokensPerMinute } = caller.plan;
    const tokens = await this.counter.read(tokensName(caller), tokensPerMinute, windowMs);
    if (tokens.remaining <= 0) throw refuse("tokens per minute", tokensPerMinute, tokens.resetMs);
  }

  async reserveTokens(caller: KeyRecord, amount: number): Promise<TokenReservation> {
    const { tokensPerMinute } = caller.plan;
    const name = tokensName(caller);
    const taken = await this.counter.take(name, amount, tokensPerMinute, windowMs);
    if (!taken.admitted) {
      throw refuse("tokens per minute", tokensPerMinute, taken.resetMs, `this request needs up to ${amount}`);
    }
    return {
      rates: reading(tokensPerMinute, taken),
      settle: async (used) => {
        // A counter that is away forgets its window too: there is nothing left to correct.
        await this.counter.adjust(name, taken.window, used - amount).catch(() => undefined);
      },
    };
  }

  async acquireLease(caller: KeyRecord): Promise<Lease> {
    const { concurrentRequests } = caller.plan;
    const lease = await this.leases.acquire(caller.account.id, concurrentRequests);
    if (lease === null) throw refuse("concurrent requests", concurrentRequests, 1000);
    return lease;
  }
}

type Payer = Pick<KeyRecord, "account">;
const requestsName = (caller: Payer): string => `requests:${caller.account.id}`;
const tokensName = (caller: Payer): string => `tokens:${caller.account.id}`;

const reading = (limit: number, { remaining, resetMs }: CounterReading): RateReading => ({
  limit,
  remaining,
  resetMs,
});

function refuse(limit: string, value: number, resetMs: number, detail?: string): ServiceError {
  const seconds = Math.max(1, Math.ceil(resetMs / 1000));
  const reason = detail === undefined ? "" : `; ${detail}`;
  return new ServiceError("rate_limit_exceeded", {
    message: `Rate limit reached: ${value} ${limit}${reason}. Try again in ${seconds} s.`,
    retryAfterSeconds: seconds,
  });
}
