/** Text without spaces. If it does not fit, it preferably breaks after these characters. */
import { Fragment } from "react";
import { cx } from "../../cx.ts";

interface BreakableProps {
  text: string;
  /** As in "@.". */
  after: string;
  className?: string | undefined;
}

export function Breakable({ text, after, className }: BreakableProps) {
  const parts: string[] = [""];
  for (const character of text) {
    parts.push(`${parts.pop() ?? ""}${character}`);
    if (after.includes(character)) parts.push("");
  }
  return (
    <span className={cx("min-w-0 wrap-anywhere", className)}>
      {parts.map((part, place) => (
        <Fragment key={place}>
          {place > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </span>
  );
}

/** An email address. */
export function Address({ email, className }: { email: string; className?: string }) {
  return <Breakable text={email} after="@." className={className} />;
}
