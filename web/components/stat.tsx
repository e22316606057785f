/** One number with its name. `value` undefined while it loads. Several stand in a StatRow. */
import { Children, type ReactNode } from "react";
import { Skeleton } from "./skeleton.tsx";

interface StatProps {
  label: string;
  value: ReactNode;
  unit?: string;
  hint?: ReactNode;
}

export function Stat({ label, value, unit, hint }: StatProps) {
  return (
    <div className="bg-surface px-5 py-4.5 sm:px-6">
      <dt className="text-sm text-muted">{label}</dt>
      <dd>
        <span className="mt-1 flex items-baseline gap-1.5 text-2xl font-[520] tabular-nums">
          {value === undefined ? <Skeleton className="my-1 h-6 w-20" /> : value}
          {unit !== undefined && value !== undefined && <span className="text-sm text-muted">{unit}</span>}
        </span>
        {hint !== undefined && <span className="mt-0.5 block text-sm text-muted">{hint}</span>}
      </dd>
    </div>
  );
}

export function StatRow({ children }: { children: ReactNode }) {
  const count = Children.toArray(children).length;
  return (
    <dl
      className={`grid grid-cols-2 gap-px overflow-clip rounded-lg border border-line bg-line ${count % 3 === 0 ? "lg:grid-cols-3" : "lg:grid-cols-4"}`}
    >
      {children}
    </dl>
  );
}
