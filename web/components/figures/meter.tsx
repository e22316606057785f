/** How much of a limit is used, as a bar and in words. Turns to a warning at 80 % and to red when it is full. */
import { useId, type ReactNode } from "react";
import { cx } from "../../cx.ts";

interface MeterProps {
  label: string;
  used: number;
  limit: number;
  /** At the right, under the bar: "resets in 12 s". */
  hint?: ReactNode;
}

export function Meter({ label, used, limit, hint }: MeterProps) {
  const id = useId();
  const share = limit > 0 ? Math.min(1, Math.max(0, used / limit)) : 0;
  const words = `${used.toLocaleString()} of ${limit.toLocaleString()}`;
  return (
    <div>
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 text-sm">
        <span id={id} className="font-medium">
          {label}
        </span>
        <span className="whitespace-nowrap text-muted tabular-nums">{words}</span>
      </div>
      <div
        role="meter"
        aria-labelledby={id}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(used, limit)}
        aria-valuetext={words}
        className="mt-2 h-1.5 overflow-hidden rounded-full bg-hover"
      >
        <div
          style={{ width: `${share * 100}%` }}
          className={cx(
            "h-full rounded-full transition-[width] duration-500",
            share >= 1 ? "bg-bad" : share >= 0.8 ? "bg-warn" : "bg-accent",
          )}
        />
      </div>
      {hint !== undefined && <p className="mt-1.5 text-sm text-muted">{hint}</p>}
    </div>
  );
}
