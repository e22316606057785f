import type { EngineView } from "../../../src/protocol/dashboard/engines.js";
import { Badge, type Tone } from "../../components/states/badge.tsx";
import { Callout } from "../../components/states/callout.tsx";
import { Card } from "../../components/frame/card.tsx";
import { FactList, type Fact } from "../../components/figures/fact-list.tsx";
import { Meter } from "../../components/figures/meter.tsx";
import { ModelName } from "../../components/models/model-name.tsx";
import { formatBytes, formatCount, formatMs, formatRate, plural } from "../../units.ts";
import { answering, EngineMembers, whyOf } from "./engine-members.tsx";

/** One engine, or a pool: the models it serves, its state, its load, and the numbers an operator watches. */
export function EngineCard({ engine }: { engine: EngineView }) {
  const { tone, word } = stateOf(engine);
  return (
    <Card
      title={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {engine.models.map((model) => (
            <ModelName key={model} model={model} />
          ))}
        </span>
      }
      actions={
        <Badge tone={tone} dot>
          {word}
        </Badge>
      }
      description={<span className="wrap-anywhere">{servingOf(engine)}</span>}
    >
      <Meter label="Running" used={engine.active} limit={engine.capacity} />
      <FactList facts={factsOf(engine)} className="mt-5" />
      {engine.problem !== null && engine.members.length < 2 && (
        <Callout
          tone="warn"
          className="mt-5"
          title={engine.state === "ready" ? "Reason for the last restart" : "Why it is not available"}
        >
          <p className="wrap-anywhere">{engine.problem}</p>
        </Callout>
      )}
      {engine.compute?.failures.map(({ backend, reason, advice }) => (
        <Callout key={`${backend} ${reason}`} tone="warn" className="mt-5" title="GPU not used">
          <p className="wrap-anywhere">{reason}</p>
          <p className="mt-1 wrap-anywhere text-muted">{advice}</p>
        </Callout>
      ))}
      {engine.members.length > 1 && <EngineMembers members={engine.members} />}
    </Card>
  );
}

/** A pool is ready as long as one of its engines is; the operator still has to see that others are not. */
function stateOf({ state, members }: EngineView): { tone: Tone; word: string } {
  const { up, of } = answering(members);
  if (state !== "ready" || up === of) return states[state];
  return { tone: "warn", word: up === 0 ? "Failing" : "Partially available" };
}

/** The name of a single engine, or how many engines of a pool are available. */
function servingOf({ serving, members }: EngineView): string {
  const [first] = members;
  if (first === undefined) return serving;
  if (members.length === 1) return [first.serving, whyOf(first) ?? []].flat().join(". ");
  const { up, of } = answering(members);
  return `${formatCount(up)} of ${plural(of, "engine")} available`;
}

function factsOf(engine: EngineView): Fact[] {
  const isElsewhere = engine.members.length > 0;
  return [
    ["Waiting", formatCount(engine.waiting)],
    ["Median wait", engine.queueWaitMsP50 === null ? "–" : formatMs(engine.queueWaitMsP50)],
    ["Tokens per second", formatRate(engine.tokensPerSecond)],
    ["Context", contextOf(engine)],
    [isElsewhere ? "Outages" : "Restarts", formatCount(engine.restarts)],
    ...(engine.compute === null
      ? []
      : [["Runs on", backendNames[engine.compute.backend]] satisfies [string, string]]),
    ...(engine.memoryBytes === null
      ? []
      : [["Memory", formatBytes(engine.memoryBytes)] satisfies [string, string]]),
  ];
}

/** An engine on the network may not report it; then the operator has to set it. */
function contextOf({ state, contextTokens }: EngineView): string {
  if (contextTokens > 0) return `${formatCount(contextTokens)} tokens`;
  return state === "ready" ? "Unknown: set contextTokens" : "–";
}

const backendNames = { cuda: "CUDA", vulkan: "Vulkan", metal: "Metal", cpu: "CPU" };

export const states: Record<EngineView["state"], { tone: Tone; word: string }> = {
  starting: { tone: "warn", word: "Starting" },
  ready: { tone: "good", word: "Ready" },
  asleep: { tone: "neutral", word: "Asleep" },
  waking: { tone: "warn", word: "Loading" },
  down: { tone: "bad", word: "Down" },
  off: { tone: "neutral", word: "Off" },
};
