/** A draft model belongs to the weights beside it: what replaces them runs without it. */
interface WithoutDraftProps {
  /** Of what serves the model now. */
  draft: string | null;
  /** What would replace it: "The engine". */
  what: string;
  /** How to have one all the same. */
  advice?: string;
  className?: string;
}

export function WithoutDraft({ draft, what, advice = "", className = "mb-4" }: WithoutDraftProps) {
  if (draft === null) return null;
  return (
    <p className={`text-sm wrap-anywhere text-muted ${className}`}>
      {what} runs without the draft model {draft}. {advice}
    </p>
  );
}
