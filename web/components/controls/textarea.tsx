import type { ComponentProps } from "react";
import { cx } from "../../cx.ts";
import { controlLook, useFieldControl } from "./field.tsx";

/** Several lines of text; grows with what is written where the browser can. */
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
