import { useId, useState } from "react";
import { Input } from "../../../components/controls/field.tsx";
import { Segmented } from "../../../components/controls/segmented.tsx";
import { cx } from "../../../cx.ts";
import { daysOf, type PeriodChoice, rangeBounds, rangeError, type DayRange } from "./usage-choice.ts";
import { periods, type PeriodId } from "./usage-period.ts";

interface PeriodButtonsProps {
  period: PeriodChoice;
  onChange: (period: PeriodChoice) => void;
}

/** A custom range starts with the days currently shown; `DayRangeFields` changes them. */
export function PeriodButtons({ period, onChange }: PeriodButtonsProps) {
  const isNamed = typeof period === "string";
  const choose = (id: PeriodId | "custom") => {
    if (id !== "custom") onChange(id);
    else if (isNamed) onChange(daysOf(period, Date.now()));
  };
  return (
    <Segmented
      label="Period"
      options={[...periods, { id: "custom" as const, label: "Custom" }]}
      value={isNamed ? period : "custom"}
      onChange={choose}
    />
  );
}

interface DayRangeFieldsProps {
  range: DayRange;
  onChange: (range: DayRange) => void;
}

/** The first and the last day. Input is kept here until it forms a valid range. */
export function DayRangeFields({ range, onChange }: DayRangeFieldsProps) {
  const [typed, setTyped] = useState(range);
  const now = Date.now();
  const error = rangeError(typed, now);
  const note = useId();
  function change(part: Partial<DayRange>) {
    const next = { ...typed, ...part };
    setTyped(next);
    if (rangeError(next, now) === null) onChange(next);
  }
  const day = (name: keyof DayRange, label: string) => (
    <label className="flex min-w-36 flex-1 flex-col gap-1 text-sm text-muted sm:flex-none sm:flex-row sm:items-center sm:gap-2">
      {label}
      <Input
        type="date"
        className="h-9 min-w-0 text-sm"
        aria-describedby={note}
        aria-invalid={error === null ? undefined : true}
        value={typed[name]}
        {...rangeBounds(now)}
        onValue={(value) => change({ [name]: value })}
      />
    </label>
  );
  return (
    <div className="flex w-full flex-wrap items-center gap-x-3 gap-y-2 sm:gap-x-4">
      {day("from", "From")}
      {day("to", "To")}
      <p
        id={note}
        role="status"
        className={cx("w-full text-sm sm:w-auto", error === null ? "text-muted" : "text-bad")}
      >
        {error ?? "Days begin at midnight UTC."}
      </p>
    </div>
  );
}
