import { ArrowLeft } from "lucide-react";
import { Link } from "wouter";

/** Above a page's title: the list that the page belongs to. */
export function BackLink({ href, children }: { href: string; children: string }) {
  return (
    <Link
      href={href}
      className="mb-3 inline-flex items-center gap-1.5 rounded-sm text-sm text-muted hover:text-ink"
    >
      <ArrowLeft className="size-4" aria-hidden />
      {children}
    </Link>
  );
}
