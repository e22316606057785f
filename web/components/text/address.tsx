/** An email address. If it does not fit, it preferably breaks after its `@` and dots. */
import { Fragment } from "react";
import { cx } from "../../cx.ts";

export function Address({ email, className }: { email: string; className?: string }) {
  return (
    <span className={cx("min-w-0 wrap-anywhere", className)}>
      {email.split(/(?<=[@.])/).map((part, place) => (
        <Fragment key={place}>
          {place > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </span>
  );
}
