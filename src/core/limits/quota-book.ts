/**
 * Quotas: limits by the calendar's day and month. They are counted beside the limits by the minute, in the same
 * counters and the same step, each window under a name of its own. What was used is also written to the database by the
 * day, together with usage and as often as that: once. A counter that does not know a window, since the server or
 * Redis was restarted, begins with what the database says (`initial`), and what this server has not written yet.
 *
 * A request belongs to the day on which it was admitted, also when it ends on the next.
 */
import type { QuotaDay, QuotaUse } from "../usage/ports.js";
import type { Clock } from "../clock.js";
import type { KeyRecord, Quotas } from "../entities.js";
import { ownerOfKey, ownerOfMember, payerLabel, type Meter, type Payer } from "./meters.js";
import type { Calendar, CalendarWindow, Period } from "./calendar.js";

export type QuotaKind = keyof QuotaUse;

export interface QuotaMeter extends Meter {
  kind: QuotaKind;
  window: CalendarWindow;
  accountId: string;
  /** The lineage of the key; null for the member's and the account's. */
  keyId: string | null;
  /** The account of the team's member; null for the key's and the account's. */
  memberId: string | null;
}

export interface QuotaParts {
  clock: Clock;
  calendar: Calendar;
  /** On days that begin with `days`, by one key, one member or all, with what is not in the database yet. */
  used: (accountId: string, keyId: string | null, days: string, memberId: string | null) => Promise<QuotaUse>;
  /** Urgent: other servers must find it in the database soon. */
  record: (used: QuotaDay, options: { isUrgent: boolean }) => void;
  /** A quota has counted so much, by the counters, or refused a request. */
  onUse?: (caller: KeyRecord, meter: QuotaMeter, count: number, isRefused: boolean) => void;
}

const kinds: readonly { field: keyof Quotas; kind: QuotaKind; period: Period }[] = [
  { field: "requestsPerDay", kind: "requests", period: "day" },
  { field: "tokensPerDay", kind: "tokens", period: "day" },
  { field: "requestsPerMonth", kind: "requests", period: "month" },
  { field: "tokensPerMonth", kind: "tokens", period: "month" },
];

type Whose = Pick<QuotaMeter, "accountId" | "keyId" | "memberId" | "owner">;

const none: readonly QuotaMeter[] = [];

/** Asked several times for each request, and most plans have none. */
const hasQuotas = (quotas: Quotas): boolean => kinds.some(({ field }) => quotas[field] !== null);

export class QuotaBook {
  constructor(private readonly parts: QuotaParts) {}

  /** The key's own first, then the member's. Their windows are those of this moment. */
  metersOf(caller: KeyRecord): readonly QuotaMeter[] {
    const { key, account, plan, member } = caller;
    const isMemberFree = member === undefined || !hasQuotas(member.limits);
    if (isMemberFree && !hasQuotas(key.limits) && !hasQuotas(plan)) return none;
    const accountId = account.id;
    const whoseKey = { accountId, keyId: key.lineage, memberId: null, owner: ownerOfKey(key) };
    const ofKey = this.#meters(key.limits, whoseKey, "this key");
    if (isMemberFree) return [...ofKey, ...this.accountMetersOf(caller)];
    const whose = { accountId, keyId: null, memberId: member.id, owner: ownerOfMember(account, member) };
    const ofMember = this.#meters(member.limits, whose, `this member of the team '${account.email}'`);
    return [...ofKey, ...ofMember, ...this.accountMetersOf(caller)];
  }

  accountMetersOf({ account, plan }: Payer): QuotaMeter[] {
    const whose = { accountId: account.id, keyId: null, memberId: null, owner: account.id };
    return this.#meters(plan, whose, payerLabel(account, plan));
  }

  /** The day that a request belongs to which is admitted now. */
  today(): string {
    return this.parts.calendar.dayAt(this.parts.clock.now());
  }

  record(used: QuotaDay, options: { isUrgent: boolean }): void {
    this.parts.record(used, options);
  }

  noteUse(caller: KeyRecord, meter: QuotaMeter, count: number, isRefused: boolean): void {
    this.parts.onUse?.(caller, meter, count, isRefused);
  }

  #meters(quotas: Quotas, whose: Whose, scopeLabel: string): QuotaMeter[] {
    const { accountId, keyId, memberId } = whose;
    const meters: QuotaMeter[] = [];
    for (const { field, kind, period } of kinds) {
      const limit = quotas[field];
      if (limit === null) continue;
      const { clock, calendar, used } = this.parts;
      const now = clock.now();
      const window = calendar.windowAt(period, now);
      meters.push({
        name: `quota:${kind}:${window.label}:${whose.owner}`,
        limit,
        unit: `${kind} per ${period}`,
        scopeLabel,
        windowMs: window.endsAt.getTime() - now.getTime(),
        resetsAt: window.endsAt,
        initial: async () => (await used(accountId, keyId, window.label, memberId))[kind],
        kind,
        window,
        ...whose,
      });
    }
    return meters;
  }
}
