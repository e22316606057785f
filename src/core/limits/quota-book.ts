/**
 * Quotas: limits by the calendar's day and month. They are counted beside the limits by the minute, in the same
 * counters and the same step, each window under a name of its own. What was used is also written to the database by the
 * day, together with usage and as often as that: once. A counter that does not know a window, since the server or
 * Redis was restarted, begins with what the database says (`initial`), and what this server has not written yet.
 *
 * A request belongs to the day on which it was admitted, also when it ends on the next.
 */
import type { QuotaDay, QuotaUse } from "../usage/ports.js";
import type { UsageRecorder } from "../usage/usage-recorder.js";
import type { Clock } from "../clock.js";
import type { KeyRecord, Quotas } from "../entities.js";
import { limitedBelow, payerOf, type Limited, type Meter, type Payer } from "./meters.js";
import type { Calendar, CalendarWindow, Period } from "./calendar.js";
import type { QuotaStore } from "./ports.js";

export type QuotaKind = keyof QuotaUse;

export interface QuotaMeter extends Meter, Omit<Limited, "limits"> {
  kind: QuotaKind;
  window: CalendarWindow;
}

export interface QuotaParts {
  clock: Clock;
  calendar: Calendar;
  used: QuotaUsed;
  /** Urgent: other servers must find it in the database soon. */
  record: (used: QuotaDay, options: { isUrgent: boolean }) => void;
  /** A quota has counted so much, by the counters, or refused a request. */
  onUse?: (caller: KeyRecord, meter: QuotaMeter, count: number, isRefused: boolean) => void;
}

/** Resolves to what was used on days that begin with `days`, with what is not in the database yet. */
export type QuotaUsed = (
  whose: Pick<QuotaMeter, "accountId" | "keyId" | "memberId">,
  days: string,
) => Promise<QuotaUse>;

const kinds: readonly { field: keyof Quotas; kind: QuotaKind; period: Period }[] = [
  { field: "requestsPerDay", kind: "requests", period: "day" },
  { field: "tokensPerDay", kind: "tokens", period: "day" },
  { field: "requestsPerMonth", kind: "requests", period: "month" },
  { field: "tokensPerMonth", kind: "tokens", period: "month" },
];

const none: readonly QuotaMeter[] = [];

/** Asked several times for each request, and most plans have none. */
const hasQuotas = (quotas: Quotas): boolean => kinds.some(({ field }) => quotas[field] !== null);

export class QuotaBook {
  constructor(readonly parts: QuotaParts) {}

  /** The key's own first, then the member's. Their windows are those of this moment. */
  metersOf(caller: KeyRecord): readonly QuotaMeter[] {
    const { key, plan, member } = caller;
    const isMemberFree = member === undefined || !hasQuotas(member.limits);
    if (isMemberFree && !hasQuotas(key.limits) && !hasQuotas(plan)) return none;
    const below = limitedBelow(caller).flatMap((limited) => this.#meters(limited));
    return [...below, ...this.accountMetersOf(caller)];
  }

  accountMetersOf(payer: Payer): QuotaMeter[] {
    return this.#meters(payerOf(payer));
  }

  /** The day that a request belongs to which is admitted now. */
  today(): string {
    return this.parts.calendar.dayAt(this.parts.clock.now());
  }

  #meters({ limits, ...whose }: Limited<Quotas>): QuotaMeter[] {
    const { clock, calendar, used } = this.parts;
    const meters: QuotaMeter[] = [];
    for (const { field, kind, period } of kinds) {
      const limit = limits[field];
      if (limit === null) continue;
      const now = clock.now();
      const window = calendar.windowAt(period, now);
      meters.push({
        name: `quota:${kind}:${window.label}:${whose.owner}`,
        limit,
        unit: `${kind} per ${period}`,
        windowMs: window.endsAt.getTime() - now.getTime(),
        resetsAt: window.endsAt,
        initial: async () => (await used(whose, window.label))[kind],
        kind,
        window,
        ...whose,
      });
    }
    return meters;
  }
}

/**
 * What was used of a quota: what the database has, and what this server has not written yet, each once. While writing
 * fails, what it tried to write may be counted twice: rather too much than too little.
 */
export const quotaUse =
  (store: Pick<QuotaStore, "used">, usage: Pick<UsageRecorder, "reading" | "retry">): QuotaUsed =>
  async ({ accountId, keyId, memberId }, days) => {
    await usage.retry();
    return usage.reading(accountId, async (_held, heldDays) => {
      const use = await store.used(accountId, keyId, days, memberId);
      for (const held of heldDays) {
        if (!held.day.startsWith(days) || (keyId !== null && held.keyId !== keyId)) continue;
        if (memberId !== null && held.memberId !== memberId) continue;
        use.requests += held.requests;
        use.tokens += held.tokens;
      }
      return use;
    });
  };
