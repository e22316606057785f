/** What the claims of a provider say about someone. */
import type { ProvenIdentity } from "../../core/single-sign-on/ports.js";
import type { Provider } from "../../core/single-sign-on/provider.js";

export type Claims = Readonly<Record<string, unknown>>;

/** More are cut off: what a rule can name is a handful. */
const mostGroups = 2_000;

/** Whether the ID token leaves something open that the provider's user information may say. */
export const needsUserInfo = (claims: Claims, { groupClaim }: Provider): boolean =>
  typeof claims["email"] !== "string" ||
  claims["email_verified"] === undefined ||
  (groupClaim !== null && groupsIn(claims, groupClaim) === undefined);

/** `more` is the user information, empty where it was not asked for. */
export function provenIdentity(
  claims: Claims & { iss: string; sub: string },
  more: Claims,
  { groupClaim }: Provider,
): ProvenIdentity {
  // Address and verification from the same place: they belong together.
  const source = claims["email_verified"] === undefined && typeof more["email"] === "string" ? more : claims;
  const { email, email_verified: isVerified } = source;
  return {
    issuer: claims.iss,
    subject: claims.sub,
    sid: typeof claims["sid"] === "string" ? claims["sid"] : null,
    email: typeof email === "string" ? email : null,
    // Some providers write it as text.
    isEmailVerified: isVerified === true || isVerified === "true",
    groups: groupClaim === null ? null : allGroups(claims, more, groupClaim),
  };
}

/** Null where they are too many for a token and the provider says to ask elsewhere, as Entra ID does. */
function allGroups(claims: Claims, more: Claims, claim: string): readonly string[] | null {
  const groups = groupsIn(claims, claim) ?? groupsIn(more, claim);
  if (groups !== undefined) return groups;
  const elsewhere = claims["_claim_names"];
  const isElsewhere = typeof elsewhere === "object" && elsewhere !== null && claim in elsewhere;
  return isElsewhere || claims["hasgroups"] === true ? null : [];
}

/** By the claim's whole name, which may have dots, or as a path: `realm_access.roles`. */
function groupsIn(claims: Claims, claim: string): readonly string[] | undefined {
  const value =
    claims[claim] ??
    claim.split(".").reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), claims);
  const list = typeof value === "string" ? [value] : value;
  if (!Array.isArray(list)) return undefined;
  return list.filter((group) => typeof group === "string").slice(0, mostGroups);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
