/** The state of a model or a part of the service, in the words of the status page. */
import type { ModelState } from "../../../src/core/admin/service-views.js";
import { Badge, type Tone } from "./badge.tsx";

export function StateBadge({ state }: { state: ModelState }) {
  const { tone, word } = states[state];
  return (
    <Badge tone={tone} dot>
      {word}
    </Badge>
  );
}

const states: Record<ModelState, { tone: Tone; word: string }> = {
  up: { tone: "good", word: "Operational" },
  degraded: { tone: "warn", word: "Degraded" },
  maintenance: { tone: "warn", word: "Maintenance" },
  down: { tone: "bad", word: "Down" },
};
