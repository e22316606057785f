/** Shown for an empty list: one sentence explaining why, and one next step. */
import type { ReactNode } from "react";

interface EmptyStateProps {
  icon?: ReactNode;
  title: string;
  children?: ReactNode;
  /** The next step: a Button or ButtonLink. */
  action?: ReactNode;
}

export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center px-6 py-14 text-center">
      {icon !== undefined && (
        <div
          className="mb-4 flex size-11 items-center justify-center rounded-full border border-line text-accent [&>svg]:size-5"
          aria-hidden
        >
          {icon}
        </div>
      )}
      <p className="font-medium">{title}</p>
      {children !== undefined && (
        <div className="mt-1 max-w-sm text-sm text-balance text-muted">{children}</div>
      )}
      {action !== undefined && <div className="mt-5">{action}</div>}
    </div>
  );
}
