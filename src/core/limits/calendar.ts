/**
 * Calendar days and months in a time zone. A day ends when the next one begins there: after 23 or 25 hours where the
 * clocks change, and at one o'clock where midnight is skipped.
 */
export type Period = "day" | "month";

export interface CalendarWindow {
  period: Period;
  /** `2026-11-16` or `2026-11`. */
  label: string;
  startsAt: Date;
  endsAt: Date;
}

const hourMs = 60 * 60_000;

export class Calendar {
  #format: Intl.DateTimeFormat | undefined;
  readonly #current = new Map<Period, CalendarWindow>();

  /** Its questions throw a `RangeError` for a zone that is not known here. */
  constructor(readonly zone: string) {}

  /** `2026-11-16` */
  dayAt(now: Date): string {
    return this.windowAt("day", now).label;
  }

  windowAt(period: Period, now: Date): CalendarWindow {
    const current = this.#current.get(period);
    const nowMs = now.getTime();
    if (current !== undefined && current.startsAt.getTime() <= nowMs && nowMs < current.endsAt.getTime()) {
      return current;
    }
    const window = this.#find(period, now);
    this.#current.set(period, window);
    return window;
  }

  #find(period: Period, now: Date): CalendarWindow {
    const { year, month, day } = this.#dateAt(now.getTime());
    const [first, next] =
      period === "day"
        ? [Date.UTC(year, month - 1, day), Date.UTC(year, month - 1, day + 1)]
        : [Date.UTC(year, month - 1, 1), Date.UTC(year, month, 1)];
    const label = new Date(first).toISOString().slice(0, period === "day" ? 10 : 7);
    return { period, label, startsAt: this.#beginOf(first), endsAt: this.#beginOf(next) };
  }

  /** The first moment at which it is this date there, or a later one where the date is skipped. */
  #beginOf(dateMs: number): Date {
    // No zone is further from UTC than 14 hours; one that changes sides of the date line skips a day.
    let [before, after] = [dateMs - 16 * hourMs, dateMs + 40 * hourMs];
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      const { year, month, day } = this.#dateAt(middle);
      if (Date.UTC(year, month - 1, day) >= dateMs) after = middle;
      else before = middle;
    }
    return new Date(after);
  }

  #dateAt(ms: number): Record<"year" | "month" | "day", number> {
    const date = { year: 0, month: 0, day: 0 };
    this.#format ??= dateFormat(this.zone);
    for (const { type, value } of this.#format.formatToParts(ms)) {
      if (type === "year" || type === "month" || type === "day") date[type] = Number(value);
    }
    return date;
  }
}

/** Created with the first question: it loads the data of a language, which takes as long as many modules. */
const dateFormat = (timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  });
