/** The engines of a pool, each with its state and, if it is not available, why. */
import type { EngineMemberView } from "../../../src/protocol/dashboard/engines.js";
import { Badge, type Tone } from "../../components/states/badge.tsx";
import { formatCount } from "../../units.ts";

export function EngineMembers({ members }: { members: readonly EngineMemberView[] }) {
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
export function answering(members: readonly EngineMemberView[]): { up: number; of: number } {
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
export const whyOf = (member: EngineMemberView): string | undefined => looks[lookOf(member)].why;

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
