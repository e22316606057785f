/**
 * One request on its way past the limits. Every step asks the counters for all that is due, in one round trip.
 *
 * Where counters are shared, the count of a request is put off while room is foreseen: it is made together with the
 * lease and the reservation of tokens, when the prompt is counted, so a completion costs one round trip before it runs and
 * one after. What is foreseen is what this replica last heard, plus its own requests that are not counted yet; so a
 * caller makes a replica work at most for as many requests as the limits allow before it is refused. Without room in
 * sight, and where asking is free, the request is counted before its body is read, the lease is taken and tokens must be
 * left before any work on the prompt.
 *
 * An error that comes before the reservation is told after the request was counted (`count`), and a refusal of that count
 * goes before it: clients see the same order either way.
 */
import type { ServiceError } from "../../protocol/errors.js";
import type { AdmissionAnswer, AdmissionAsk, Admissions, Correction } from "../limit-ports.js";
import type { KeyRecord, Lease } from "../ports.js";
import {
  concurrencyMetersOf,
  leaseAsk,
  metersOf,
  neverFits,
  refuse,
  tightestOf,
  windowAsk,
  type Meter,
  type Meters,
  type Rates,
} from "./meters.js";

export interface AdmissionParts {
  admissions: Admissions;
  caller: KeyRecord;
  state: "new" | "put off" | "counted";
  onCounted: () => void;
  onRates: (rates: Partial<Rates>) => void;
}

/** A refused lease says nothing about when one is free. */
const leaseRetryMs = 1_000;

export class Admission {
  #state: AdmissionParts["state"];
  #counting: Promise<ServiceError | null> | null = null;
  #lease: Lease | null = null;
  #reserved = 0;
  #windows: Correction[] = [];
  readonly #requests: Meters;
  readonly #tokens: Meters;

  constructor(private readonly parts: AdmissionParts) {
    this.#state = parts.state;
    this.#requests = metersOf("requests", parts.caller);
    this.#tokens = metersOf("tokens", parts.caller);
  }

  /** The request may go on without having been counted. */
  get isPutOff(): boolean {
    return this.#state === "put off";
  }

  /** Counts the request, once. Resolves to the refusal. */
  count(): Promise<ServiceError | null> {
    if (this.#state === "counted" && this.#counting === null) return Promise.resolve(null);
    this.#counting ??= this.#count();
    return this.#counting;
  }

  /**
   * Takes the lease and throws when no token is left: before any work on the prompt. Puts that off too, unless
   * `isLong`: then the work may take long enough to have others refused meanwhile.
   */
  async hold({ isLong }: { isLong: () => boolean }): Promise<void> {
    if (!this.isPutOff || isLong()) await this.#admit(0);
  }

  /**
   * Throws `rate_limit_exceeded` when the window has not enough left, and `request_exceeds_limit` when no window ever
   * has. `promptTokens` of the amount cannot be had back by asking for a shorter reply.
   */
  async reserve(amount: number, promptTokens = 0): Promise<void> {
    const smallest = this.#tokens.reduce((least, meter) => (meter.limit < least.limit ? meter : least));
    if (amount > smallest.limit) throw neverFits(smallest, amount, promptTokens);
    const { readings } = await this.#admit(amount);
    this.#reserved = amount;
    this.#windows = this.#tokens.map(({ name }) => ({
      name,
      window: readings.get(name)?.window ?? "",
      amount: 0,
    }));
  }

  /** Replaces what is reserved by what was used, and gives the lease back. Never rejects. */
  async settle(used: number): Promise<void> {
    const [lease, windows] = [this.#lease, this.#windows];
    this.#lease = null;
    this.#windows = [];
    if (lease === null && windows.length === 0) return;
    const amount = used - this.#reserved;
    const corrections = windows.map((window) => ({ ...window, amount }));
    await this.parts.admissions.settle(corrections, lease);
  }

  /** For a request that has ended: counts it if nothing else did. */
  close(): void {
    if (this.isPutOff) void this.count().catch(() => undefined);
  }

  async #count(): Promise<ServiceError | null> {
    const first = this.#requests.map((meter) => windowAsk(meter, 1));
    const read = this.#tokens.map((meter) => windowAsk(meter, 0));
    const answer = await this.#ask({ first, leases: [], then: [], read });
    return this.#refusalOf(answer);
  }

  /** Everything that is still due. */
  async #admit(amount: number): Promise<AdmissionAnswer> {
    const refusal = await this.#counting;
    if (refusal !== null) throw refusal;
    const isDue = this.#state !== "counted";
    const answer = await this.#ask({
      first: isDue ? this.#requests.map((meter) => windowAsk(meter, 1)) : [],
      leases: this.#lease === null ? concurrencyMetersOf(this.parts.caller).map(leaseAsk) : [],
      then: this.#tokens.map((meter) => windowAsk(meter, amount)),
      read: [],
    });
    this.#lease ??= answer.lease;
    const refused = this.#refusalOf(answer, amount);
    if (refused === null) return answer;
    const isByCount = this.#requests.some(({ name }) => name === answer.refusedBy?.name);
    if (isDue) this.#counting = Promise.resolve(isByCount ? refused : null);
    throw refused;
  }

  async #ask(ask: AdmissionAsk): Promise<AdmissionAnswer> {
    const answer = await this.#counted(ask);
    const requests = tightestOf(this.#requests, answer.readings);
    const tokens = tightestOf(this.#tokens, answer.readings);
    this.parts.onRates({
      ...(requests === undefined ? {} : { requests }),
      ...(tokens === undefined ? {} : { tokens }),
    });
    return answer;
  }

  async #counted(ask: AdmissionAsk): Promise<AdmissionAnswer> {
    const { admissions, onCounted } = this.parts;
    if (ask.first.length === 0) return admissions.admit(ask);
    this.#state = "counted";
    return admissions.admit(ask).finally(onCounted);
  }

  #refusalOf({ refusedBy, readings }: AdmissionAnswer, amount = 0): ServiceError | null {
    if (refusedBy === null) return null;
    const { name } = refusedBy;
    const isNamed = (meter: Meter): boolean => meter.name === name;
    const resetMs = readings.get(name)?.resetMs ?? leaseRetryMs;
    const counted = [...this.#requests, ...this.#tokens].find(isNamed);
    if (counted === undefined) {
      const lease = concurrencyMetersOf(this.parts.caller).find(isNamed);
      if (lease === undefined) throw new Error("A limit refused that was not asked.");
      return refuse(lease, leaseRetryMs);
    }
    const isForTokens = this.#tokens.some(isNamed) && amount > 0;
    return refuse(counted, resetMs, isForTokens ? `this request needs up to ${amount}` : undefined);
  }
}
