import { ArrowRight } from "lucide-react";
import { Link } from "wouter";

/** A link that leads on, at the end of a passage. */
export function ArrowLink({ href, children }: { href: string; children: string }) {
  return (
    <Link href={href} className="group inline-flex items-center gap-1.5 rounded-sm font-medium text-accent">
      {children}
      <ArrowRight className="size-4 transition-transform group-hover:translate-x-0.5" aria-hidden />
    </Link>
  );
}
