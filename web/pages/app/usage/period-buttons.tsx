import { Segmented } from "../../../components/controls/segmented.tsx";
import { daysOf, type PeriodChoice } from "./usage-choice.ts";
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
