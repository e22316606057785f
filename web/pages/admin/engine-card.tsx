import type { EngineMemberView, EngineView } from "../../../src/protocol/dashboard.js";
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
      {engine.members.length > 0 && <Members members={engine.members} />}
    </Card>
  );
}

/** The engines of a pool, each with its state. */
function Members({ members }: { members: EngineMemberView[] }) {
  return (
    <ul className="mt-5 flex flex-col gap-2 border-t border-line pt-4 text-sm">
      {members.map((member) => {
        const { tone, word } = states[member.state];
        return (
          <li key={member.id} className="flex items-baseline justify-between gap-4">
            <span className="min-w-0 wrap-anywhere">{member.id}</span>
            <span className="flex shrink-0 items-baseline gap-3">
              <span className="text-muted tabular-nums">{formatCount(member.active)} running</span>
              <Badge tone={member.note === "" ? tone : "warn"} dot>
                {member.note === "" ? word : noteWords[member.note]}
              </Badge>
            </span>
          </li>
        );
      })}
    </ul>
  );
}

const noteWords = { "left out": "Left out", leaving: "Leaving" };

function factsOf(engine: EngineView): [name: string, value: string][] {
  return [
    ["Waiting", formatCount(engine.waiting)],
    ["Median wait", engine.queueWaitMsP50 === null ? "–" : formatMs(engine.queueWaitMsP50)],
    ["Tokens a second", formatCount(engine.tokensPerSecond)],
    ["Memory", engine.memoryBytes === null ? "–" : formatBytes(engine.memoryBytes)],
    ["Context", engine.contextTokens === 0 ? "–" : `${formatCount(engine.contextTokens)} tokens`],
    ["Restarts", formatCount(engine.restarts)],
  ];
}

const states: Record<EngineView["state"], { tone: Tone; word: string }> = {
  starting: { tone: "warn", word: "Starting" },
  ready: { tone: "good", word: "Ready" },
  down: { tone: "bad", word: "Down" },
};
