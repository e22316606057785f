/** What a team may be called, which domain it may open itself to, and what it may ask of its members. */
import { longest, mostNetworks } from "../bounds.js";
import { invalid } from "../dashboard-error.js";
import type { Account } from "../entities.js";
import { howToWriteNetworks, parseNetworks } from "../networks.js";
import type { Team, TeamChange } from "./ports.js";

export interface TeamSecurity {
  /** Networks that its keys and pages may be used from, as people write them; null or none for any. */
  allowFrom: readonly string[] | null;
  /** How long members have to add a second factor; null where they need none. */
  secondFactorDays: number | null;
}

/** Control characters and bidirectional overrides could make a name look like another. */
export function checkTeamName(text: string): string {
  const name = text.trim();
  const isPlain = !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(name);
  if (name.length >= 1 && name.length <= longest.teamName && isPlain) return name;
  throw invalid(
    "name",
    `A team's name must have 1 to ${longest.teamName} characters and no control characters.`,
  );
}

/** Another time of grace for a second factor counts from when it was first required. */
export function securityChange(
  { secondFactor }: Team,
  { allowFrom, secondFactorDays }: TeamSecurity,
  now: Date,
): Required<Pick<TeamChange, "allowFrom" | "secondFactor">> {
  const networks = parseNetworks(allowFrom ?? []);
  if (networks === null || networks.length > mostNetworks) throw invalid("allowFrom", howToWriteNetworks);
  const since = secondFactor?.since ?? now;
  return {
    allowFrom: networks.length === 0 ? null : networks,
    secondFactor: secondFactorDays === null ? null : { graceDays: secondFactorDays, since },
  };
}

/** In lowercase; null where the address has not been verified. */
export function verifiedDomainOf({ email, emailVerifiedAt }: Account): string | null {
  return emailVerifiedAt === null ? null : (email.split("@").at(-1)?.toLowerCase() ?? null);
}
