/** What was used this month, against the quotas where there are any, and what it comes to at this rate. */
import type { UseQueryResult } from "@tanstack/react-query";
import { mostOfQuota } from "../../../src/core/bounds.js";
import type { MonthCount, MonthView } from "../../../src/core/limits/month-use.js";
import { formatCount } from "../../units.ts";
import { Card } from "../frame/card.tsx";
import { Loaded } from "../states/loaded.tsx";
import { Time } from "../text/time.tsx";
import { Meter } from "./meter.tsx";

export function MonthCard({ month }: { month: UseQueryResult<MonthView> }) {
  return (
    <Card title="This month" description="The forecast continues at the rate of the last seven days.">
      <Loaded query={month} what="this month’s usage" lines={3}>
        {(data) => (
          <div className="grid grid-cols-1 gap-x-12 gap-y-5 md:grid-cols-2">
            <Count label="Tokens" count={data.tokens} />
            <Count label="Requests" count={data.requests} />
          </div>
        )}
      </Loaded>
    </Card>
  );
}

function Count({ label, count }: { label: string; count: MonthCount }) {
  if (count.limit !== null) {
    return (
      <Meter label={label} used={count.used} limit={count.limit} hint={<ForecastText count={count} />} />
    );
  }
  return (
    <div className="text-sm">
      <p className="flex flex-wrap items-baseline justify-between gap-x-4">
        <span className="font-medium">{label}</span>
        <span className="text-muted tabular-nums">{formatCount(count.used)}, no quota</span>
      </p>
      <p className="mt-1.5 text-muted">
        <ForecastText count={count} />
      </p>
    </div>
  );
}

/** "At this rate, 80 % on 21 Nov 2026, used up on 26 Nov 2026." */
export function ForecastText({ count }: { count: MonthCount }) {
  const { used, forecast, limit, mostUsedAt, usedUpAt } = count;
  if (forecast === used && (limit === null || used < limit)) return "Not used in the last seven days.";
  if (limit === null) return `At this rate, ${formatCount(forecast)} by the end of the month.`;
  if (used >= limit) return "Used up for this month.";
  if (mostUsedAt === null && usedUpAt === null) {
    return `At this rate, ${shareText(forecast / limit)} by the end of the month.`;
  }
  return (
    <>
      At this rate,{" "}
      {mostUsedAt !== null && (
        <>
          {percent.format(mostOfQuota)} on <Time at={mostUsedAt} style="date" />
        </>
      )}
      {mostUsedAt !== null && usedUpAt !== null && ", "}
      {usedUpAt !== null && (
        <>
          used up on <Time at={usedUpAt} style="date" />
        </>
      )}
      .
    </>
  );
}

/** A use that rounds to nothing is not nothing. */
const shareText = (share: number) =>
  share < 0.01 ? `less than ${percent.format(0.01)}` : percent.format(share);

const percent = new Intl.NumberFormat(undefined, { style: "percent" });
