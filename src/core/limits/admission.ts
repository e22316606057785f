/**
 * One request's way through the limits. Each step asks the counters for everything that is due, in one round trip.
 *
 * While the limits appear to have room, counting the request is deferred until its prompt has been tokenised: it is
 * then counted together with the lease and the reservation of tokens. So a completion takes two round trips with
 * shared counters, one before it runs and one after. Whether there is room is judged by this replica's last readings
 * plus its own uncounted requests, so a caller can make a replica work on at most as many requests as the limits
 * allow. Without room, or where counters keep no last reading, the request is counted before its body is read, and
 * the lease is taken and the token limit checked before any work on the prompt.
 *
 * An error before the reservation is reported after the request was counted (`count`), and a refusal by that count
 * takes precedence: clients see the same order either way.
 */
import type { AdmissionAnswer, AdmissionAsk, Admissions, Correction, Lease, WindowAsk } from "../counters.js";
import type { KeyRecord } from "../entities.js";
import type { ServiceError } from "../errors.js";
import {
  type CallerMeters,
  type Meter,
  neverFits,
  type QuotaReading,
  type RateReading,
  type Rates,
  refuse,
  tightestOf,
  windowAsk,
} from "./meters.js";
import type { QuotaBook, QuotaMeter } from "./quota-book.js";

interface AdmissionParts {
  admissions: Admissions;
  caller: KeyRecord;
  meters: CallerMeters;
  state: "new" | "deferred" | "counted";
  /** Null where there are none. */
  quotas: QuotaBook | null;
  onCounted: () => void;
  onRates: (rates: ReadRates) => void;
  onRefusal: (meter: Meter) => void;
}

/** What the counters answered; undefined for what was not read. */
export interface ReadRates {
  requests: RateReading | undefined;
  tokens: RateReading | undefined;
  quotas: readonly QuotaReading[];
}

/** A reservation in one window. */
interface Reserved {
  name: string;
  window: string;
  kind: keyof Rates;
  amount: number;
  isQuota: boolean;
  /** What the window had counted then. */
  count: number;
}

/** A refused lease does not say when the next one is free. */
const leaseRetryMs = 1_000;

const none: readonly never[] = [];

export class Admission {
  #state: AdmissionParts["state"];
  #counting: Promise<ServiceError | null> | null = null;
  #lease: Lease | null = null;
  #reserved: Reserved[] = [];
  /** The day that it belongs to for quotas. */
  #day = "";
  #quotas: readonly QuotaMeter[] = [];
  readonly #meters: CallerMeters;

  constructor(private readonly parts: AdmissionParts) {
    this.#state = parts.state;
    this.#meters = parts.meters;
  }

  /** The request may proceed without having been counted. */
  get isDeferred(): boolean {
    return this.#state === "deferred";
  }

  /** Counts the request, once. Resolves to the refusal. */
  count(): Promise<ServiceError | null> {
    if (this.#state === "counted" && this.#counting === null) return Promise.resolve(null);
    this.#counting ??= this.#count();
    return this.#counting;
  }

  /**
   * Takes the lease, and throws when no tokens are left, before any work on the prompt. Deferred as well, unless
   * `isLong`: work on the prompt may then take so long that other requests are refused meanwhile.
   */
  hold({ isLong }: { isLong: () => boolean }): Promise<unknown> | undefined {
    return this.isDeferred && !isLong() ? undefined : this.#admit(0);
  }

  /** Takes the lease without reserving tokens, for work that uses none. */
  async lease(): Promise<void> {
    await this.#admit(null);
  }

  /**
   * Throws `rate_limit_exceeded` when the window has not enough left, and `request_exceeds_limit` when no window ever
   * has. `promptTokens` is the part of the amount that a shorter reply would not save.
   */
  async reserve(amount: number, promptTokens = 0): Promise<void> {
    this.#openQuotaMeters();
    const smallest = this.#smallestOfTokens();
    if (amount > smallest.limit) throw neverFits(smallest, amount, promptTokens);
    const { readings } = await this.#admit(amount);
    const reserved = ({ name }: Meter, kind: keyof Rates, isQuota: boolean): Reserved => {
      const { window = "", count = 0 } = readings.get(name) ?? {};
      return { name, window, kind, amount: kind === "tokens" ? amount : 1, isQuota, count };
    };
    this.#day = this.parts.quotas?.today() ?? "";
    this.#reserved = [
      ...this.#meters.tokens.map((meter) => reserved(meter, "tokens", false)),
      ...this.#quotas.map((meter) => reserved(meter, meter.kind, true)),
    ];
  }

  /**
   * Replaces the reservation by the tokens that were used (null when it never ran) and releases the lease. Never
   * rejects.
   */
  async settle(used: number | null): Promise<void> {
    const [lease, reserved] = [this.#lease, this.#reserved];
    this.#lease = null;
    this.#reserved = [];
    if (lease === null && reserved.length === 0) return;
    const corrections: Correction[] = reserved.map((counted) => {
      const { name, window } = counted;
      const amount = correctionOf(counted, used);
      return { name, window, amount, otherwise: counted.isQuota ? counted.amount + amount : undefined };
    });
    const isShared = await this.parts.admissions.settle(corrections, lease);
    // Afterwards: a window that is reopened meanwhile must not count it twice.
    if (used !== null) this.#record(used, reserved, { isUrgent: !isShared });
  }

  /** For a request that has ended: counts it unless it was counted before. */
  close(): void {
    if (this.isDeferred) void this.count().catch(() => undefined);
  }

  #record(used: number, reserved: readonly Reserved[], { isUrgent }: { isUrgent: boolean }): void {
    const { quotas, caller } = this.parts;
    if (quotas === null) return;
    const { account, key, member } = caller;
    const whose = { accountId: account.id, keyId: key.lineage, memberId: member?.id };
    quotas.parts.record({ day: this.#day, requests: 1, tokens: used, ...whose }, { isUrgent });
    for (const meter of this.#quotas) {
      const counted = reserved.find(({ name }) => name === meter.name);
      if (counted !== undefined) {
        quotas.parts.onUse?.(caller, meter, counted.count + correctionOf(counted, used), false);
      }
    }
  }

  /** With the windows of this moment. */
  #openQuotaMeters(): void {
    this.#quotas = this.parts.quotas?.metersOf(this.parts.caller) ?? [];
  }

  #smallestOfTokens(): Meter {
    let smallest = this.#meters.tokens.reduce((least, meter) => (meter.limit < least.limit ? meter : least));
    for (const meter of this.#quotas) {
      if (meter.kind === "tokens" && meter.limit < smallest.limit) smallest = meter;
    }
    return smallest;
  }

  async #count(): Promise<ServiceError | null> {
    this.#openQuotaMeters();
    const answer = await this.#ask({
      first: this.#meters.countRequest,
      leases: none,
      then: none,
      read: [...this.#meters.tokens, ...this.#quotas].map((meter) => windowAsk(meter, 0)),
    });
    return this.#refusalOf(answer);
  }

  /** Asks for everything that is still due; null: without tokens. */
  async #admit(amount: number | null): Promise<AdmissionAnswer> {
    const refusal = this.#counting && (await this.#counting);
    if (refusal !== null) throw refusal;
    if (amount === 0) this.#openQuotaMeters();
    const isDue = this.#state !== "counted";
    const { requests, countRequest, leases } = this.#meters;
    const then = amount === null ? none : this.#asksFor(amount);
    const answer = await this.#ask({
      first: isDue ? countRequest : none,
      leases: this.#lease === null ? leases : none,
      then,
      read: none,
    });
    this.#lease ??= answer.lease;
    const refused = this.#refusalOf(answer, amount ?? 0);
    if (refused === null) return answer;
    const isByCount = requests.some(({ name }) => name === answer.refusedBy?.name);
    if (isDue) this.#counting = Promise.resolve(isByCount ? refused : null);
    throw refused;
  }

  #asksFor(amount: number): WindowAsk[] {
    const ofTokens = this.#meters.tokens.map((meter) => windowAsk(meter, amount));
    const ofQuotas = this.#quotas.map((meter) =>
      windowAsk(meter, meter.kind === "tokens" ? amount : Math.min(amount, 1)),
    );
    return [...ofTokens, ...ofQuotas];
  }

  async #ask(ask: AdmissionAsk): Promise<AdmissionAnswer> {
    const { admissions, onCounted, onRates } = this.parts;
    const counts = ask.first.length > 0;
    if (counts) this.#state = "counted";
    let answer: AdmissionAnswer;
    try {
      answer = await admissions.admit(ask);
    } finally {
      if (counts) onCounted();
    }
    onRates({
      requests: tightestOf(this.#meters.requests, answer.readings),
      tokens: tightestOf(this.#meters.tokens, answer.readings),
      quotas: quotaReadingsOf(this.#quotas, answer.readings),
    });
    return answer;
  }

  #refusalOf({ refusedBy, readings }: AdmissionAnswer, amount = 0): ServiceError | null {
    if (refusedBy === null) return null;
    const { name } = refusedBy;
    const isNamed = (meter: Meter): boolean => meter.name === name;
    const reading = readings.get(name);
    const { caller, quotas, onRefusal } = this.parts;
    const quota = this.#quotas.find(isNamed);
    if (quota !== undefined) quotas?.parts.onUse?.(caller, quota, reading?.count ?? 0, true);
    const { requests, tokens, concurrency } = this.#meters;
    const meter = quota ?? [...requests, ...tokens, ...concurrency].find(isNamed);
    if (meter === undefined) throw new Error("A limit that was not asked for refused.");
    onRefusal(meter);
    const isForTokens = amount > 0 && (quota?.kind === "tokens" || tokens.some(isNamed));
    const left = reading ?? { remaining: 0, resetMs: leaseRetryMs };
    return refuse(meter, left, isForTokens ? amount : undefined);
  }
}

/** By how much the window counted too much or too little. A request that never ran does not count against quotas. */
function correctionOf({ kind, amount }: Pick<Reserved, "kind" | "amount">, used: number | null): number {
  if (kind === "requests") return used === null ? -amount : 0;
  return (used ?? 0) - amount;
}

/** For each kind and period, the one with the least left. */
function quotaReadingsOf(
  meters: readonly QuotaMeter[],
  readings: AdmissionAnswer["readings"],
): readonly QuotaReading[] {
  if (meters.length === 0) return none;
  const tightest = new Map<string, QuotaReading>();
  for (const meter of meters) {
    const reading = tightestOf([meter], readings);
    const least = tightest.get(meter.unit);
    if (reading === undefined || (least !== undefined && least.remaining <= reading.remaining)) continue;
    tightest.set(meter.unit, { ...reading, kind: meter.kind, period: meter.window.period });
  }
  return [...tightest.values()];
}
