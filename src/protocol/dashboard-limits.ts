/** Limits in the shapes of the dashboard's API. */

/** Limits by the calendar's day and month; null: none. */
export interface QuotasView {
  requestsPerDay: number | null;
  tokensPerDay: number | null;
  requestsPerMonth: number | null;
  tokensPerMonth: number | null;
}

export interface Gauge {
  limit: number;
  remaining: number;
  resetSeconds: number;
}

export interface QuotaNow {
  kind: "requests" | "tokens";
  period: "day" | "month";
  limit: number;
  remaining: number;
  resetsAt: string;
}
