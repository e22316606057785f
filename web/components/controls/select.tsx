/** The browser's native select, styled: works with keyboards, phones and screen readers as it is. */
import { ChevronDown } from "lucide-react";
import type { ComponentProps } from "react";
import { cx } from "../../cx.ts";
import { controlLook, useFieldControl } from "./field.tsx";

interface SelectProps extends Omit<ComponentProps<"select">, "children" | "size"> {
  options: readonly { value: string; label: string }[];
  size?: "sm" | "md";
}

export function Select({ options, size = "md", className, ...rest }: SelectProps) {
  return (
    <div className={cx("relative", className)}>
      <select
        {...useFieldControl()}
        {...rest}
        className={cx(
          controlLook,
          "appearance-none truncate pr-9",
          size === "md" ? "h-10 text-base" : "h-9 text-sm",
        )}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <ChevronDown
        className="pointer-events-none absolute inset-y-0 right-3 my-auto size-4 text-muted"
        aria-hidden
      />
    </div>
  );
}
