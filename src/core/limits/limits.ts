/**
 * What a plan allows, counted for each account or team, and below that what a member of the team and a key may use
 * where they carry limits of their own. Every authenticated request is counted. Tokens are reserved before a run, prompt plus cap, and
 * settled afterwards to what was used, so that a parallel burst cannot spend the same tokens twice.
 * Concurrency is a lease. A refused request consumes nothing else: what one limit counted is returned when
 * the next refuses. One request's way through them: `admission.ts`.
 */
import type { Admissions } from "../counters.js";
import type { KeyRecord } from "../entities.js";
import type { QuotaBook, QuotaMeter } from "./quota-book.js";
import { Admission, type ReadRates } from "./admission.js";
import {
  accountMeter,
  type CallerMeters,
  metersOf,
  tightestOf,
  windowAsk,
  type Meter,
  type Payer,
  type RateReading,
  type Rates,
} from "./meters.js";

export type { RateReading, Rates } from "./meters.js";

export interface QuotaNow extends RateReading {
  kind: QuotaMeter["kind"];
  window: QuotaMeter["window"];
}

export interface EnterOptions {
  /** Called whenever the counters were read, for headers; also before a refusal. */
  onRates?: (rates: ReadRates) => void;
  /** The request was counted before. */
  isCounted?: boolean;
}

export interface LimitsOptions {
  quotas?: QuotaBook;
  /** Called for each refusal, with the limit as in `tokens_per_day` and its scope. */
  onRefusal?: (limit: string, scope: LimitScope) => void;
}

/** Of whom a limit is. */
export type LimitScope = "key" | "member" | "team" | "account";

/** One limit of a caller and what is left of it. */
export interface LimitReading {
  /** As in `tokens_per_day`. */
  name: string;
  scope: LimitScope;
  limit: number;
  remaining: number;
  /** Until all of it is free again; null where nothing is used, and where no clock frees it. */
  resetMs: number | null;
}

export class Limits {
  /** By account, member and key: admitted requests that are not counted yet. */
  readonly #uncounted = new Map<string, number>();
  readonly #onRefusal = (meter: Meter): void => this.options.onRefusal?.(nameOf(meter), scopeOf(meter));

  constructor(
    private readonly admissions: Admissions,
    private readonly options: LimitsOptions = {},
  ) {}

  /** Asks the counters nothing yet. Call `close` on it at the end, however the request ended. */
  enter(caller: KeyRecord, { onRates, isCounted = false }: EnterOptions = {}): Admission {
    const meters = metersOf(caller);
    const isDeferred = !isCounted && this.#seesRoom(caller, meters);
    if (isDeferred) this.#noteUncounted(meters, 1);
    return new Admission({
      admissions: this.admissions,
      caller,
      meters,
      state: isCounted ? "counted" : isDeferred ? "deferred" : "new",
      onCounted: isDeferred ? () => this.#noteUncounted(meters, -1) : nothing,
      onRates: onRates ?? nothing,
      quotas: this.options.quotas ?? null,
      onRefusal: this.#onRefusal,
    });
  }

  /** What is left of the plan now, for the dashboard. Counts nothing. */
  async read(caller: Payer): Promise<Rates & { quotas: QuotaNow[]; held: number }> {
    const [requests, tokens] = [accountMeter("requests", caller), accountMeter("tokens", caller)];
    const quotas = this.options.quotas?.accountMetersOf(caller) ?? [];
    const rateOf = await this.#read([requests, tokens, ...quotas]);
    return {
      requests: rateOf(requests),
      tokens: rateOf(tokens),
      quotas: quotas.map((meter) => ({ ...rateOf(meter), kind: meter.kind, window: meter.window })),
      held: await this.admissions.held(caller.account.id),
    };
  }

  /** What is left of every limit of this caller, the key's own first and the account's last. Counts nothing. */
  async readings(caller: KeyRecord): Promise<LimitReading[]> {
    const { requests, tokens, concurrency } = metersOf(caller);
    const counted: Meter[] = [...requests, ...tokens, ...(this.options.quotas?.metersOf(caller) ?? [])];
    const [rateOf, held] = await Promise.all([
      this.#read(counted),
      Promise.all(concurrency.map(({ name }) => this.admissions.held(name))),
    ]);
    const reading = (meter: Meter, remaining: number, resetMs: number | null): LimitReading => {
      return { name: nameOf(meter), scope: scopeOf(meter), limit: meter.limit, remaining, resetMs };
    };
    return [
      ...counted.map((meter) => {
        const { remaining, resetMs } = rateOf(meter);
        // A quota starts over at a time that everybody knows, used or not.
        const isUnused = remaining === meter.limit && meter.resetsAt === undefined;
        return reading(meter, remaining, isUnused ? null : resetMs);
      }),
      // A limit that was lowered may be below what runs already.
      ...concurrency.map((meter, index) =>
        reading(meter, Math.max(0, meter.limit - (held[index] ?? 0)), null),
      ),
    ];
  }

  async #read(meters: readonly Meter[]): Promise<(meter: Meter) => RateReading> {
    const read = meters.map((meter) => windowAsk(meter, 0));
    const { readings } = await this.admissions.admit({ first: [], leases: [], then: [], read });
    return (meter) =>
      tightestOf([meter], readings) ?? { limit: meter.limit, remaining: meter.limit, resetMs: 0 };
  }

  /** Whether, as far as this replica knows, every limit has room for one more besides the uncounted ones. */
  #seesRoom(caller: KeyRecord, { requests, tokens, concurrency }: CallerMeters): boolean {
    const { admissions } = this;
    if (!admissions.canRecall) return false;
    const uncounted = (owner: string): number => this.#uncounted.get(owner) ?? 0;
    const hasLeft = ({ name, limit }: Meter): boolean => admissions.recall(name) < limit;
    return (
      requests.every(({ name, owner, limit }) => admissions.recall(name) + uncounted(owner) < limit) &&
      concurrency.every(({ name, owner, limit }) => admissions.recallHeld(name) + uncounted(owner) < limit) &&
      tokens.every(hasLeft) &&
      (this.options.quotas?.metersOf(caller).every(hasLeft) ?? true)
    );
  }

  #noteUncounted({ owners }: CallerMeters, amount: number): void {
    for (const owner of owners) {
      const left = (this.#uncounted.get(owner) ?? 0) + amount;
      if (left > 0) this.#uncounted.set(owner, left);
      else this.#uncounted.delete(owner);
    }
  }
}

const nothing = (): void => undefined;

/** `tokens per day` → `tokens_per_day` */
const nameOf = ({ unit }: Meter): string => unit.replaceAll(" ", "_");

/** By how the names of owners begin. */
function scopeOf({ owner }: Meter): LimitScope {
  if (owner.startsWith("key:")) return "key";
  if (owner.startsWith("member:")) return "member";
  return owner.startsWith("team_") ? "team" : "account";
}
