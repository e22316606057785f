import { ChevronLeft, ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "./button.tsx";

interface CursorPagerProps {
  /** Undefined if there is none. */
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
  /** What is shown: "1 to 50 of 120". */
  children: ReactNode;
}

/** Below a paginated list. Renders nothing while everything is on one page. */
export function CursorPager({ onPrevious, onNext, children }: CursorPagerProps) {
  if (onPrevious === undefined && onNext === undefined) return null;
  return (
    <nav
      aria-label="Pages"
      className="flex items-center justify-between gap-4 border-t border-line px-5 py-2 text-sm text-muted sm:px-6"
    >
      <span role="status" className="tabular-nums">
        {children}
      </span>
      <span className="-mr-2 flex">
        <IconButton label="Previous page" disabled={onPrevious === undefined} onClick={onPrevious}>
          <ChevronLeft />
        </IconButton>
        <IconButton label="Next page" disabled={onNext === undefined} onClick={onNext}>
          <ChevronRight />
        </IconButton>
      </span>
    </nav>
  );
}
