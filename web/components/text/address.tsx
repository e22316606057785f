import { cx } from "../../cx.ts";
import { Breakable } from "./breakable.tsx";

/** Fits a line of any window. */
const shortAddress = 24;

/** An email address. A short one is not broken at the end of a line. */
export function Address({ email, className }: { email: string; className?: string }) {
  if (email.length <= shortAddress)
    return <span className={cx("whitespace-nowrap", className)}>{email}</span>;
  return <Breakable text={email} after="@." className={className} />;
}
