import { useQuery } from "@tanstack/react-query";
import type { ModelSuggestion } from "../../../src/protocol/dashboard/engines.js";
import { Callout } from "../../components/states/callout.tsx";
import { CodeBlock } from "../../components/text/code-block.tsx";
import { queries } from "../../service/queries.ts";
import { formatCount, formatRate, formatSize } from "../../units.ts";
import { DownloadAndUse } from "./models/download-and-use.tsx";

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
