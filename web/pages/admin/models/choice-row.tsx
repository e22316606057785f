/**
 * One of the weights to choose from: what it is, what it gets on this machine, and the context if it should be
 * another.
 */
import { useId, useState, type ReactNode } from "react";
import type { ContextHere } from "../../../../src/core/model-views.js";
import { Button } from "../../../components/controls/button.tsx";
import { Slider } from "../../../components/controls/slider.tsx";
import { formatCount, formatSize, plural } from "../../../units.ts";

interface ChoiceRowProps {
  title: ReactNode;
  badges: ReactNode;
  facts: string;
  note?: string;
  /** Null where nothing is to be chosen. */
  context: {
    here: ContextHere;
    trained: number | null;
    choices: readonly ContextHere[];
    chosen?: number | null;
  } | null;
  /** Null for what serves the model already: then only another context can be applied. */
  action: string | null;
  /** What the action is about, for screen readers. */
  subject: string;
  pending: boolean;
  onChoose: (contextTokens: number | undefined) => void;
}

export function ChoiceRow({
  title,
  badges,
  facts,
  note,
  context,
  action,
  subject,
  pending,
  onChoose,
}: ChoiceRowProps) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const chosenBefore = context?.chosen ?? null;
  const [tokens, setTokens] = useState<number | null>(chosenBefore);
  const apply = action ?? (tokens === chosenBefore ? null : "Apply");
  return (
    <li className="py-3.5 first:pt-0">
      <div className="flex items-start justify-between gap-4">
        <div className="min-w-0">
          <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
            {title}
            {badges}
          </p>
          <p className="mt-1 text-sm wrap-anywhere text-muted">{facts}</p>
          {note !== undefined && <p className="mt-1 text-sm">{note}</p>}
        </div>
        {apply !== null && (
          <Button
            size="sm"
            className="shrink-0"
            pending={pending}
            onClick={() => onChoose(tokens ?? undefined)}
          >
            {apply}
            <span className="sr-only"> {subject}</span>
          </Button>
        )}
      </div>
      {context !== null && (
        <div className="mt-1.5 text-sm">
          <p className="flex flex-wrap items-center gap-x-3">
            <span>Context you get here: {contextText(shownContext(context, tokens), context.trained)}</span>
            {context.choices.length > 1 && (
              <Button
                size="sm"
                variant="quiet"
                className="-my-1"
                aria-expanded={isOpen}
                aria-controls={id}
                onClick={() => setOpen(!isOpen)}
              >
                Adjust<span className="sr-only"> the context of {subject}</span>
              </Button>
            )}
          </p>
          {isOpen && (
            <div id={id} className="mt-2 max-w-md">
              <ContextSlider context={context} tokens={tokens} onChange={setTokens} />
            </div>
          )}
        </div>
      )}
    </li>
  );
}

type Context = NonNullable<ChoiceRowProps["context"]>;

/** Longer contexts take memory from concurrent requests: both are shown as the slider moves. */
function ContextSlider({
  context,
  tokens,
  onChange,
}: {
  context: Context;
  tokens: number | null;
  onChange: (tokens: number | null) => void;
}) {
  const { here, choices } = context;
  const indexOf = (count: number) =>
    Math.max(
      0,
      choices.findLastIndex((one) => one.contextTokens <= count),
    );
  const { sequences, cacheType, memoryBytes } = shownContext(context, tokens);
  const cache = cacheType === "f16" ? "" : `, KV cache ${cacheType}`;
  return (
    <Slider
      label="Context"
      value={tokens === null ? null : indexOf(tokens)}
      fallback={indexOf(here.contextTokens)}
      fallbackText={`${formatCount(here.contextTokens)} tokens`}
      textOf={(index) => `${formatCount(choices[index]?.contextTokens ?? 0)} tokens`}
      min={0}
      max={choices.length - 1}
      step={1}
      onChange={(index) => onChange(index === null ? null : (choices[index]?.contextTokens ?? null))}
      hint={`Costs ${formatSize(memoryBytes)} of memory, with ${plural(sequences, "request")} at a time${cache}.`}
    />
  );
}

const shownContext = ({ here, choices }: Context, tokens: number | null): ContextHere =>
  (tokens === null ? undefined : choices.find((one) => one.contextTokens === tokens)) ?? here;

const contextText = (
  { contextTokens, sequences, memoryBytes }: ContextHere,
  trained: number | null,
): string =>
  [
    `${formatCount(contextTokens)} tokens${trained === null || trained <= contextTokens ? "" : ` of ${formatCount(trained)}`}`,
    `${plural(sequences, "request")} at a time`,
    `${formatSize(memoryBytes)} of memory`,
  ].join(", ");
