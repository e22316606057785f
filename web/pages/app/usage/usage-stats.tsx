import type { UsageReport } from "../../../../src/core/usage/usage-views.js";
import { Stat, StatRow } from "../../../components/figures/stat.tsx";
import { formatCount, formatMs, unbroken } from "../../../units.ts";

type Totals = UsageReport["totals"];

/** All requests, including refused ones. */
export const askedFor = (counts: Pick<Totals, "requests" | "rateLimited" | "unavailable">): number =>
  counts.requests + refused(counts);

export const refused = ({ rateLimited, unavailable }: Pick<Totals, "rateLimited" | "unavailable">): number =>
  rateLimited + unavailable;

/** The totals of a period as tiles; undefined while they load. */
export function UsageStats({ totals }: { totals: Totals | undefined }) {
  return (
    <StatRow>
      <Stat
        label="Requests"
        value={totals && formatCount(totals.requests)}
        hint={totals && refusedText(totals)}
      />
      <Stat
        label="Tokens"
        value={totals && formatCount(totals.promptTokens + totals.completionTokens)}
        hint={
          totals &&
          `${unbroken(`${formatCount(totals.promptTokens)} in`)}, ${unbroken(`${formatCount(totals.completionTokens)} out`)}`
        }
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
            ? "no replies yet"
            : `median; p95 ${formatMs(totals.firstTokenMsP95)}`)
        }
      />
    </StatRow>
  );
}

function refusedText({ rateLimited, unavailable }: Totals): string {
  const parts = [
    rateLimited === 0 ? [] : unbroken(`${formatCount(rateLimited)} rate-limited`),
    unavailable === 0 ? [] : unbroken(`${formatCount(unavailable)} unavailable`),
  ].flat();
  return parts.length === 0 ? "none refused" : parts.join(", ");
}

export function errorShare(errors: number, requests: number): string {
  if (requests === 0) return "no requests yet";
  const share = errors / requests;
  return `${share.toLocaleString(undefined, { style: "percent", maximumFractionDigits: 1 })} of requests`;
}
