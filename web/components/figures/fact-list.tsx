/** Short facts, each a name above its value, as many beside each other as fit. */
import { cx } from "../../cx.ts";

export type Fact = [name: string, value: string];

export function FactList({ facts, className }: { facts: readonly Fact[]; className?: string }) {
  return (
    <dl
      className={cx(
        "grid grid-cols-[repeat(auto-fill,minmax(min(6.75rem,40%),1fr))] gap-x-6 gap-y-4 text-sm",
        className,
      )}
    >
      {facts.map(([name, value]) => (
        // Values stay on one line beside each other where one of the names wraps.
        <div key={name} className="row-span-2 grid grid-rows-subgrid gap-y-0">
          <dt className="text-muted">{name}</dt>
          <dd className="font-medium tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
