import type { EngineView } from "../../../src/protocol/dashboard.js";
import { Badge, type Tone } from "../../components/badge.tsx";
import { Card } from "../../components/card.tsx";
import { Meter } from "../../components/meter.tsx";
import { ModelName } from "../../components/model-name.tsx";
import { formatBytes, formatCount, formatMs } from "../../units.ts";

/** One model: its state, how full it is, and the numbers an operator looks at. */
export function EngineCard({ engine }: { engine: EngineView }) {
  const { tone, word } = states[engine.state];
  return (
    <Card
      title={
        <span className="flex items-center gap-3">
          <ModelName model={engine.model} />
          <Badge tone={tone} dot>
            {word}
          </Badge>
        </span>
      }
      description={<span className="wrap-anywhere">{engine.serving}</span>}
    >
      <Meter label="Running" used={engine.active} limit={engine.capacity} />
      <dl className="mt-5 grid grid-cols-2 gap-x-6 gap-y-4 text-sm">
        {factsOf(engine).map(([name, value]) => (
          <div key={name}>
            <dt className="text-muted">{name}</dt>
            <dd className="font-medium tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

function factsOf(engine: EngineView): [name: string, value: string][] {
  return [
    ["Waiting", formatCount(engine.waiting)],
    ["Median wait", engine.queueWaitMsP50 === null ? "–" : formatMs(engine.queueWaitMsP50)],
    ["Tokens a second", formatCount(engine.tokensPerSecond)],
    ["Memory", engine.memoryBytes === null ? "–" : formatBytes(engine.memoryBytes)],
    ["Context", `${formatCount(engine.contextTokens)} tokens`],
    ["Restarts", formatCount(engine.restarts)],
  ];
}

const states: Record<EngineView["state"], { tone: Tone; word: string }> = {
  starting: { tone: "warn", word: "Starting" },
  ready: { tone: "good", word: "Ready" },
  down: { tone: "bad", word: "Down" },
};
