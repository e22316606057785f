import { cx } from "../../cx.ts";
import { LogoMark } from "../frame/logo.tsx";

/** A grey placeholder. Give it a size: `className="h-4 w-32"`. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={cx("block animate-breathe rounded-sm bg-hover", className)} />;
}

/** Placeholder lines of text, announced once as loading. */
export function SkeletonLines({ lines }: { lines: number }) {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-3">
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} className={cx("h-4", line === lines - 1 ? "w-2/3" : "w-full")} />
      ))}
    </div>
  );
}

/** Shown while a page's chunk loads. Appears after a delay, so that fast loads show nothing. */
export function PageLoading() {
  return (
    <div role="status" className="late flex min-h-[60vh] items-center justify-center text-muted">
      <LogoMark className="h-7 animate-breathe" />
      <span className="sr-only">Loading</span>
    </div>
  );
}
