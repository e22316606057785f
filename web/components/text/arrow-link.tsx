import { ArrowRight } from "lucide-react";
import { Link } from "wouter";

/** A link that leads on, at the end of a passage. */
export function ArrowLink({ href, children }: { href: string; children: string }) {
  return (
    <Link href={href} className="group rounded-sm font-medium text-accent">
      {/* The arrow stays with the last word, wherever the line breaks. */}
      {children}&nbsp;
      <ArrowRight
        className="-mt-0.5 inline size-4 transition-transform group-hover:translate-x-0.5"
        aria-hidden
      />
    </Link>
  );
}
