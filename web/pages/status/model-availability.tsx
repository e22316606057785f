/** One model's 90 days: a bar for each, and, collapsed beneath, the same as a table. */
import type { ModelDays } from "../../../src/core/admin/service-views.js";
import { ModelName } from "../../components/models/model-name.tsx";
import { Summary } from "../../components/text/summary.tsx";
import { cx } from "../../cx.ts";
import { formatCount } from "../../units.ts";

type Day = ModelDays["days"][number];

export function ModelAvailability({ model, availability, days }: ModelDays) {
  const used = days.filter((day) => day.requests > 0 || day.maintenance > 0);
  return (
    <div>
      <div className="flex items-baseline justify-between gap-4">
        <h3 className="font-medium">
          <ModelName model={model} />
        </h3>
        <span className="text-sm text-muted tabular-nums">
          {availability === null ? "no requests yet" : percent(availability)}
        </span>
      </div>
      <div role="img" aria-label={summary(model, availability, days)} className="mt-2 flex h-8 gap-px">
        {days.map((day) => (
          <span
            key={day.date}
            title={`${dateOf(day)}: ${words(day)}`}
            className={cx("min-w-0 flex-1 rounded-[1px]", look(day))}
          />
        ))}
      </div>
      <p className="mt-1 flex justify-between text-xs text-muted" aria-hidden>
        <span>90 days ago</span>
        <span>Today</span>
      </p>
      {used.length > 0 && <Days model={model} days={used.toReversed()} />}
    </div>
  );
}

function Days({ model, days }: { model: string; days: readonly Day[] }) {
  return (
    <details className="group mt-1 text-sm">
      <Summary>{model} as a table</Summary>
      <div role="group" aria-label={`${model} by day`} tabIndex={0} className="mt-2 max-h-72 overflow-auto">
        <table className="w-full text-left tabular-nums">
          <caption className="sr-only">{model}: requests by day in UTC, newest first</caption>
          <thead>
            <tr className="border-b border-line text-muted">
              <th scope="col" className="py-1.5 pr-3 font-medium">
                Day
              </th>
              {["Requests", "Failed", "Answered"].map((name) => (
                <th key={name} scope="col" className="py-1.5 pl-3 text-right font-medium">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {days.map((day) => (
              <tr key={day.date}>
                <th scope="row" className="py-1.5 pr-3 font-normal">
                  {dateOf(day)}
                </th>
                <td className="py-1.5 pl-3 text-right">{formatCount(day.requests)}</td>
                <td className="py-1.5 pl-3 text-right">{formatCount(day.failed)}</td>
                <td className="py-1.5 pl-3 text-right">
                  {day.availability === null ? "Maintenance" : percent(day.availability)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function look({ availability, maintenance }: Day): string {
  if (availability === null) return maintenance > 0 ? "bg-edge" : "bg-hover";
  if (availability >= 0.999) return "bg-good";
  return availability >= 0.95 ? "bg-warn" : "bg-bad";
}

function words({ availability, requests, failed, maintenance }: Day): string {
  if (availability === null) return maintenance > 0 ? "maintenance" : "no requests";
  return `${percent(availability)} of ${formatCount(requests)} requests answered, ${formatCount(failed)} failed`;
}

function summary(model: string, availability: number | null, days: readonly Day[]): string {
  if (availability === null) return `${model}: no requests in 90 days`;
  const worst = days.reduce<Day | null>(
    (least, day) =>
      day.availability !== null && (least?.availability == null || day.availability < least.availability)
        ? day
        : least,
    null,
  );
  const low = worst === null || worst.failed === 0 ? "" : `; worst on ${dateOf(worst)}, ${words(worst)}`;
  return `${model}: ${percent(availability)} of requests answered in 90 days${low}`;
}

/** Rounded down: 99.999 % is not all of them. */
const percent = (share: number): string =>
  (Math.floor(share * 100_000) / 100_000).toLocaleString(undefined, {
    style: "percent",
    maximumFractionDigits: 3,
  });

const dateOf = ({ date }: Day): string => day.format(new Date(`${date}T00:00:00Z`));
const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" });
