/** What a team may be called, and which domain it may open itself to. */
import { longest } from "../bounds.js";
import { DashboardError } from "../dashboard-error.js";
import type { Account } from "../entities.js";

/** Control characters and bidirectional overrides could make a name look like another. */
export function checkTeamName(text: string): string {
  const name = text.trim();
  const isPlain = !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(name);
  if (name.length >= 1 && name.length <= longest.teamName && isPlain) return name;
  throw new DashboardError(
    "bad_request",
    `A team's name must have 1 to ${longest.teamName} characters and no control characters.`,
    { field: "name" },
  );
}

/** In lowercase; null where the address has not been verified. */
export function verifiedDomainOf({ email, emailVerifiedAt }: Account): string | null {
  return emailVerifiedAt === null ? null : (email.split("@").at(-1)?.toLowerCase() ?? null);
}
