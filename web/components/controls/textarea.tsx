import type { ComponentProps } from "react";
import { cx } from "../../cx.ts";
import { controlLook, useFieldControl } from "./field.tsx";

/** Multi-line text; grows with its content in browsers that support it. */
export function Textarea({ className, ...rest }: ComponentProps<"textarea">) {
  return (
    <textarea
      rows={4}
      {...useFieldControl()}
      {...rest}
      className={cx(controlLook, "field-sizing-content min-h-20 py-2 text-base", className)}
    />
  );
}
