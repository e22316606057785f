import { Badge, type Tone } from "../../../components/states/badge.tsx";

type Fits = "yes" | "tight" | "no";

/** Whether it fits into the memory that is free now. */
export function FitBadge({ fits }: { fits: Fits }) {
  const { tone, words } = looks[fits];
  return <Badge tone={tone}>{words}</Badge>;
}

const looks: Record<Fits, { tone: Tone; words: string }> = {
  yes: { tone: "good", words: "Fits" },
  tight: { tone: "warn", words: "Fits with short conversations" },
  no: { tone: "bad", words: "Not enough free memory" },
};
