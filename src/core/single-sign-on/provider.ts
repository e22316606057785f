/** An identity provider: another service at which people sign in, by OpenID Connect. */
import type { TeamRole } from "../entities.js";

/** Who gets an account by signing in with a provider for the first time. */
export const providerSignUps = ["nobody", "domains", "anyone"] as const;
export type ProviderSignUp = (typeof providerSignUps)[number];

/** What membership of a group at the provider gives here. */
export interface GroupRule {
  group: string;
  /** Null where the group decides nothing about the plan. */
  planId: string | null;
  isAdmin: boolean;
  /** The team that its members join, and their role there; null where the group decides nothing about teams. */
  team: { id: string; role: TeamRole } | null;
}

export interface Provider {
  /** Chosen by the operator; part of the addresses that are registered at the provider, so it never changes. */
  id: string;
  name: string;
  issuer: string;
  clientId: string;
  /** Null for a client without one, which PKCE alone protects. */
  clientSecret: string | null;
  /** With spaces between. */
  scopes: string;
  signUp: ProviderSignUp;
  /** Of the addresses that may sign up, in lowercase. */
  domains: readonly string[];
  /** The operator vouches for the provider's addresses, also where it does not say that they are verified. */
  trustsEmail: boolean;
  /** The claim that lists groups; null: groups decide nothing. */
  groupClaim: string | null;
  groups: readonly GroupRule[];
  /** Whether a logout at the provider also disables the account's keys. */
  endsKeys: boolean;
  /** Its directory also manages accounts over SCIM, so those are linked when they first sign in with it. */
  linksScim: boolean;
}

/** Most providers on the page; a list that people choose from is never that long. */
export const mostProviders = 30;

/** Where the provider sends people back to, and where it tells of logouts: to be registered there. */
export const callbackPath = (id: string): string => `/sign-in/oidc/${id}/callback`;
export const logoutPath = (id: string): string => `/sign-in/oidc/${id}/back-channel-logout`;

/** Whether an account may be created for this address. */
export function maySignUp({ signUp, domains }: Provider, email: string, isVerified: boolean): boolean {
  if (signUp !== "domains") return signUp === "anyone";
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  return isVerified && domains.includes(domain);
}
