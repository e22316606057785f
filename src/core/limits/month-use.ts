/**
 * Use in the calendar month of the quotas, and the forecast for its end: at the average rate of the last seven days,
 * or of the days since the first use among them, at least one. Days of the previous month count, so that there is a
 * rate on the first.
 */
import { mostOfQuota } from "../bounds.js";
import type { Clock } from "../clock.js";
import type { Plan, Quotas } from "../entities.js";
import type { QuotaUse } from "../usage/ports.js";
import type { UsageRecorder } from "../usage/usage-recorder.js";
import type { Calendar, CalendarWindow } from "./calendar.js";
import type { DayUse, QuotaStore } from "./ports.js";
import type { QuotaKind } from "./quota-book.js";

export interface MonthCount {
  used: number;
  /** The whole month's, at this rate. */
  forecast: number;
  /** Null without a quota for the month. */
  limit: number | null;
  /** When 80 % of the quota will be used; null if that was passed, or not in this month. */
  mostUsedAt: string | null;
  /** When all of it will be used. */
  usedUpAt: string | null;
}

export interface MonthView {
  startsAt: string;
  endsAt: string;
  requests: MonthCount;
  tokens: MonthCount;
}

export interface MonthUseParts {
  store: Pick<QuotaStore, "byDay" | "byPlanAndDay">;
  usage: Pick<UsageRecorder, "reading" | "retry" | "flush">;
  clock: Clock;
  calendar: Calendar;
}

const dayMs = 24 * 60 * 60_000;
const rateDays = 7;

export class MonthUse {
  constructor(private readonly parts: MonthUseParts) {}

  /** With what this server has not written yet. */
  async ofAccount(accountId: string, quotas: Quotas): Promise<MonthView> {
    const { store, usage } = this.parts;
    const span = this.#span();
    await usage.retry();
    const days = await usage.reading(accountId, async (_held, heldDays) => [
      ...(await store.byDay(accountId, span.from)),
      ...heldDays.filter(({ day }) => day >= span.from),
    ]);
    return monthOf(days, quotas, span);
  }

  /** By the plan's id. A quota counts once for each of its accounts. */
  async ofPlans(plans: readonly { plan: Plan; accounts: number }[]): Promise<Map<string, MonthView>> {
    const { store, usage } = this.parts;
    const span = this.#span();
    await usage.flush();
    const days = await store.byPlanAndDay(span.from);
    const ofAll = (quota: number | null, accounts: number) => (quota === null ? null : quota * accounts);
    return new Map(
      plans.map(({ plan, accounts }) => [
        plan.id,
        monthOf(
          days.filter(({ planId }) => planId === plan.id),
          {
            requestsPerMonth: ofAll(plan.requestsPerMonth, accounts),
            tokensPerMonth: ofAll(plan.tokensPerMonth, accounts),
          },
          span,
        ),
      ]),
    );
  }

  #span(): Span {
    const { clock, calendar } = this.parts;
    const now = clock.now();
    const month = calendar.windowAt("month", now);
    const today = calendar.windowAt("day", now);
    const rateFrom = labelOf(Date.parse(today.label) - (rateDays - 1) * dayMs);
    const from = [`${month.label}-01`, rateFrom].sort()[0] ?? rateFrom;
    return { now, month, today, rateFrom, from };
  }
}

interface Span {
  now: Date;
  month: CalendarWindow;
  today: CalendarWindow;
  /** The first day that counts for the rate. */
  rateFrom: string;
  /** The first day that is read. */
  from: string;
}

const labelOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

function monthOf(
  days: readonly DayUse[],
  { requestsPerMonth, tokensPerMonth }: Pick<Quotas, "requestsPerMonth" | "tokensPerMonth">,
  span: Span,
): MonthView {
  return {
    startsAt: span.month.startsAt.toISOString(),
    endsAt: span.month.endsAt.toISOString(),
    requests: countOf(days, "requests", requestsPerMonth, span),
    tokens: countOf(days, "tokens", tokensPerMonth, span),
  };
}

function countOf(
  days: readonly DayUse[],
  kind: QuotaKind,
  limit: number | null,
  { now, month, today, rateFrom }: Span,
): MonthCount {
  const used = sumOf(
    days.filter(({ day }) => day.startsWith(month.label)),
    kind,
  );
  const recent = days.filter((day) => day.day >= rateFrom && day[kind] > 0);
  const first = recent.map(({ day }) => day).sort()[0] ?? today.label;
  const ofToday = (now.getTime() - today.startsAt.getTime()) / dayMs;
  const overDays = Math.max(1, (Date.parse(today.label) - Date.parse(first)) / dayMs + ofToday);
  const perMs = sumOf(recent, kind) / (overDays * dayMs);
  const reaches = (level: number): string | null => {
    if (used >= level || perMs === 0) return null;
    const atMs = now.getTime() + (level - used) / perMs;
    return atMs < month.endsAt.getTime() ? new Date(atMs).toISOString() : null;
  };
  return {
    used,
    forecast: Math.round(used + perMs * (month.endsAt.getTime() - now.getTime())),
    limit,
    mostUsedAt: limit === null ? null : reaches(mostOfQuota * limit),
    usedUpAt: limit === null ? null : reaches(limit),
  };
}

const sumOf = (days: readonly QuotaUse[], kind: QuotaKind): number =>
  days.reduce((sum, day) => sum + day[kind], 0);
