/**
 * A bordered surface. `title` makes it a section with a heading; `flush` drops the padding for a table or a
 * list that brings its own.
 */
import { useId, type ReactNode } from "react";
import { cx } from "../../cx.ts";

interface CardProps {
  title?: ReactNode;
  description?: ReactNode;
  /** Buttons at the right of the title. */
  actions?: ReactNode;
  flush?: boolean;
  /** Beside others in a row: its body is a column as high as the row leaves it. */
  stretch?: boolean;
  className?: string;
  children: ReactNode;
}

export function Card({
  title,
  description,
  actions,
  flush = false,
  stretch = false,
  className,
  children,
}: CardProps) {
  const id = useId();
  const Tag = title === undefined ? "div" : "section";
  return (
    <Tag
      aria-labelledby={title === undefined ? undefined : id}
      className={cx(
        "overflow-clip rounded-lg border border-line bg-surface",
        stretch && "flex flex-col",
        className,
      )}
    >
      {title !== undefined && (
        <div
          className={cx(
            "flex flex-wrap justify-between gap-x-6 gap-y-3 px-5 sm:px-6",
            description === undefined ? "items-center" : "items-start",
            flush ? "border-b border-line py-3.5" : "pt-4.5",
          )}
        >
          <div className="min-w-0">
            <h2 id={id} className="text-base font-semibold">
              {title}
            </h2>
            {description !== undefined && (
              <p className="mt-0.5 max-w-prose text-sm text-muted">{description}</p>
            )}
          </div>
          {actions != null && actions !== false && <div className="flex items-center gap-2">{actions}</div>}
        </div>
      )}
      <div
        className={cx(
          stretch && "flex flex-1 flex-col",
          !flush && "px-5 pb-5 sm:px-6 sm:pb-6",
          !flush && (title === undefined ? "pt-5 sm:pt-6" : "pt-4"),
        )}
      >
        {children}
      </div>
    </Tag>
  );
}
