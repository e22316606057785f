/** A provider as typed, and the request made from it. */
import type { GroupRule, ProviderSignUp } from "../../../../src/core/single-sign-on/provider.js";
import type { ProviderView } from "../../../../src/protocol/identity-provider.js";

export interface ProviderDraft {
  id: string;
  name: string;
  issuer: string;
  clientId: string;
  /** Empty: the one that there is stays. */
  clientSecret: string;
  scopes: string;
  signUp: ProviderSignUp;
  /** With commas or spaces between. */
  domains: string;
  trustsEmail: boolean;
  /** Empty: groups are not used. */
  groupClaim: string;
  groups: GroupRule[];
  endsKeys: boolean;
  linksScim: boolean;
}

export const draftOf = (provider: ProviderView | null): ProviderDraft => ({
  id: provider?.id ?? "",
  name: provider?.name ?? "",
  issuer: provider?.issuer ?? "",
  clientId: provider?.clientId ?? "",
  clientSecret: "",
  scopes: provider?.scopes ?? "openid email",
  signUp: provider?.signUp ?? "nobody",
  domains: provider?.domains.join(", ") ?? "",
  trustsEmail: provider?.trustsEmail ?? false,
  groupClaim: provider?.groupClaim ?? "",
  groups: provider?.groups ?? [],
  endsKeys: provider?.endsKeys ?? false,
  linksScim: provider?.linksScim ?? false,
});

export const bodyOf = ({ id: _, ...draft }: ProviderDraft) => ({
  ...draft,
  clientSecret: draft.clientSecret === "" ? undefined : draft.clientSecret,
  domains: draft.domains.split(/[\s,]+/).filter((domain) => domain !== ""),
  groupClaim: draft.groupClaim.trim() === "" ? null : draft.groupClaim.trim(),
});

/** What the browser can tell before the service is asked. */
export function idError(id: string, taken: readonly string[]): string | undefined {
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(id)) return "Use up to 40 lowercase letters, digits and hyphens.";
  return taken.includes(id) ? "There is a provider with this id." : undefined;
}
