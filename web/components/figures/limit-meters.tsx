/** The limits that change as requests run: requests, tokens, concurrent requests, and quotas where there are any. */
import type { MonthCount } from "../../../src/core/limits/month-use.js";
import type { LimitsNow, Gauge, QuotaNow } from "../../../src/protocol/dashboard/api.js";
import { useCountdown } from "../../hooks/use-countdown.ts";
import { Time } from "../text/time.tsx";
import { Meter } from "./meter.tsx";
import { ForecastText } from "./month-use.tsx";

export function LimitMeters({ limits, readAt }: { limits: LimitsNow; readAt: number }) {
  const { requests, tokens, concurrent, quotas } = limits;
  return (
    <>
      <RateMeter label="Requests this minute" gauge={requests} readAt={readAt} />
      <RateMeter label="Tokens this minute" gauge={tokens} readAt={readAt} />
      <Meter
        label="Concurrent requests"
        used={concurrent.held}
        limit={concurrent.limit}
        hint={concurrent.held === 0 ? "None running." : "Running or waiting in the queue."}
      />
      {quotas.map((quota) => (
        <QuotaMeter key={quota.kind + quota.period} quota={quota} label={thisPeriod(quota)} />
      ))}
    </>
  );
}

export function RateMeter({ label, gauge, readAt }: { label: string; gauge: Gauge; readAt: number }) {
  const seconds = useCountdown(gauge.resetSeconds, readAt);
  const used = gauge.limit - gauge.remaining;
  const left = `${gauge.remaining.toLocaleString()} left`;
  return (
    <Meter
      label={label}
      used={used}
      limit={gauge.limit}
      hint={used === 0 || seconds === 0 ? left : `${left}, full again in ${seconds} s`}
    />
  );
}

/** How much of a quota is used, and when it resets. */
export function QuotaMeter({
  quota,
  label,
  forecast,
}: {
  quota: QuotaNow;
  label: string;
  /** For a quota of the month, once it is known. */
  forecast?: MonthCount | undefined;
}) {
  const { limit, remaining, resetsAt } = quota;
  return (
    <Meter
      label={label}
      used={limit - remaining}
      limit={limit}
      hint={
        <>
          {remaining.toLocaleString()} left, resets <Time at={resetsAt} style="moment" />
          {forecast !== undefined && (
            <span className="block">
              <ForecastText count={forecast} />
            </span>
          )}
        </>
      }
    />
  );
}

/** "Tokens today", "Requests this month". */
const thisPeriod = ({ kind, period }: QuotaNow): string =>
  `${kind === "tokens" ? "Tokens" : "Requests"} ${period === "day" ? "today" : "this month"}`;
