/** The three limits that change as requests run: requests, tokens, concurrent requests. */
import type { Gauge, LimitsNow } from "../../../src/protocol/dashboard-api.js";
import { useCountdown } from "../../hooks/use-countdown.ts";
import { Meter } from "./meter.tsx";

export function LimitMeters({ limits, readAt }: { limits: LimitsNow; readAt: number }) {
  const { requests, tokens, concurrent } = limits;
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
