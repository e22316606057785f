/**
 * What a plan allows, counted for each account, and below that what a key allows where it carries limits of
 * its own. Requests are counted when authenticated. Tokens are reserved before a run, prompt plus cap, and
 * settled afterwards to what was used, so that a parallel burst cannot spend the same tokens twice.
 * Concurrency is a lease. A refused request consumes nothing else: the key's own limit is asked first, and
 * what it counted is given back when the account's refuses.
 */
import { ServiceError } from "../../protocol/errors.js";
import type { Counter, CounterReading, KeyRecord, Lease, Leases } from "../ports.js";

const windowMs = 60_000;

export interface RateReading {
  limit: number;
  remaining: number;
  resetMs: number;
}

/** For the `x-ratelimit-*` headers: of the key's limit or the account's, whichever has less left. */
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
    const taken = await this.#take(metersOf("requests", caller), 1);
    const tokens = await this.#read(metersOf("tokens", caller));
    return {
      rates: { requests: taken.rate, tokens },
      refusal: taken.refusedBy === null ? null : refuse(taken.refusedBy, taken.rate.resetMs),
    };
  }

  /** What is left of the plan now, for the dashboard. Counts nothing. */
  async read(caller: Pick<KeyRecord, "account" | "plan">): Promise<Rates & { held: number }> {
    return {
      requests: await this.#read([accountMeter("requests", caller)]),
      tokens: await this.#read([accountMeter("tokens", caller)]),
      held: await this.leases.held(caller.account.id),
    };
  }

  /** What is left of the key's own limits now, null for each that it has not. Counts nothing. */
  async readOwn({ key }: Pick<KeyRecord, "key">) {
    const [requests, tokens] = [keyMeter("requests", key), keyMeter("tokens", key)];
    return {
      requests: requests === null ? null : await this.#read([requests]),
      tokens: tokens === null ? null : await this.#read([tokens]),
      held: key.limits.concurrentRequests === null ? 0 : await this.leases.held(`key:${key.id}`),
    };
  }

  /** Throws when there is no token left: cheap, so it can stand before any work on the prompt. */
  async requireTokens(caller: KeyRecord): Promise<void> {
    for (const meter of metersOf("tokens", caller)) {
      const { remaining, resetMs } = await this.#read([meter]);
      if (remaining <= 0) throw refuse(meter, resetMs);
    }
  }

  /**
   * Throws `rate_limit_exceeded` when the window has not enough left, and `request_exceeds_limit` when no window ever
   * has. `promptTokens` of the amount cannot be had back by asking for a shorter reply.
   */
  async reserveTokens(caller: KeyRecord, amount: number, promptTokens = 0): Promise<TokenReservation> {
    const meters = metersOf("tokens", caller);
    const smallest = meters.reduce((least, meter) => (meter.limit < least.limit ? meter : least));
    if (amount > smallest.limit) throw neverFits(smallest, amount, promptTokens);
    const taken = await this.#take(meters, amount);
    if (taken.refusedBy !== null) {
      throw refuse(taken.refusedBy, taken.rate.resetMs, `this request needs up to ${amount}`);
    }
    return { rates: taken.rate, settle: (used) => this.#adjust(taken.counted, used - amount) };
  }

  async acquireLease({ key, account, plan }: KeyRecord): Promise<Lease> {
    const own = key.limits.concurrentRequests;
    const ofKey = own === null ? noLease : await this.#acquire(`key:${key.id}`, own, "this key");
    try {
      const ofAccount = await this.#acquire(account.id, plan.concurrentRequests, planOf(plan.name));
      return {
        release: () => {
          ofAccount.release();
          ofKey.release();
        },
      };
    } catch (error) {
      ofKey.release();
      throw error;
    }
  }

  async #acquire(name: string, limit: number, whose: string): Promise<Lease> {
    const lease = await this.leases.acquire(name, limit);
    if (lease === null) throw refuse({ name, limit, unit: "concurrent requests", whose }, 1000);
    return lease;
  }

  /** Counts on every meter or on none. */
  async #take(meters: Meters, amount: number): Promise<Taken> {
    const counted: Counted[] = [];
    const readings: RateReading[] = [];
    for (const meter of meters) {
      const reading = await this.counter.take(meter.name, amount, meter.limit, windowMs);
      const rate = rateOf(meter, reading);
      if (!reading.admitted) {
        await this.#adjust(counted, -amount);
        return { counted: [], rate, refusedBy: meter };
      }
      counted.push({ name: meter.name, window: reading.window });
      readings.push(rate);
    }
    return { counted, rate: tightest(readings), refusedBy: null };
  }

  async #read(meters: Meters): Promise<RateReading> {
    const readings: RateReading[] = [];
    for (const meter of meters) {
      readings.push(rateOf(meter, await this.counter.read(meter.name, meter.limit, windowMs)));
    }
    return tightest(readings);
  }

  async #adjust(counted: readonly Counted[], amount: number): Promise<void> {
    for (const { name, window } of counted) {
      // A counter that is unreachable loses its window too: there is nothing left to correct.
      await this.counter.adjust(name, window, amount).catch(() => undefined);
    }
  }
}

/** One limit: what is counted under which name, up to what, and who set it. */
interface Meter {
  name: string;
  limit: number;
  unit: string;
  whose: string;
}

/** The account's is always there. */
type Meters = readonly [Meter, ...Meter[]];

interface Counted {
  name: string;
  window: string;
}

interface Taken {
  counted: readonly Counted[];
  rate: RateReading;
  refusedBy: Meter | null;
}

type Payer = Pick<KeyRecord, "account" | "plan">;

const planOf = (name: string): string => `the plan '${name}'`;

/** What is counted by the minute, and how it is called. */
const rates = {
  requests: { limit: "requestsPerMinute", unit: "requests per minute" },
  tokens: { limit: "tokensPerMinute", unit: "tokens per minute" },
} as const;

function accountMeter(kind: keyof Rates, { account, plan }: Payer): Meter {
  const { limit, unit } = rates[kind];
  return { name: `${kind}:${account.id}`, limit: plan[limit], unit, whose: planOf(plan.name) };
}

function keyMeter(kind: keyof Rates, { id, limits }: KeyRecord["key"]): Meter | null {
  const { limit, unit } = rates[kind];
  const own = limits[limit];
  return own === null ? null : { name: `${kind}:key:${id}`, limit: own, unit, whose: "this key" };
}

/** The key's own limit first, where it has one. */
function metersOf(kind: keyof Rates, caller: KeyRecord): Meters {
  const own = keyMeter(kind, caller.key);
  const account = accountMeter(kind, caller);
  return own === null ? [account] : [own, account];
}

const noLease: Lease = { release: () => undefined };

const rateOf = ({ limit }: Meter, { remaining, resetMs }: CounterReading): RateReading => ({
  limit,
  remaining,
  resetMs,
});

const tightest = (readings: readonly RateReading[]): RateReading =>
  readings.reduce((least, reading) => (reading.remaining < least.remaining ? reading : least));

/** Not a 429: clients retry those, and this one would always be refused. */
function neverFits({ limit, unit, whose }: Meter, amount: number, promptTokens: number): ServiceError {
  const isPromptAlone = promptTokens >= limit;
  const next = isPromptAlone ? "Shorten the messages." : "Lower max_tokens or n, or shorten the messages.";
  return new ServiceError("request_exceeds_limit", {
    message: `This request needs up to ${amount} tokens, ${promptTokens} of them for its prompt. The limit is ${limit} ${unit} on ${whose}, so it can never be admitted. ${next}`,
    param: isPromptAlone ? "messages" : "max_tokens",
  });
}

function refuse({ limit, unit, whose }: Meter, resetMs: number, detail?: string): ServiceError {
  const seconds = Math.max(1, Math.ceil(resetMs / 1000));
  const reason = detail === undefined ? "" : `; ${detail}`;
  return new ServiceError("rate_limit_exceeded", {
    message: `Rate limit reached: ${limit} ${unit} on ${whose}${reason}. Try again in ${seconds} s.`,
    retryAfterSeconds: seconds,
  });
}
