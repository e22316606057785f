/** The title of a signed-in page, its one-line purpose and its main action. Also sets the document's title. */
import type { ReactNode } from "react";
import { useTitle } from "../../hooks/use-title.ts";

interface PageHeaderProps {
  title: string;
  /** The visible title, if it is more than plain text. */
  heading?: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
}

export function PageHeader({ title, heading = title, description, actions }: PageHeaderProps) {
  useTitle(title);
  return (
    <header className="mb-7 flex flex-wrap items-end justify-between gap-x-8 gap-y-4 lg:flex-nowrap">
      <div className="min-w-0">
        <h1 className="text-2xl wrap-anywhere">{heading}</h1>
        {description !== undefined && <p className="mt-1 max-w-2xl text-muted">{description}</p>}
      </div>
      {actions !== undefined && (
        <div className="flex flex-wrap items-center gap-2 empty:hidden lg:shrink-0">{actions}</div>
      )}
    </header>
  );
}
