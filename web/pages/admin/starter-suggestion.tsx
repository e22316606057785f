import { useQuery } from "@tanstack/react-query";
import type { PullView } from "../../../src/core/model-views.js";
import type { ModelId } from "../../../src/core/models.js";
import type { ModelSuggestion } from "../../../src/protocol/dashboard/engines.js";
import { Button } from "../../components/controls/button.tsx";
import { Callout } from "../../components/states/callout.tsx";
import { Spinner } from "../../components/states/spinner.tsx";
import { ArrowLink } from "../../components/text/arrow-link.tsx";
import { CodeBlock } from "../../components/text/code-block.tsx";
import { useChange } from "../../hooks/use-change.ts";
import { api } from "../../service/api.ts";
import { queries } from "../../service/queries.ts";
import { formatCount, formatRate, formatSize } from "../../units.ts";

/** While the starter is in use: the best model for this machine, and how to get it. */
export function StarterSuggestion() {
  const suggestion = useQuery(queries.admin.suggestion).data?.suggestion ?? null;
  if (suggestion === null) return null;
  return (
    <Callout tone="warn" title="The starter is a demonstration model" className="mb-6">
      <SuggestionText suggestion={suggestion} />
    </Callout>
  );
}

/** What to use instead, with a button that gets it and the command that does the same. */
export function SuggestionText({ suggestion }: { suggestion: ModelSuggestion }) {
  const { best, command, model } = suggestion;
  return (
    <>
      <p className="max-w-prose">{best === null ? noneFits : wordsOf(best)}</p>
      {best !== null && <DownloadAndUse id={best.id} title={best.title} model={model} className="mt-3" />}
      <CodeBlock code={command} language="bash" className="mt-3 max-w-xl" />
    </>
  );
}

const noneFits = "This machine has too little memory for the models of the catalogue:";

function wordsOf(best: NonNullable<ModelSuggestion["best"]>): string {
  const facts = [
    formatSize(best.bytes),
    `${formatCount(best.contextTokens)} tokens of context`,
    ...(best.tokensPerSecond === null ? [] : [`about ${formatRate(best.tokensPerSecond)} tokens a second`]),
  ].join(", ");
  return best.isSlow
    ? `No model of the catalogue reaches 8 tokens a second on this machine. The fastest is ${best.title} (${facts}).`
    : `The best model for this machine is ${best.title} (${facts}). ${best.goodFor}`;
}

/** Gets a model of the catalogue and switches one of ours over to it; while that runs, how far it is. */
interface DownloadAndUseProps {
  /** Of the catalogue. */
  id: string;
  title: string;
  model: ModelId;
  className?: string;
}

function DownloadAndUse({ id, title, model, className = "" }: DownloadAndUseProps) {
  const { data } = useQuery(queries.admin.models);
  const pull = data?.pulls.find(({ reference, state }) => reference === id && state !== "failed");
  const change = data?.models.find((one) => one.model === model)?.change ?? null;
  const start = useChange(() => api.admin.pull({ reference: id, model, use: true }), {
    done: `Downloading ${title}; ${model} switches over to it afterwards`,
    reads: [["admin"]],
    toastsErrors: true,
  });
  if (pull !== undefined || change?.state === "switching") {
    return (
      <p role="status" className={`flex flex-wrap items-center gap-x-2.5 gap-y-1 ${className}`}>
        {pull?.state !== "paused" && <Spinner />}
        <span>
          {pull === undefined || pull.state === "done" ? `Loading ${title}` : progressOf(pull, title)}
        </span>
        <ArrowLink href="/admin/models">Models</ArrowLink>
      </p>
    );
  }
  return (
    <Button
      variant="primary"
      size="sm"
      className={className}
      pending={start.isPending}
      onClick={() => start.mutate()}
    >
      Download and use for {model}
      <span className="sr-only">: {title}</span>
    </Button>
  );
}

function progressOf({ state, doneBytes, totalBytes }: PullView, title: string): string {
  if (state === "paused") return `The download of ${title} is paused`;
  const share = totalBytes === null || totalBytes === 0 ? null : doneBytes / totalBytes;
  return share === null
    ? `Downloading ${title}`
    : `Downloading ${title}: ${share.toLocaleString("en-GB", { style: "percent" })}`;
}
