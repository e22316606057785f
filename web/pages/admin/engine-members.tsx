/** The engines of a pool, each with its state and, where it is not at work, why. */
import type { EngineMemberView } from "../../../src/protocol/dashboard-api.js";
import { Badge, type Tone } from "../../components/states/badge.tsx";
import { formatCount } from "../../units.ts";

export function EngineMembers({ members }: { members: readonly EngineMemberView[] }) {
  // Two on one host differ in their addresses only.
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

/** How many of those that belong to the pool are given work and answer it. */
export function answering(members: readonly EngineMemberView[]): { up: number; of: number } {
  const own = members.filter(({ note }) => note !== "leaving");
  const answers = (member: EngineMemberView) => ["ready", "asleep", "waking"].includes(lookOf(member));
  return { up: own.filter(answers).length, of: own.length };
}

/** One that is away says so, whatever its latest requests came to. */
function lookOf({ state, note }: EngineMemberView): keyof typeof looks {
  if (note === "leaving") return note;
  return state === "ready" && note === "left out" ? note : state;
}

/** Why it is not at work, as a sentence; undefined for one that is. */
export const whyOf = (member: EngineMemberView): string | undefined => looks[lookOf(member)].why;

const looks: Record<
  EngineMemberView["state"] | "left out" | "leaving",
  { tone: Tone; word: string; why?: string }
> = {
  ready: { tone: "good", word: "Ready" },
  asleep: { tone: "neutral", word: "Asleep" },
  waking: { tone: "warn", word: "Loading" },
  starting: { tone: "warn", word: "Starting", why: "It has not answered yet." },
  down: { tone: "bad", word: "Down", why: "It does not answer." },
  "left out": {
    tone: "warn",
    word: "Left out",
    why: "Requests to it failed, so it only gets one at a time to try.",
  },
  leaving: { tone: "neutral", word: "Leaving", why: "It is off the list and ends what it has." },
};
