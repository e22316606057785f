/** What an operator writes about an identity provider, in the configuration or on the page. */
import { isIP } from "node:net";
import * as z from "zod";
import { teamRoles } from "../core/entities.js";
import { type GroupRule, type Provider, providerSignUps } from "../core/single-sign-on/provider.js";

const line = (what: string, max: number) =>
  z
    .string(`Enter ${what}.`)
    .trim()
    .min(1, `Enter ${what}.`)
    .max(max, `Use at most ${max} characters.`)
    .regex(/^[^\p{Cc}\p{Bidi_Control}]*$/u, "Use one line of text.");

export const providerId = z
  .string("Enter an id.")
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, "Use up to 40 lowercase letters, digits and hyphens.");

const issuer = line("the issuer's address", 500).refine(isIssuer, {
  error: "Enter the issuer's address, such as https://login.example.com, without a query.",
});

const scopes = line("scopes", 500)
  .default("openid email")
  .refine((text) => text.split(" ").includes("openid"), { error: "The scopes must include openid." });

const domain = z
  .string("Enter domains.")
  .trim()
  .toLowerCase()
  .regex(/^[a-z0-9]([a-z0-9.-]{0,250}[a-z0-9])?$/, "Enter domains such as example.com.");

const teamRole = z.enum(teamRoles, "Choose owner, admin, member or viewer.");

const groupRule = z.strictObject({
  group: line("a group", 300),
  planId: z.string("Choose a plan.").min(1, "Choose a plan.").max(64).nullable().default(null),
  isAdmin: z.boolean("Choose whether its members are admins.").default(false),
  team: z
    .strictObject({ id: z.string("Choose a team.").min(1, "Choose a team.").max(64), role: teamRole })
    .nullable()
    .default(null),
});

const secret = line("the client secret", 2_000);

/** All but the id and the secret. */
const fields = {
  name: line("a name", 60),
  issuer,
  clientId: line("the client id", 500),
  scopes,
  signUp: z.enum(providerSignUps, { error: "Choose who may sign up." }).default("nobody"),
  domains: z.array(domain).max(100, "Enter at most 100 domains.").default([]),
  trustsEmail: z.boolean("Choose whether addresses are trusted.").default(false),
  groupClaim: line("the claim that lists groups", 200).nullable().default(null),
  groups: z.array(groupRule).max(200, "Enter at most 200 groups.").default([]),
  endsKeys: z.boolean("Choose whether keys are disabled.").default(false),
  linksScim: z.boolean("Choose whether accounts of SCIM are linked.").default(false),
};

/**
 * PUT /api/admin/providers/:id → ProviderView, POST /api/admin/providers/:id/test → ProviderTest; without a secret it
 * keeps the one it has.
 */
export const providerBody = z.object({ ...fields, clientSecret: secret.nullable().optional() });

/** POST /api/admin/providers → ProviderView (409 where there is one with this id); GET …/:id → ProviderView */
export const newProviderBody = providerBody.extend({ id: providerId });

/** As an element of SOTTO_OIDC_PROVIDERS. The secret may be in a file instead. */
export const configuredProvider = z.strictObject({
  id: providerId,
  ...fields,
  clientSecret: secret.optional(),
  clientSecretFile: line("a file", 4_096).optional(),
});

/** A provider as admins see it, without its secret. */
export interface ProviderView extends Omit<Provider, "clientSecret" | "domains" | "groups"> {
  domains: string[];
  groups: GroupRule[];
  hasSecret: boolean;
  /** Set in the configuration, and not to be changed here. */
  isConfigured: boolean;
  /** What has to be registered at the provider. */
  redirectUri: string;
  logoutUri: string;
}

/** GET /api/admin/providers */
export interface ProviderList {
  providers: ProviderView[];
  /** What the addresses of a new one begin with, before its id. */
  baseUrl: string;
  /** Passwords are not accepted: SOTTO_SIGN_IN. */
  isRequired: boolean;
}

export interface ProviderTest {
  /** In words; null where all is well. */
  problem: string | null;
  hasLogout: boolean;
  hasBackChannelLogout: boolean;
}

/** GET /api/me/identities */
export interface IdentitiesView {
  hasPassword: boolean;
  identities: { id: string; providerId: string; provider: string; linkedAt: string; lastUsedAt: string }[];
}

/** POST /api/me/identities → ProviderRound */
export const linkBody = z.object({ provider: providerId });
/** Where the browser goes next. */
export interface ProviderRound {
  url: string;
}

/** GET /api/sign-in/join */
export interface PendingJoin {
  join: { email: string; provider: string } | null;
}

/** Encrypted, unless the provider is on this machine. */
function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, search, hash, username, password } = new URL(text);
  const host = hostname.replace(/^\[|\]$/g, "");
  const isHere = host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
  return (
    (protocol === "https:" || (protocol === "http:" && isHere)) && search + hash + username + password === ""
  );
}
