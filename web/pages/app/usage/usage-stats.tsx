import type { UsageReport } from "../../../../src/protocol/dashboard.js";
import { Stat, StatRow } from "../../../components/stat.tsx";
import { formatCount, formatMs } from "../../../units.ts";

/** The totals of a period as tiles; undefined while they load. */
export function UsageStats({ totals }: { totals: UsageReport["totals"] | undefined }) {
  return (
    <StatRow>
      <Stat label="Requests" value={totals && formatCount(totals.requests)} />
      <Stat
        label="Tokens"
        value={totals && formatCount(totals.promptTokens + totals.completionTokens)}
        hint={totals && `${formatCount(totals.promptTokens)} in, ${formatCount(totals.completionTokens)} out`}
      />
      <Stat
        label="Errors"
        value={totals && formatCount(totals.errors)}
        hint={totals && errorShare(totals.errors, totals.requests)}
      />
      <Stat
        label="Time to first token"
        value={totals && (totals.firstTokenMsP50 === null ? "–" : formatMs(totals.firstTokenMsP50))}
        hint={
          totals &&
          (totals.firstTokenMsP95 === null
            ? "no reply yet"
            : `95 % within ${formatMs(totals.firstTokenMsP95)}`)
        }
      />
    </StatRow>
  );
}

function errorShare(errors: number, requests: number): string {
  if (requests === 0) return "no request yet";
  const share = errors / requests;
  return `${share.toLocaleString(undefined, { style: "percent", maximumFractionDigits: 1 })} of requests`;
}
