/** The limits that apply to a caller: what is counted, under which name, up to what, and who set it. */
import type { CounterReading, LeaseAsk, WindowAsk } from "../counters.js";
import type { KeyLimits, KeyRecord, Plan } from "../entities.js";
import { ServiceError } from "../errors.js";

const windowMs = 60_000;

export interface RateReading {
  limit: number;
  remaining: number;
  resetMs: number;
}

/** For the `x-ratelimit-*` headers: of the key's limit, the member's or the account's, whichever has least left. */
export interface Rates {
  requests: RateReading;
  tokens: RateReading;
}

/** What is left of a quota, likewise. */
export interface QuotaReading extends RateReading {
  kind: keyof Rates;
  period: "day" | "month";
}

export interface Meter {
  name: string;
  limit: number;
  unit: string;
  /** As in error messages: "this key", "the plan 'Free'", "the team 'Research'". */
  scopeLabel: string;
  /** The account, the member or the key that it counts for. */
  owner: string;
  /** A minute, where it is absent. */
  windowMs?: number;
  /** For windows that follow the calendar. */
  resetsAt?: Date;
  initial?: () => Promise<number>;
}

/** The account's is always there and last; before it the key's own and the member's, where they have one. */
export type Meters = readonly [...below: Meter[], account: Meter];

export type Payer = Pick<KeyRecord, "account" | "plan">;

/** What is counted by the minute or held at once, and how it is called. */
const kinds = {
  requests: { limit: "requestsPerMinute", unit: "requests per minute", prefix: "requests:" },
  tokens: { limit: "tokensPerMinute", unit: "tokens per minute", prefix: "tokens:" },
  concurrency: { limit: "concurrentRequests", unit: "concurrent requests", prefix: "" },
} as const;

type Kind = keyof typeof kinds;

export function accountMeter(kind: Kind, payer: Payer): Meter {
  const { limit, unit, prefix } = kinds[kind];
  const { owner, scopeLabel, limits } = payerOf(payer);
  return { name: prefix + owner, limit: limits[limit], unit, scopeLabel, owner };
}

/** A caller's limits by the minute and on concurrency, and what is asked of the counters for each request. */
export interface CallerMeters {
  requests: Meters;
  tokens: Meters;
  concurrency: Meters;
  countRequest: readonly WindowAsk[];
  leases: readonly LeaseAsk[];
  /** The account, the key and the member, whether they have limits or not. */
  owners: readonly string[];
}

/** A record serves all requests of a key for a second; it is never changed, but replaced. */
const known = new WeakMap<KeyRecord, CallerMeters>();

export function metersOf(caller: KeyRecord): CallerMeters {
  let meters = known.get(caller);
  if (meters === undefined) {
    const [requests, concurrency] = [allMeters("requests", caller), allMeters("concurrency", caller)];
    meters = {
      requests,
      tokens: allMeters("tokens", caller),
      concurrency,
      countRequest: requests.map((meter) => windowAsk(meter, 1)),
      leases: concurrency.map(({ name, limit }) => ({ name, limit })),
      owners: [caller.account.id, ...limitedBelow(caller).map(({ owner }) => owner)],
    };
    known.set(caller, meters);
  }
  return meters;
}

function allMeters(kind: Kind, caller: KeyRecord): Meters {
  const { limit, unit, prefix } = kinds[kind];
  const below = limitedBelow(caller).flatMap(({ owner, scopeLabel, limits }): Meter[] => {
    const own = limits[limit];
    return own === null ? [] : [{ name: prefix + owner, limit: own, unit, scopeLabel, owner }];
  });
  return [...below, accountMeter(kind, caller)];
}

/** Whose limits they are. */
export interface Limited<Limits = KeyLimits> {
  owner: string;
  scopeLabel: string;
  limits: Limits;
  accountId: string;
  /** The lineage of the key; null for the member's and the account's. */
  keyId: string | null;
  /** The account of the team's member; null for the key's and the account's. */
  memberId: string | null;
}

/** The key and the member, in the order in which their limits are asked. A key that replaces another continues its counts. */
export function limitedBelow({ key, member, account }: KeyRecord): Limited[] {
  const { lineage, limits } = key;
  const whose = { accountId: account.id, keyId: null, memberId: null };
  const ofKey = { ...whose, owner: `key:${lineage}`, scopeLabel: "this key", limits, keyId: lineage };
  if (member === undefined) return [ofKey];
  const [owner, memberId] = [`member:${account.id}:${member.id}`, member.id];
  const scopeLabel = `this member of the team '${account.email}'`;
  return [ofKey, { ...whose, owner, scopeLabel, limits: member.limits, memberId }];
}

export function payerOf({ account, plan }: Payer): Limited<Plan> {
  const scopeLabel = account.kind === "team" ? `the team '${account.email}'` : `the plan '${plan.name}'`;
  const whose = { accountId: account.id, keyId: null, memberId: null };
  return { ...whose, owner: account.id, scopeLabel, limits: plan };
}

export const windowAsk = (meter: Meter, amount: number): WindowAsk => ({
  name: meter.name,
  amount,
  limit: meter.limit,
  windowMs: meter.windowMs ?? windowMs,
  initial: meter.initial,
});

/** The one with the least left; undefined when none of them was read. */
export function tightestOf(
  meters: readonly Meter[],
  readings: ReadonlyMap<string, CounterReading>,
): RateReading | undefined {
  let least: RateReading | undefined;
  for (const { name, limit } of meters) {
    const reading = readings.get(name);
    if (reading === undefined || (least !== undefined && least.remaining <= reading.remaining)) continue;
    least = { limit, remaining: reading.remaining, resetMs: reading.resetMs };
  }
  return least;
}

/** Not a 429: clients retry those, and this one would always be refused. */
export function neverFits(
  { limit, unit, scopeLabel }: Meter,
  amount: number,
  promptTokens: number,
): ServiceError {
  const isPromptAlone = promptTokens >= limit;
  const next = isPromptAlone ? "Shorten the messages." : "Lower max_tokens or n, or shorten the messages.";
  return new ServiceError("request_exceeds_limit", {
    message: `This request needs up to ${amount} tokens, ${promptTokens} of them for its prompt. The limit is ${limitText(limit, unit)} on ${scopeLabel}, so it can never be admitted. ${next}`,
    param: isPromptAlone ? "messages" : "max_tokens",
    shouldRetry: false,
  });
}

/** `neededTokens` where it is tokens that are missing. */
export function refuse(
  { limit, unit, scopeLabel, resetsAt }: Meter,
  { remaining, resetMs }: Pick<RateReading, "remaining" | "resetMs">,
  neededTokens?: number,
): ServiceError {
  const seconds = Math.max(1, Math.ceil(resetMs / 1000));
  const what = `${limitText(limit, unit)} on ${scopeLabel}`;
  const reset = resetsAt?.toISOString().replace(".000Z", "Z");
  const needs = neededTokens === undefined ? "" : `; this request needs up to ${neededTokens}`;
  const isReached = neededTokens === undefined || remaining <= 0;
  return new ServiceError("rate_limit_exceeded", {
    message: isReached
      ? reset === undefined
        ? `Rate limit reached: ${what}${needs}. Try again in ${seconds} s.`
        : `Quota reached: ${what}${needs}. It resets at ${reset}.`
      : `This request does not fit in what is left: it needs up to ${neededTokens} tokens, and ${remaining} of ${what} are left. ` +
        `Ask for a shorter reply, or try again ${reset === undefined ? `in ${seconds} s` : `after the reset at ${reset}`}.`,
    retryAfterSeconds: seconds,
    // Quotas reset with the day or the month.
    shouldRetry: resetsAt === undefined,
  });
}

/** "60 requests per minute", "1 request per minute" */
const limitText = (limit: number, unit: string): string =>
  `${limit} ${limit === 1 ? unit.replace(/\b(request|token)s\b/, "$1") : unit}`;
