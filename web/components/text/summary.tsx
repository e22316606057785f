import { ChevronRight } from "lucide-react";
import type { ComponentProps } from "react";

/** What a `details` of the class `group` is opened by. */
export function Summary({ children, ...rest }: ComponentProps<"summary">) {
  return (
    <summary
      className="inline-flex items-center gap-1 rounded-sm text-sm text-muted hover:text-ink [&::-webkit-details-marker]:hidden"
      {...rest}
    >
      <ChevronRight className="size-4 transition-transform group-open:rotate-90" aria-hidden />
      {children}
    </summary>
  );
}
