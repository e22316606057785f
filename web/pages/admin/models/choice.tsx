/** What the tabs of the dialog share: one choice is applied, and may fail. */
import { Badge, type Tone } from "../../../components/states/badge.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { formError } from "../../../form-errors.ts";
import { useChange } from "../../../hooks/use-change.ts";

export type Choice = ReturnType<typeof useChoice>;

/** Applies one choice: confirms and closes, or keeps the error for its form. */
export function useChoice(onClose: () => void) {
  return useChange(({ work }: { work: () => Promise<unknown>; id: string; done: string }) => work(), {
    done: (_, { done }) => done,
    onDone: onClose,
    reads: [["admin"]],
  });
}

/** For choices without a field to show the error at. */
export function ChoiceFailure({ choose }: { choose: Choice }) {
  const failure = formError(choose.error, []);
  if (failure === undefined) return null;
  return (
    <Callout tone="bad" className="mb-4">
      <span className="wrap-anywhere">{failure}</span>
    </Callout>
  );
}

type Fits = "yes" | "tight" | "no";

/** Whether it fits into the memory that is free now. */
export function FitBadge({ fits }: { fits: Fits }) {
  const { tone, words } = looks[fits];
  return <Badge tone={tone}>{words}</Badge>;
}

const looks: Record<Fits, { tone: Tone; words: string }> = {
  yes: { tone: "good", words: "Fits" },
  tight: { tone: "warn", words: "Fits with short conversations" },
  no: { tone: "bad", words: "Not enough free memory" },
};

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
