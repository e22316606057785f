import type { EngineView, EngineMemberView } from "../../../src/protocol/dashboard/engines.js";
import { FactList, type Fact } from "../../components/figures/fact-list.tsx";
import { Meter } from "../../components/figures/meter.tsx";
import { Card } from "../../components/frame/card.tsx";
import { ModelName } from "../../components/models/model-name.tsx";
import { Badge, type Tone } from "../../components/states/badge.tsx";
import { Callout } from "../../components/states/callout.tsx";
import { formatBytes, formatCount, formatMs, formatRate, plural } from "../../units.ts";

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

/** The engines of a pool, each with its state and, if it is not available, why. */
function EngineMembers({ members }: { members: readonly EngineMemberView[] }) {
  // Two on one host differ only in their address.
  const nameOf = ({ id, serving }: EngineMemberView) =>
    members.filter((other) => other.serving === serving).length > 1 ? id : serving;
  return (
    <ul aria-label="Engines" className="mt-5 divide-y divide-line border-t border-line text-sm">
      {members.map((member) => {
        const { tone, word, why } = looks[lookOf(member)];
        return (
          <li key={member.id} className="flex items-start justify-between gap-4 py-3 last:pb-0">
            <div className="min-w-0">
              <p className="font-medium wrap-anywhere">{nameOf(member)}</p>
              <p className="text-muted tabular-nums">
                {formatCount(member.active)} running
                {member.weight !== 1 && `, weight ${formatCount(member.weight)}`}
                {why !== undefined && `. ${member.problem ?? why}`}
              </p>
            </div>
            <Badge tone={tone} dot>
              {word}
            </Badge>
          </li>
        );
      })}
    </ul>
  );
}

/** How many members of the pool are available and receive requests. */
function answering(members: readonly EngineMemberView[]): { up: number; of: number } {
  const own = members.filter(({ note }) => note !== "leaving");
  const answers = (member: EngineMemberView) => ["ready", "asleep", "waking"].includes(lookOf(member));
  return { up: own.filter(answers).length, of: own.length };
}

/** Unreachable takes precedence over the outcome of recent requests. */
function lookOf({ state, note }: EngineMemberView): keyof typeof looks {
  if (note === "leaving") return note;
  return state === "ready" && note === "left out" ? note : state;
}

/** Why it is not available, as a sentence; undefined if it is. */
const whyOf = (member: EngineMemberView): string | undefined => looks[lookOf(member)].why;

const looks: Record<
  EngineMemberView["state"] | "left out" | "leaving",
  { tone: Tone; word: string; why?: string }
> = {
  ready: { tone: "good", word: "Ready" },
  asleep: { tone: "neutral", word: "Asleep" },
  waking: { tone: "warn", word: "Loading" },
  starting: { tone: "warn", word: "Starting", why: "It has not answered yet." },
  down: { tone: "bad", word: "Down", why: "It is unreachable." },
  off: { tone: "neutral", word: "Off", why: "It is switched off." },
  "left out": {
    tone: "warn",
    word: "Unhealthy",
    why: "Recent requests failed; it is retried with one request at a time.",
  },
  leaving: { tone: "neutral", word: "Draining", why: "It was removed and finishes its running requests." },
};
