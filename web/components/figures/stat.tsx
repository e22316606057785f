/** One number with its name. `value` undefined while it loads. Several stand in a StatRow. */
import { Children, type ReactNode } from "react";
import { cx } from "../../cx.ts";
import { Skeleton } from "../states/skeleton.tsx";

interface StatProps {
  label: string;
  value: ReactNode;
  hint?: ReactNode;
}

export function Stat({ label, value, hint }: StatProps) {
  return (
    <div className="@container bg-surface px-5 py-4.5 sm:px-6">
      <dt className="text-sm text-muted">{label}</dt>
      <dd>
        <span className="mt-1 flex items-baseline gap-1.5 text-[clamp(1.0625rem,13cqi,1.5rem)] leading-8 font-[520] tabular-nums">
          {value === undefined ? <Skeleton className="my-1 h-6 w-20" /> : value}
        </span>
        {/* Its line is reserved while the value loads, to avoid a layout shift. */}
        {value === undefined ? (
          <Skeleton className="mt-1.5 mb-1 h-3 w-28 max-w-full" />
        ) : (
          hint !== undefined && <span className="mt-0.5 block text-sm text-muted">{hint}</span>
        )}
      </dd>
    </div>
  );
}

export function StatRow({ children }: { children: ReactNode }) {
  const count = Children.toArray(children).length;
  return (
    <div className="@container overflow-clip rounded-lg border border-line">
      <dl
        className={cx(
          "grid grid-cols-2 gap-px bg-line @max-xs:grid-cols-1",
          count % 3 === 0 ? "@[44rem]:grid-cols-3" : "@[44rem]:grid-cols-4",
        )}
      >
        {children}
      </dl>
    </div>
  );
}
