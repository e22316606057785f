/** An email address that, where it does not fit, breaks behind its `@` and dots before it breaks anywhere. */
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
