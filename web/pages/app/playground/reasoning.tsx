import { ChevronRight } from "lucide-react";
import { useState } from "react";

interface ReasoningProps {
  text: string;
  /** Nothing else has arrived yet: it is shown expanded. */
  alone: boolean;
}

/** A model's reasoning. Collapsed once the reply begins, unless the reader chose otherwise. */
export function Reasoning({ text, alone }: ReasoningProps) {
  const [chosen, setChosen] = useState<boolean | null>(null);
  const open = chosen ?? alone;
  return (
    <details open={open} className="group text-sm">
      <summary
        className="inline-flex items-center gap-1 rounded-sm text-muted hover:text-ink [&::-webkit-details-marker]:hidden"
        onClick={(event) => {
          // Controlled by state, not by the browser.
          event.preventDefault();
          setChosen(!open);
        }}
      >
        <ChevronRight className="size-4 transition-transform group-open:rotate-90" aria-hidden />
        Reasoning
      </summary>
      <p
        dir="auto"
        className="mt-2 ml-2 border-l border-line pl-4 wrap-anywhere whitespace-pre-wrap text-muted"
      >
        {text}
      </p>
    </details>
  );
}
