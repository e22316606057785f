/**
 * The mark is a sign from musical scores: the diminuendo al niente, a hairpin that closes before a small
 * circle, "fade to nothing". That is what happens here to everything a user writes.
 */
export function LogoMark({ className = "h-[1.125rem]" }: { className?: string }) {
  return (
    <svg
      viewBox="0 0 34 20"
      fill="none"
      strokeWidth="2"
      strokeLinecap="round"
      aria-hidden
      className={className}
    >
      <path d="M1.5 2.5 22 8.6M1.5 17.5 22 11.4" stroke="currentColor" />
      <circle cx="29" cy="10" r="3.2" className="stroke-accent" />
    </svg>
  );
}

export function Logo() {
  return (
    <span className="inline-flex items-center gap-2.5">
      <LogoMark />
      <span className="text-lg font-[560] tracking-[-0.02em]">Sotto</span>
    </span>
  );
}
