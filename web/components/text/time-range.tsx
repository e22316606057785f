import { MomentText } from "./moment-text.tsx";
import { momentFormat, rangePieces } from "./moments.ts";

/** From one moment to another in the reader's zone and language, saying the day once when it is the same. */
export function TimeRange({ from, to }: { from: string; to: string }) {
  return (
    <span>
      <MomentText pieces={rangePieces(momentFormat, new Date(from), new Date(to))} />
    </span>
  );
}
