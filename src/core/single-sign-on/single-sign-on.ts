/**
 * Signing in with an identity provider. A round begins here, goes through the provider with the browser, and ends in
 * `finish`, at whichever replica the browser comes back to: the round is a row of the store, used up by the first answer
 * that has the state of the browser's cookie.
 *
 * People are known by issuer and subject. An address alone opens no account: where an account has the address already,
 * its password is asked for once (`join`). The exception is an account that nobody can sign in to, whose address the
 * provider has verified and would create an account for anyway. An account of SCIM is linked by the provider that the
 * operator has said to belong to it (`linksScim`), and by no other.
 *
 * While a provider is unreachable nobody can sign in with it; sessions go on.
 */
import { defaultPlanId, parseEmail } from "../accounts/accounts.js";
import type { AccountStore } from "../accounts/ports.js";
import type { SignUpMode } from "../accounts/sign-up-mode.js";
import type { Audit } from "../audit.js";
import type { Clock } from "../clock.js";
import type { Admissions } from "../counters.js";
import { DashboardError } from "../dashboard-error.js";
import type { Account } from "../entities.js";
import type { KeyRing } from "../keys/key-ring.js";
import { newHashedToken, tokenHash } from "../sign-in/secret-token.js";
import type { LinkStore, SessionOrigin, SessionRecord } from "../sign-in/ports.js";
import type { Origin, SignIn } from "../sign-in/sign-in.js";
import { deadLink, isForAddress } from "../sign-in/one-time-links.js";
import { Throttle } from "../sign-in/throttle.js";
import { DuplicateEmail, type Store } from "../store.js";
import type { TeamStore } from "../teams/ports.js";
import { applyGroups } from "./group-rights.js";
import {
  type OidcClient,
  type ProvenIdentity,
  ProviderFailure,
  type Round,
  type RoundRequest,
  type SingleSignOnStore,
} from "./ports.js";
import { failingAt, SignInFailed } from "./problems.js";
import { callbackPath, maySignUp, type Provider } from "./provider.js";
import type { Providers } from "./providers.js";
import { isStateOf, roundSecrets } from "./round-secrets.js";

/** Time for a password and a second factor at the provider. */
const roundMs = 10 * 60_000;
const mostRounds = 10_000;
/** Where a new proof of who someone is ends, in a window of its own. */
const confirmedPage = "/sign-in/confirmed";
/** An office may be behind one address. */
const limitByAddress = { name: "oidc", limit: 300, windowMs: 15 * 60_000 };

export interface SingleSignOnParts {
  store: Store & {
    readonly accounts: AccountStore;
    readonly links: LinkStore;
    readonly singleSignOn: SingleSignOnStore;
    readonly teams: TeamStore;
  };
  providers: Providers;
  client: OidcClient;
  signIn: SignIn;
  /** Neither a password alone nor an address must give away an account that asks for more. */
  hasFactor: (accountId: string) => Promise<boolean>;
  /** Whether invitations count. What providers create of their own accord is theirs to say. */
  signUp: SignUpMode;
  keys: Pick<KeyRing, "forgetAccount">;
  audit: Audit;
  admissions: Admissions;
  clock: Clock;
  /** Never taken from a request: its Host header is the sender's to choose. */
  publicUrl: () => string;
}

export interface BegunRound {
  /** The browser's cookie. */
  token: string;
  expiresAt: Date;
}

export interface StartedRound extends BegunRound {
  /** Where the browser goes now. */
  url: string;
}

/** Someone who is to be signed in, and what their session is to be noted with. */
export interface Entered {
  type: "entered";
  account: Account;
  origin: SessionOrigin;
  next: string;
}

export type Finished =
  | Entered
  /** The password of the account with that address is asked for now. */
  | ({ type: "join" } & BegunRound)
  | { type: "linked"; next: string }
  /** Whoever is signed in has proved again who they are. */
  | { type: "confirmed"; next: string };

type NewRound = Pick<Round, "purpose" | "next"> & Partial<Pick<Round, "accountId" | "inviteHash">>;

export class SingleSignOn {
  readonly #byAddress: Throttle;

  constructor(private readonly parts: SingleSignOnParts) {
    this.#byAddress = new Throttle(parts.admissions, parts.clock, limitByAddress);
  }

  async start(providerId: string, network: string, next: string): Promise<StartedRound> {
    const provider = await this.#requireProvider(providerId);
    await this.#countAttempt(network);
    return this.#start(provider, { purpose: "sign_in", next });
  }

  /** For someone with an invitation. It is used up only where it makes the account. */
  async startInvited(providerId: string, network: string, invite: string): Promise<StartedRound> {
    const { store, providers, signUp, clock } = this.parts;
    const { provider } = await providers.require(providerId);
    if (signUp === "closed") throw new DashboardError("forbidden", "Sign-up is closed.");
    await this.#countAttempt(network).catch(asUnavailable);
    const inviteHash = tokenHash(invite);
    const isPending =
      inviteHash !== null && (await store.links.find("invite", inviteHash, clock.now())) !== null;
    if (!isPending) throw deadLink();
    return this.#start(provider, { purpose: "sign_in", next: "/app", inviteHash }).catch(asUnavailable);
  }

  /** For someone who is signed in and is asked again who they are. */
  async startConfirm(providerId: string, network: string, me: SessionRecord | null): Promise<StartedRound> {
    const started = async (): Promise<StartedRound> => {
      if (me === null) throw new SignInFailed("round_lost");
      const provider = await this.#requireProvider(providerId);
      await this.#countAttempt(network);
      return this.#start(provider, { purpose: "confirm", accountId: me.account.id, next: confirmedPage });
    };
    return started().catch(failingAt(confirmedPage));
  }

  /** For someone who is signed in and wants to sign in with the provider from now on. */
  async startLink({ account }: SessionRecord, providerId: string, next: string): Promise<StartedRound> {
    const { provider } = await this.parts.providers.require(providerId);
    return this.#start(provider, { purpose: "link", accountId: account.id, next }).catch(asUnavailable);
  }

  /** `me` is who is signed in in the same browser. Throws `SignInFailed`. */
  async finish(
    providerId: string,
    token: string | null,
    query: string,
    me: SessionRecord | null,
  ): Promise<Finished> {
    const provider = await this.#requireProvider(providerId);
    // Before the round is used up: a link on another site must not end a sign-in that is under way.
    if (token === null || !isStateOf(token, new URLSearchParams(query).get("state")))
      throw new SignInFailed("round_lost");
    const round = await this.#take(token);
    if (round === null || round.providerId !== providerId || round.purpose === "join")
      throw new SignInFailed("round_lost");
    const finished = this.#redeem(provider, round, token, query).then((proven) =>
      this.#complete(provider, round, proven, me),
    );
    return round.purpose === "confirm" ? finished.catch(failingAt(round.next)) : finished;
  }

  /** Whose password is asked for, and by which provider. Null when there is nothing to join (any more). */
  async pendingJoin(token: string | null): Promise<{ email: string; provider: string } | null> {
    const found = await this.#findJoin(token);
    return found && { email: found.account.email, provider: found.provider.name };
  }

  /** Links the account whose password this is. Attempts are counted as those of signing in. */
  async join(token: string | null, password: string, from: Origin): Promise<Entered> {
    const found = await this.#findJoin(token);
    if (token === null || found === null) throw roundLost();
    const { account, provider, proven, next } = found;
    await this.parts.signIn.checkPassword(account.email, password, from);
    if (await this.parts.hasFactor(account.id)) throw new SignInFailed("second_factor");
    if ((await this.#take(token)) === null) throw roundLost();
    await this.#link(account.id, provider, proven);
    return this.#enter(provider, account, proven, next, "signed in");
  }

  async #countAttempt(network: string): Promise<void> {
    await this.#byAddress.attempt(network).catch((error: unknown) => {
      throw error instanceof DashboardError ? new SignInFailed("too_many", { cause: error }) : error;
    });
  }

  async #start(provider: Provider, round: NewRound): Promise<StartedRound> {
    const { token, expiresAt } = await this.#begin({
      ...{ accountId: null, inviteHash: null, identity: null, providerId: provider.id },
      ...round,
    });
    const url = await this.parts.client
      .authorizationUrl(provider, this.#requestOf(provider, round, token))
      .catch(explain);
    return { url, token, expiresAt };
  }

  #requestOf({ id }: Provider, { purpose }: Pick<Round, "purpose">, token: string): RoundRequest {
    return {
      ...roundSecrets(token),
      redirectUri: this.redirectUri(id),
      asksAgain: purpose === "confirm",
    };
  }

  redirectUri(providerId: string): string {
    return this.parts.publicUrl() + callbackPath(providerId);
  }

  async #begin(round: Omit<Round, "hash" | "expiresAt">): Promise<BegunRound> {
    const { store, clock } = this.parts;
    const { token, hash } = newHashedToken();
    const now = clock.now();
    const expiresAt = new Date(now.getTime() + roundMs);
    if (await store.singleSignOn.begin({ ...round, hash, expiresAt }, now, mostRounds))
      return { token, expiresAt };
    throw new SignInFailed("too_many");
  }

  async #take(token: string): Promise<Round | null> {
    const hash = tokenHash(token);
    return hash === null ? null : this.parts.store.singleSignOn.takeRound(hash, this.parts.clock.now());
  }

  #redeem(provider: Provider, round: Round, token: string, query: string): Promise<ProvenIdentity> {
    return this.parts.client
      .redeem(provider, this.#requestOf(provider, round, token), query)
      .then((proven) => ({ ...proven, isEmailVerified: proven.isEmailVerified || provider.trustsEmail }))
      .catch(explain);
  }

  async #complete(
    provider: Provider,
    round: Round,
    proven: ProvenIdentity,
    me: SessionRecord | null,
  ): Promise<Finished> {
    const { purpose, next } = round;
    if (purpose === "sign_in") return this.#signIn(provider, proven, round);
    // Someone else may have signed in here meanwhile.
    if (me === null || me.account.id !== round.accountId) throw new SignInFailed("round_lost");
    if (purpose === "confirm") {
      const known = await this.parts.store.singleSignOn.findAccount(proven);
      if (known?.id !== me.account.id) throw new SignInFailed("someone_else");
      return { type: "confirmed", next };
    }
    await this.#link(me.account.id, provider, proven);
    return { type: "linked", next };
  }

  async #signIn(provider: Provider, proven: ProvenIdentity, round: Round): Promise<Finished> {
    const known = await this.parts.store.singleSignOn.findAccount(proven);
    if (known === null) return this.#firstSignIn(provider, proven, round);
    return this.#enter(provider, known, proven, round.next, "signed in");
  }

  async #firstSignIn(provider: Provider, proven: ProvenIdentity, round: Round): Promise<Finished> {
    const { store } = this.parts;
    const { next } = round;
    const provisioned = provider.linksScim
      ? await store.singleSignOn.findProvisioned(proven.subject, proven.isEmailVerified ? proven.email : null)
      : null;
    if (provisioned !== null) return this.#linkAndEnter(provider, provisioned, proven, next);
    const email = emailOf(proven);
    const known = await store.accounts.findCredentials(email);
    if (known === null) {
      const created = await this.#create(provider, proven, email, round);
      return this.#enter(provider, created, proven, next, "signed up");
    }
    const { account, passwordHash } = known;
    if (passwordHash !== null) {
      const join = { purpose: "join", accountId: account.id, inviteHash: null, identity: proven } as const;
      return { type: "join", ...(await this.#begin({ ...join, providerId: provider.id, next })) };
    }
    const identities = await store.singleSignOn.listIdentities(account.id);
    const isUnused =
      identities.length === 0 &&
      !(await this.parts.hasFactor(account.id)) &&
      !(await store.singleSignOn.isProvisioned(account.id));
    if (!isUnused || !proven.isEmailVerified || !maySignUp(provider, email, true))
      throw new SignInFailed("address_taken");
    return this.#linkAndEnter(provider, account, proven, next);
  }

  async #linkAndEnter(
    provider: Provider,
    account: Account,
    proven: ProvenIdentity,
    next: string,
  ): Promise<Finished> {
    if (account.suspendedAt !== null) throw new SignInFailed("suspended");
    await this.#link(account.id, provider, proven);
    return this.#enter(provider, account, proven, next, "signed in");
  }

  async #create(
    provider: Provider,
    proven: ProvenIdentity,
    email: string,
    { inviteHash }: Round,
  ): Promise<Account> {
    const { store, clock } = this.parts;
    if (inviteHash === null) {
      if (!maySignUp(provider, email, proven.isEmailVerified)) throw new SignInFailed("no_account");
    } else await this.#checkInvite(inviteHash, email);
    const { isEmailVerified } = proven;
    const account = { email, isEmailVerified, planId: defaultPlanId, inviteHash };
    try {
      const created = await store.singleSignOn.createAccount(account, provider.id, proven, clock.now());
      if (created === null) throw new SignInFailed("invitation_gone");
      return created;
    } catch (error) {
      // Someone was faster; the next attempt finds the account.
      throw error instanceof DuplicateEmail ? new SignInFailed("round_lost") : error;
    }
  }

  async #checkInvite(hash: Uint8Array, email: string): Promise<void> {
    const { store, clock } = this.parts;
    const invite = await store.links.find("invite", hash, clock.now());
    if (invite === null) throw new SignInFailed("invitation_gone");
    if (!isForAddress(invite, email)) throw new SignInFailed("invitation_for_another");
  }

  async #link(accountId: string, provider: Provider, proven: ProvenIdentity): Promise<void> {
    const { store, audit, clock } = this.parts;
    if (await store.singleSignOn.link(accountId, provider.id, proven, clock.now())) {
      await audit.record({ accountId }, "linked identity", accountId);
      return;
    }
    const owner = await store.singleSignOn.findAccount(proven);
    if (owner?.id !== accountId) throw new SignInFailed("linked_elsewhere");
  }

  async #enter(
    provider: Provider,
    known: Account,
    proven: ProvenIdentity,
    next: string,
    action: "signed in" | "signed up",
  ): Promise<Entered> {
    const { store, audit, clock } = this.parts;
    if (known.suspendedAt !== null) throw new SignInFailed("suspended");
    const account = await applyGroups(this.parts, provider, known, proven.groups);
    await store.singleSignOn.noteUse(proven, clock.now());
    await audit.record({ accountId: account.id }, action, account.id);
    const { issuer, subject, sid } = proven;
    const origin = { providerId: provider.id, issuer, subject, sid };
    return { type: "entered", account, next, origin };
  }

  async #findJoin(
    token: string | null,
  ): Promise<{ account: Account; provider: Provider; proven: ProvenIdentity; next: string } | null> {
    const { store, providers, clock } = this.parts;
    const hash = token === null ? null : tokenHash(token);
    const round = hash === null ? null : await store.singleSignOn.findRound(hash, clock.now());
    if (round?.purpose !== "join" || round.accountId === null || round.identity === null) return null;
    const account = await store.accounts.findAccount(round.accountId);
    const provider = await providers.find(round.providerId);
    if (account === null || provider === null) return null;
    return { account, provider, proven: round.identity, next: round.next };
  }

  async #requireProvider(id: string): Promise<Provider> {
    const provider = await this.parts.providers.find(id);
    if (provider === null) throw new SignInFailed("unknown_provider");
    return provider;
  }
}

function emailOf({ email }: ProvenIdentity): string {
  const parsed = parseEmail(email ?? "");
  if (parsed === null) throw new SignInFailed("no_email");
  return parsed;
}

function explain(error: unknown): never {
  throw error instanceof ProviderFailure ? new SignInFailed(error.kind, { cause: error }) : error;
}

/** For what is begun by a request of a page, which shows the message itself. */
function asUnavailable(error: unknown): never {
  throw error instanceof SignInFailed ? new DashboardError("unavailable", error.message) : error;
}

const roundLost = (): DashboardError =>
  new DashboardError("not_found", "This took too long or was finished already. Sign in again.");
