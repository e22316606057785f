/** Progress as a bar and in words; without `total` it only says that something is in progress. */
import { useId, type ReactNode } from "react";
import { cx } from "../../cx.ts";

interface ProgressProps {
  label: ReactNode;
  done: number;
  /** Null while it is not known. */
  total: number | null;
  /** "12 MB of 40 MB, 3 MB/s" */
  words: string;
  tone?: "accent" | "muted" | "bad";
}

export function Progress({ label, done, total, words, tone = "accent" }: ProgressProps) {
  const id = useId();
  const share = total !== null && total > 0 ? Math.min(1, done / total) : 0;
  return (
    <div className="min-w-0">
      <p id={id} className="font-medium wrap-anywhere">
        {label}
      </p>
      <div
        role="progressbar"
        aria-labelledby={id}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={total === null ? undefined : Math.floor(share * 100)}
        aria-valuetext={words}
        className="mt-2 h-1.5 overflow-hidden rounded-full bg-hover"
      >
        <div
          style={{ width: `${share * 100}%` }}
          className={cx("h-full rounded-full transition-[width] duration-500", looks[tone])}
        />
      </div>
      <p className="mt-1.5 text-sm text-muted tabular-nums">{words}</p>
    </div>
  );
}

const looks = { accent: "bg-accent", muted: "bg-edge", bad: "bg-bad" };
