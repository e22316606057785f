/**
 * What a plan allows, counted for each account, and below that what a key allows where it carries limits of
 * its own. Every authenticated request is counted. Tokens are reserved before a run, prompt plus cap, and
 * settled afterwards to what was used, so that a parallel burst cannot spend the same tokens twice.
 * Concurrency is a lease. A refused request consumes nothing else: what one limit counted is given back when
 * the next refuses. How a request passes them: `admission.ts`.
 */
import type { Admissions } from "../limit-ports.js";
import type { KeyRecord, Leases } from "../ports.js";
import { Admission } from "./admission.js";
import {
  accountMeter,
  concurrencyMetersOf,
  metersOf,
  ownerOfKey,
  tightestOf,
  windowAsk,
  type Payer,
  type RateReading,
  type Rates,
} from "./meters.js";

export type { RateReading, Rates } from "./meters.js";

export interface EnterOptions {
  /** Called whenever the counters were read, for headers; also before a refusal. */
  onRates?: (rates: Partial<Rates>) => void;
  /** The request was counted before. */
  isCounted?: boolean;
}

export class Limits {
  /** By account and key: requests that were let in and are not counted yet. */
  readonly #uncounted = new Map<string, number>();

  constructor(
    private readonly admissions: Admissions,
    private readonly leases: Pick<Leases, "held">,
  ) {}

  /** Asks nobody yet. Call `close` on it at the end, however the request ended. */
  enter(caller: KeyRecord, { onRates, isCounted = false }: EnterOptions = {}): Admission {
    const owners = [caller.account.id, ownerOfKey(caller.key.id)];
    const isPutOff = !isCounted && this.#seesRoom(caller);
    if (isPutOff) this.#add(owners, 1);
    return new Admission({
      admissions: this.admissions,
      caller,
      state: isCounted ? "counted" : isPutOff ? "put off" : "new",
      onCounted: () => {
        if (isPutOff) this.#add(owners, -1);
      },
      onRates: onRates ?? (() => undefined),
    });
  }

  /** What is left of the plan now, for the dashboard. Counts nothing. */
  async read(caller: Payer): Promise<Rates & { held: number }> {
    const [requests, tokens] = [accountMeter("requests", caller), accountMeter("tokens", caller)];
    const read = [requests, tokens].map((meter) => windowAsk(meter, 0));
    const { readings } = await this.admissions.admit({ first: [], leases: [], then: [], read });
    const rateOf = (meter: typeof requests): RateReading =>
      tightestOf([meter], readings) ?? { limit: meter.limit, remaining: meter.limit, resetMs: 0 };
    return {
      requests: rateOf(requests),
      tokens: rateOf(tokens),
      held: await this.leases.held(caller.account.id),
    };
  }

  /** Whether, by what is known here, every limit has room for one more beside those that are not counted yet. */
  #seesRoom(caller: KeyRecord): boolean {
    const { admissions } = this;
    if (!admissions.isRemote) return false;
    const uncounted = (owner: string): number => this.#uncounted.get(owner) ?? 0;
    return (
      metersOf("requests", caller).every(
        ({ name, owner, limit }) => admissions.recall(name) + uncounted(owner) < limit,
      ) &&
      concurrencyMetersOf(caller).every(
        ({ name, owner, limit }) => admissions.recallHeld(name) + uncounted(owner) < limit,
      ) &&
      metersOf("tokens", caller).every(({ name, limit }) => admissions.recall(name) < limit)
    );
  }

  #add(owners: readonly string[], amount: number): void {
    for (const owner of owners) {
      const left = (this.#uncounted.get(owner) ?? 0) + amount;
      if (left > 0) this.#uncounted.set(owner, left);
      else this.#uncounted.delete(owner);
    }
  }
}
