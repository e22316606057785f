/** A note inside a page: `tone="bad"` for a form's failure (announced), the others for information. */
import { CircleAlert, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "../../cx.ts";

type CalloutTone = "accent" | "warn" | "bad";

export function Callout({
  tone = "accent",
  title,
  children,
  className,
}: {
  tone?: CalloutTone;
  title?: ReactNode;
  children?: ReactNode;
  className?: string;
}) {
  const { look, Icon } = tones[tone];
  return (
    <div
      role={tone === "bad" ? "alert" : undefined}
      className={cx("flex gap-3 rounded-md px-4 py-3 text-sm", look, className)}
    >
      <Icon className="mt-0.5 size-4 shrink-0" aria-hidden />
      <div className="min-w-0 text-ink [&_a]:underline [&_a]:underline-offset-2">
        {title !== undefined && <p className="font-medium">{title}</p>}
        {children}
      </div>
    </div>
  );
}

const tones = {
  accent: { look: "bg-accent-soft text-accent", Icon: Info },
  warn: { look: "bg-warn-soft text-warn", Icon: TriangleAlert },
  bad: { look: "bg-bad-soft text-bad", Icon: CircleAlert },
};
