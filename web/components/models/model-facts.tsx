/** Facts that help to choose a model, and a note while the starter serves it. */
import type { ModelFacts } from "../../../src/protocol/dashboard/api.js";
import { cx } from "../../cx.ts";
import { formatCount, formatDecimal } from "../../units.ts";
import { Callout } from "../states/callout.tsx";

/** Unknown facts are omitted. */
export function ModelFactList({ facts, className }: { facts: ModelFacts; className?: string }) {
  return (
    <dl className={cx("grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-sm", className)}>
      {factsOf(facts).map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="text-right wrap-anywhere tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The same on one line, for small spaces. */
export function modelFactLine(facts: ModelFacts): string {
  return factsOf(facts)
    .map(([name, value]) => (name === "Context" ? `${value} of context` : value))
    .join(" · ");
}

function factsOf({ contextTokens, vision, weights }: ModelFacts): [name: string, value: string][] {
  const speed = weights?.tokensPerSecond ?? null;
  const all: [string, string | null][] = [
    ["Context", contextTokens === null ? null : `${formatCount(contextTokens)} tokens`],
    ["Speed", speed === null ? null : `${formatDecimal(speed)} tokens/s`],
    ["Input", vision ? "Text and images" : null],
    ["Weights", weights?.title ?? null],
    ["Licence", weights?.licence ?? null],
  ];
  return all.flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
}

/** Renders nothing unless the starter that chats serves one of these models. */
export function StarterNote({
  models,
  className = "",
}: {
  models: readonly ModelFacts[];
  className?: string;
}) {
  const started = models.filter(({ weights }) => weights?.isStarter === true);
  if (started.length === 0) return null;
  const names = new Intl.ListFormat("en-GB").format(started.map(({ id }) => id));
  return (
    <Callout tone="warn" title="Demonstration model" className={className}>
      The model behind {names} is the small starter model that comes with Sotto. It answers simple questions
      in English and makes mistakes. It is weak at multi-step reasoning, other languages, long texts and
      role-play.
    </Callout>
  );
}
