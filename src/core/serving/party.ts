/**
 * Who takes turns with whom, and whose cached conversations are kept apart. By member, a person is one party, whichever
 * team they act for, and a team's service keys are another; by team, all keys of a team are one.
 */
import type { KeyRecord } from "../entities.js";

export type Fairness = "member" | "team";

/** The id of an account. */
export const partyOf = (
  { account, member }: Pick<KeyRecord, "account" | "member">,
  fairness: Fairness = "member",
): string => (fairness === "member" && member !== undefined ? member.id : account.id);
