import type { ReactNode } from "react";
import { useTitle } from "../../hooks/use-title.ts";

/** The title of a page that is one form, and the sentence under it. */
export function FormHeading({ title, children }: { title: string; children?: ReactNode }) {
  useTitle(title);
  return (
    <header className="mb-8 text-center">
      <h1 className="text-2xl">{title}</h1>
      {children !== undefined && <p className="mt-2 text-muted">{children}</p>}
    </header>
  );
}

/** A link to the related form. */
export function FormAside({ children }: { children: ReactNode }) {
  return (
    <p className="mt-8 text-center text-sm text-muted [&_a]:font-medium [&_a]:text-accent [&_a]:underline-offset-3 [&_a]:hover:underline">
      {children}
    </p>
  );
}
