import type { ReactNode } from "react";

/** A section of a documentation page, with an anchor. */
export function Section({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <>
      <h2
        id={id}
        className="after:ml-2 after:text-muted after:opacity-0 after:transition-opacity after:content-['#'/''] hover:after:opacity-100"
      >
        <a href={`#${id}`} className="text-ink">
          {title}
        </a>
      </h2>
      {children}
    </>
  );
}
