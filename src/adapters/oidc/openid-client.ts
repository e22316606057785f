/**
 * OpenID Connect by `openid-client`, and signatures by `jose`, on which it is built: it neither reads a provider's keys
 * again when they were replaced a moment ago, nor knows logout tokens.
 *
 * A provider's metadata is kept for an hour. Nothing else is: a provider that is down fails each request within the
 * time limit, and the next one tries again.
 */
import { errors as joseErrors } from "jose";
import * as oidc from "openid-client";
import type { Clock } from "../../core/clock.js";
import {
  type LogoutClaims,
  type OidcClient,
  type ProvenIdentity,
  ProviderFailure,
  type ProviderFacts,
  type RoundRequest,
} from "../../core/single-sign-on/ports.js";
import type { Provider } from "../../core/single-sign-on/provider.js";
import { needsUserInfo, provenIdentity } from "./claims.js";
import { ProviderKeys } from "./provider-keys.js";
import { ProviderRequests } from "./provider-requests.js";

const metadataMs = 60 * 60_000;
const mostKept = 100;

/** By how much the clocks of two servers may differ. */
const toleranceSeconds = 30;

/** A logout token says what happens now. */
const longestLogoutSeconds = 10 * 60;
const logoutEvent = "http://schemas.openid.net/event/backchannel-logout";

export interface OpenIdClientOptions {
  clock: Clock;
  timeoutMs: number;
}

interface Discovered {
  metadata: oidc.ServerMetadata;
  keys: ProviderKeys;
  readMs: number;
}

export class OpenIdClient implements OidcClient {
  readonly #requests: ProviderRequests;
  readonly #discovered = new Map<string, Discovered>();
  /** Of those that are being read, so that many sign-ins ask once. */
  readonly #reading = new Map<string, Promise<Discovered>>();

  constructor(private readonly options: OpenIdClientOptions) {
    this.#requests = new ProviderRequests(options.timeoutMs);
  }

  authorizationUrl(provider: Provider, round: RoundRequest): Promise<string> {
    return translated(async () => {
      const { config } = await this.#open(provider);
      const url = oidc.buildAuthorizationUrl(config, {
        redirect_uri: round.redirectUri,
        scope: provider.scopes,
        state: round.state,
        nonce: round.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(round.verifier),
        code_challenge_method: "S256",
        ...(round.asksAgain ? { prompt: "login", max_age: "0" } : {}),
      });
      return url.href;
    });
  }

  redeem(provider: Provider, round: RoundRequest, query: string): Promise<ProvenIdentity> {
    return translated(async () => {
      const { config, keys, metadata } = await this.#open(provider);
      const tokens = await oidc.authorizationCodeGrant(config, new URL(`${round.redirectUri}?${query}`), {
        expectedState: round.state,
        expectedNonce: round.nonce,
        pkceCodeVerifier: round.verifier,
        idTokenExpected: true,
        ...(round.asksAgain ? { maxAge: 0 } : {}),
      });
      const claims = tokens.claims();
      if (claims === undefined || tokens.id_token === undefined)
        throw new ProviderFailure("invalid", "The provider sent no ID token.");
      await keys.verify(tokens.id_token, this.#expected(provider, metadata), false);
      const hasMore = metadata.userinfo_endpoint !== undefined && needsUserInfo(claims, provider);
      const more = hasMore ? await oidc.fetchUserInfo(config, tokens.access_token, claims.sub) : {};
      return provenIdentity(claims, more, provider);
    });
  }

  /** The checks of Back-Channel Logout 1.0, section 2.6. */
  verifyLogout(provider: Provider, token: string): Promise<LogoutClaims> {
    return translated(async () => {
      const { keys, metadata } = await this.#open(provider);
      const claims = await keys.verify(
        token,
        { ...this.#expected(provider, metadata), maxTokenAge: longestLogoutSeconds },
        true,
      );
      const { iss = "", sub = null, jti, iat = 0, exp, sid = null, events, nonce } = claims;
      const isLogout = typeof events === "object" && events !== null && logoutEvent in events;
      if (!isLogout || nonce !== undefined)
        throw new ProviderFailure("invalid", "The token is not a logout token.");
      if (jti === undefined || (sid !== null && typeof sid !== "string") || (sid === null && sub === null))
        throw new ProviderFailure("invalid", "The logout token names neither a session nor a person.");
      const endsSeconds = Math.max(exp ?? 0, iat + longestLogoutSeconds) + 2 * toleranceSeconds;
      return { issuer: iss, subject: sub, sid, jti, expiresAt: new Date(endsSeconds * 1_000) };
    });
  }

  endSessionUrl(provider: Provider, returnTo: string): Promise<string | null> {
    return translated(async () => {
      const { config, metadata } = await this.#open(provider);
      if (metadata.end_session_endpoint === undefined) return null;
      return oidc.buildEndSessionUrl(config, { post_logout_redirect_uri: returnTo }).href;
    });
  }

  check(provider: Provider, redirectUri: string): Promise<ProviderFacts> {
    return translated(async () => {
      this.#discovered.delete(provider.issuer);
      const { config, keys, metadata } = await this.#open(provider);
      if (metadata.authorization_endpoint === undefined || metadata.token_endpoint === undefined)
        throw new ProviderFailure("invalid", "Its metadata has no endpoints to sign in with.");
      await keys.read();
      await tryClient(config, redirectUri);
      return {
        issuer: metadata.issuer,
        hasLogout: metadata.end_session_endpoint !== undefined,
        hasBackChannelLogout: metadata["backchannel_logout_supported"] === true,
      };
    });
  }

  close(): Promise<void> {
    return this.#requests.close();
  }

  async #open(provider: Provider): Promise<Discovered & { config: oidc.Configuration }> {
    const discovered = await this.#discover(provider);
    const { metadata } = discovered;
    const config = new oidc.Configuration(
      metadata,
      provider.clientId,
      {
        // The library asks the system for the time; the service may have another clock.
        [oidc.clockSkew]: Math.round((this.options.clock.now().getTime() - Date.now()) / 1_000),
        [oidc.clockTolerance]: toleranceSeconds,
        // What signed it is checked below, by what the provider's keys are for.
        ...algorithmOf(metadata),
      },
      authenticationOf(provider, metadata),
    );
    config[oidc.customFetch] = this.#requests.fetch;
    if (isPlain(provider)) allowPlain(config);
    return { ...discovered, config };
  }

  async #discover({ issuer, clientId }: Provider): Promise<Discovered> {
    const { clock } = this.options;
    const known = this.#discovered.get(issuer);
    if (known !== undefined && clock.monotonicMs() - known.readMs < metadataMs) return known;
    const reading = this.#reading.get(issuer) ?? this.#read(issuer, clientId);
    this.#reading.set(issuer, reading);
    try {
      return await reading;
    } finally {
      this.#reading.delete(issuer);
    }
  }

  async #read(issuer: string, clientId: string): Promise<Discovered> {
    const { clock } = this.options;
    const found = await oidc.discovery(new URL(issuer), clientId, undefined, oidc.None(), {
      [oidc.customFetch]: this.#requests.fetch,
      execute: isPlain({ issuer }) ? [allowPlain] : [],
    });
    const metadata: oidc.ServerMetadata = found.serverMetadata();
    const isSafe = isPlain({ issuer }) || metadata.jwks_uri?.startsWith("https:") === true;
    if (metadata.jwks_uri === undefined || !isSafe)
      throw new ProviderFailure("invalid", "Its metadata does not say where its keys are, by https.");
    const keys = new ProviderKeys(metadata.jwks_uri, this.#requests, () => clock.monotonicMs());
    const discovered = { metadata, keys, readMs: clock.monotonicMs() };
    if (this.#discovered.size >= mostKept) this.#discovered.clear();
    this.#discovered.set(issuer, discovered);
    return discovered;
  }

  #expected({ clientId }: Provider, { issuer }: oidc.ServerMetadata) {
    return {
      issuer,
      audience: clientId,
      clockTolerance: toleranceSeconds,
      currentDate: this.options.clock.now(),
    };
  }
}

// Marked as deprecated only so that it stands out.
// eslint-disable-next-line @typescript-eslint/no-deprecated
const allowPlain: (config: oidc.Configuration) => void = oidc.allowInsecureRequests;

/** A plain address is accepted for this machine only, which `identity-provider.ts` checks. */
const isPlain = ({ issuer }: Pick<Provider, "issuer">): boolean => issuer.startsWith("http:");

/** By header, as OAuth wants it by default, unless the provider knows the other way only. */
function authenticationOf({ clientSecret }: Provider, metadata: oidc.ServerMetadata): oidc.ClientAuth {
  if (clientSecret === null) return oidc.None();
  const methods = metadata.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  return methods.includes("client_secret_basic")
    ? oidc.ClientSecretBasic(clientSecret)
    : oidc.ClientSecretPost(clientSecret);
}

/** A provider that signs in one other way than the default. */
function algorithmOf(metadata: oidc.ServerMetadata): { id_token_signed_response_alg?: string } {
  const [only, ...others] = metadata.id_token_signing_alg_values_supported ?? [];
  return only === undefined || others.length > 0 ? {} : { id_token_signed_response_alg: only };
}

/** With a code that does not exist: only the answer to wrong credentials is of another kind. */
async function tryClient(config: oidc.Configuration, redirectUri: string): Promise<void> {
  try {
    await oidc.genericGrantRequest(config, "authorization_code", {
      code: "sotto-test",
      redirect_uri: redirectUri,
      code_verifier: "sotto-test-".repeat(4),
    });
  } catch (error) {
    const code = error instanceof oidc.ResponseBodyError ? error.error : null;
    if (code === "invalid_client" || code === "unauthorized_client" || isChallenge(error))
      throw new ProviderFailure("invalid", "The provider does not accept the client id or the secret.");
    if (causeIn(error) !== null) throw error;
  }
}

const isChallenge = (error: unknown): boolean => error instanceof oidc.WWWAuthenticateChallengeError;

/** Everything that can go wrong with a provider becomes a `ProviderFailure`. */
async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw causeIn(error) ?? failureOf(error);
  }
}

function failureOf(error: unknown): unknown {
  const failure = (kind: ProviderFailure["kind"], message: string) =>
    new ProviderFailure(kind, message, { cause: error });
  if (error instanceof oidc.AuthorizationResponseError)
    return failure("refused", "The provider refused the sign-in.");
  if (error instanceof oidc.ResponseBodyError || isChallenge(error))
    return failure("invalid", "The provider refused the code, the client id or the secret.");
  if (error instanceof oidc.ClientError)
    return /^OAUTH_RESPONSE_IS_NOT_(CONFORM|JSON)$/.test(error.code ?? "")
      ? failure("unreachable", "There is no working OpenID provider at this address.")
      : failure("invalid", `The provider's answer is not valid: ${error.message}.`);
  return error instanceof joseErrors.JOSEError
    ? failure("invalid", "The token's signature or its claims are not valid.")
    : error;
}

/** Libraries may wrap what a request failed with. */
function causeIn(error: unknown): ProviderFailure | null {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1)
    if (at instanceof ProviderFailure) return at;
  return null;
}
