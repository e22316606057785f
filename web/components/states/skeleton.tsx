import { cx } from "../../cx.ts";

/** A grey placeholder. Give it a size: `className="h-4 w-32"`. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={cx("block animate-breathe rounded-sm bg-hover", className)} />;
}

/** Placeholder lines of text, announced once as loading. */
export function SkeletonLines({ lines = 3 }: { lines?: number }) {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-3">
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} className={cx("h-4", line === lines - 1 ? "w-2/3" : "w-full")} />
      ))}
    </div>
  );
}
