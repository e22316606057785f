import { RefreshCw, Square } from "lucide-react";
import { Fragment, memo, useId, useState } from "react";
import { Button, IconButton } from "../../../components/controls/button.tsx";
import { CopyButton } from "../../../components/controls/copy-button.tsx";
import { ModelMark } from "../../../components/models/model-name.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { Markdown } from "../../../components/text/markdown.tsx";
import { Summary } from "../../../components/text/summary.tsx";
import { Calls } from "./calls.tsx";
import { awaitsResults, isRunning, type CallResult, type ReplyTurn } from "./conversation.ts";
import { isEmpty } from "./reply-content.ts";
import { factsOf } from "./reply-facts.ts";
import { RetryLater } from "./retry-later.tsx";

interface ReplyProps {
  turn: ReplyTurn;
  last: boolean;
  /** Nothing can be sent. */
  blocked: boolean;
  /** When several replies are streamed at once, each has its own stop button. */
  onStop?: () => void;
  onRegenerate: () => void;
  onAnswer: (results: readonly CallResult[]) => void;
}

/** A model's turn: reasoning, text and calls as they arrive, then token counts and times. */
export function Reply({ turn, last, blocked, onStop, onRegenerate, onAnswer }: ReplyProps) {
  const heading = useId();
  const running = isRunning(turn);
  const empty = isEmpty(turn);
  const silent = turn.text === "" && turn.calls.length === 0;
  return (
    <article aria-labelledby={heading} aria-busy={running} className="flex gap-3 sm:gap-4">
      {/* Those in its text are below it, and whoever moves by headings gets from reply to reply. */}
      <h2 id={heading} className="sr-only">
        Reply from {turn.model}
      </h2>
      <span className="flex size-8 shrink-0 items-center justify-center rounded-full border border-line text-accent">
        <ModelMark model={turn.model} className="size-4" />
      </span>
      <div className="flex min-w-0 flex-1 flex-col gap-4 pt-1">
        {empty && running && <p className="animate-breathe text-muted">Waiting for {turn.model}…</p>}
        {turn.reasoning !== "" && <Reasoning text={turn.reasoning} alone={silent} />}
        {turn.text !== "" && <ReplyText text={turn.text} />}
        {turn.calls.length > 0 && (
          <Calls
            calls={turn.calls}
            blocked={blocked}
            onAnswer={last && awaitsResults(turn) ? onAnswer : null}
          />
        )}
        {running && onStop !== undefined && (
          <Button
            size="sm"
            className="self-start"
            icon={<Square className="fill-current" />}
            onClick={onStop}
          >
            Stop {turn.model}
          </Button>
        )}
        {turn.failure !== null && turn.retry !== null && (
          <RetryLater
            {...turn.retry}
            message={turn.failure}
            blocked={blocked}
            onRetry={last ? onRegenerate : null}
          />
        )}
        {turn.failure !== null && turn.retry === null && (
          <Callout tone="bad" title="The reply failed">
            {turn.failure}
          </Callout>
        )}
        {!running && (
          <div className="-mt-2 flex flex-wrap items-center gap-x-2 text-sm text-muted">
            <span className="-ml-2 flex">
              {turn.text !== "" && <CopyButton text={turn.text} label="Copy reply" />}
              {last && turn.retry === null && (
                <IconButton label="Regenerate" size="sm" disabled={blocked} onClick={onRegenerate}>
                  <RefreshCw />
                </IconButton>
              )}
            </span>
            <span className="tabular-nums">
              {factsOf(turn).map((fact, place) => (
                <Fragment key={fact}>
                  {place > 0 && " · "}
                  <span className="whitespace-nowrap">{fact}</span>
                </Fragment>
              ))}
            </span>
          </div>
        )}
      </div>
    </article>
  );
}

/** Parsed again only when its text changed: other replies are left alone while one streams. */
const ReplyText = memo(function ReplyText({ text }: { text: string }) {
  return <Markdown>{text}</Markdown>;
});

interface ReasoningProps {
  text: string;
  /** Nothing else has arrived yet: it is shown expanded. */
  alone: boolean;
}

/** A model's reasoning. Collapsed once the reply begins, unless the reader chose otherwise. */
function Reasoning({ text, alone }: ReasoningProps) {
  const [chosen, setChosen] = useState<boolean | null>(null);
  const open = chosen ?? alone;
  return (
    <details open={open} className="group text-sm">
      <Summary
        onClick={(event) => {
          // Controlled by state, not by the browser.
          event.preventDefault();
          setChosen(!open);
        }}
      >
        Reasoning
      </Summary>
      <p
        dir="auto"
        className="mt-2 ml-2 border-l border-line pl-4 wrap-anywhere whitespace-pre-wrap text-muted"
      >
        {text}
      </p>
    </details>
  );
}
