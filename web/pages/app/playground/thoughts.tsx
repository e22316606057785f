import { ChevronRight } from "lucide-react";
import { useState } from "react";

interface ThoughtsProps {
  text: string;
  /** Nothing else has come yet: then there is nothing better to read. */
  alone: boolean;
}

/** What a model thought before it replied. Folded away once the reply begins, unless the reader chose otherwise. */
export function Thoughts({ text, alone }: ThoughtsProps) {
  const [chosen, setChosen] = useState<boolean | null>(null);
  const open = chosen ?? alone;
  return (
    <details open={open} className="group text-sm">
      <summary
        className="inline-flex items-center gap-1 rounded-sm text-muted hover:text-ink [&::-webkit-details-marker]:hidden"
        onClick={(event) => {
          // The state decides what is open, not the browser.
          event.preventDefault();
          setChosen(!open);
        }}
      >
        <ChevronRight className="size-4 transition-transform group-open:rotate-90" aria-hidden />
        Thoughts
      </summary>
      <p className="mt-2 ml-2 border-l border-line pl-4 wrap-anywhere whitespace-pre-wrap text-muted">
        {text}
      </p>
    </details>
  );
}
