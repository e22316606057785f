/**
 * Passkeys: added, named, removed, and used to sign in, alone or after a password. What a browser signs contains a
 * challenge of ours, which is stored as a hash, bound to its purpose and its account, valid for five minutes and used
 * up by the first answer, right or wrong.
 */
import { createHash } from "node:crypto";
import { DashboardError } from "../dashboard-error.js";
import type { Clock } from "../clock.js";
import type { Admissions } from "../counters.js";
import type { Account } from "../entities.js";
import type { CredentialStore } from "../sign-in/ports.js";
import { newHashedToken, tokenHash } from "../sign-in/secret-token.js";
import { refuseSuspended } from "../sign-in/sign-in.js";
import { Throttle } from "../sign-in/throttle.js";
import type {
  FactorStore,
  NewPasskeyAnswer,
  Passkey,
  PasskeyAnswer,
  PasskeyOptions,
  RelyingParty,
  StepKind,
  StepStore,
  WebAuthn,
} from "./ports.js";

export const stepLifeMs = 5 * 60_000;
const mostPasskeys = 20;
/** Every visit to the sign-in page asks for a challenge, and each is a row. */
const mostChallenges = { name: "passkey-challenge", limit: 200, windowMs: 15 * 60_000 };

/** Names a passkey in addresses: the credential's own id may have a thousand characters. */
export const passkeyName = ({ id }: Pick<Passkey, "id">): string =>
  createHash("sha256").update(id).digest("hex").slice(0, 16);

type PasskeyPurpose = Exclude<StepKind, "second_factor">;

export interface PasskeyParts {
  store: FactorStore;
  steps: StepStore;
  accounts: Pick<CredentialStore, "findCredentialsById">;
  webAuthn: WebAuthn;
  admissions: Admissions;
  clock: Clock;
  ownerName: () => string;
  /** Null where browsers have no passkeys. */
  party: () => RelyingParty | null;
}

export class Passkeys {
  readonly #challenges: Throttle;

  constructor(private readonly parts: PasskeyParts) {
    this.#challenges = new Throttle(parts.admissions, parts.clock, mostChallenges);
  }

  async addOptions({ id, email }: Account): Promise<PasskeyOptions> {
    const { store, webAuthn, ownerName } = this.parts;
    const party = this.#party();
    const { passkeys: known } = await store.summary(id);
    if (known.length >= mostPasskeys) {
      throw new DashboardError("limit_reached", `An account can have ${mostPasskeys} passkeys.`);
    }
    const challenge = await this.#challenge("passkey_add", id, id);
    return webAuthn.addOptions(party, { challenge, owner: { id, email }, name: ownerName(), known });
  }

  async add({ id }: Account, answer: NewPasskeyAnswer, name: string): Promise<void> {
    const { store, webAuthn, clock } = this.parts;
    const challenge = await this.#taken("passkey_add", answer, id);
    const added = challenge === null ? null : await webAuthn.verifyNew(this.#party(), answer, challenge);
    if (added === null || (await store.findPasskey(added.id)) !== null) {
      throw new DashboardError("bad_request", "The passkey could not be added. Try again.");
    }
    await store.addPasskey({ ...added, accountId: id, name, createdAt: clock.now(), lastUsedAt: null });
  }

  /** For whoever comes; counted by network. */
  async signInOptions(network: string): Promise<PasskeyOptions> {
    const challenge = await this.#challenge("passkey_sign_in", null, network);
    return this.parts.webAuthn.useOptions(this.#party(), { challenge, allowed: null });
  }

  /** As the only factor: the device must have verified its user. Throws `bad_request` for any other answer. */
  async signIn(answer: PasskeyAnswer): Promise<Account> {
    const accountId = await this.#use("passkey_sign_in", answer, null);
    const credentials = accountId === null ? null : await this.parts.accounts.findCredentialsById(accountId);
    if (credentials === null) {
      throw new DashboardError(
        "bad_request",
        "The passkey was not accepted. Try again, or sign in another way.",
      );
    }
    refuseSuspended(credentials.account);
    return credentials.account;
  }

  /** After a password, or to confirm who one is. */
  async useOptions(
    account: Account,
    kind: "passkey_second_factor" | "passkey_confirm",
  ): Promise<PasskeyOptions> {
    const { passkeys } = await this.parts.store.summary(account.id);
    const challenge = await this.#challenge(kind, account.id, account.id);
    return this.parts.webAuthn.useOptions(this.#party(), { challenge, allowed: passkeys });
  }

  async use(
    account: Account,
    kind: "passkey_second_factor" | "passkey_confirm",
    answer: PasskeyAnswer,
  ): Promise<boolean> {
    return (await this.#use(kind, answer, account.id)) !== null;
  }

  /** Whose passkey has answered; null for an answer that is not valid. */
  async #use(kind: PasskeyPurpose, answer: PasskeyAnswer, accountId: string | null): Promise<string | null> {
    const { store, webAuthn, clock } = this.parts;
    const challenge = await this.#taken(kind, answer, accountId);
    const passkey = await store.findPasskey(answer.id);
    if (challenge === null || passkey === null) return null;
    if (accountId !== null && passkey.accountId !== accountId) return null;
    const { userHandle } = answer.response;
    if (userHandle != null && Buffer.from(userHandle, "base64url").toString() !== passkey.accountId)
      return null;
    const verifiesUser = kind === "passkey_sign_in";
    const use = await webAuthn.verifyUse(this.#party(), answer, { challenge, passkey, verifiesUser });
    if (use === null) return null;
    await store.notePasskeyUse(passkey.id, { ...use, at: clock.now() });
    return passkey.accountId;
  }

  async #challenge(kind: PasskeyPurpose, accountId: string | null, countedBy: string): Promise<string> {
    this.#party();
    await this.#challenges.attempt(countedBy);
    const { token, hash } = newHashedToken();
    const expiresAt = new Date(this.parts.clock.now().getTime() + stepLifeMs);
    await this.parts.steps.create({ kind, hash, accountId, expiresAt });
    return token;
  }

  /** The challenge that the answer contains, if it is one of ours for this purpose and account. */
  async #taken(
    kind: PasskeyPurpose,
    { response }: NewPasskeyAnswer | PasskeyAnswer,
    accountId: string | null,
  ): Promise<string | null> {
    const challenge = challengeIn(response.clientDataJSON);
    const hash = challenge === null ? null : tokenHash(challenge);
    const step = hash && (await this.parts.steps.take(kind, hash, this.parts.clock.now()));
    return step?.accountId === accountId ? challenge : null;
  }

  #party(): RelyingParty {
    const party = this.parts.party();
    if (party !== null) return party;
    throw new DashboardError(
      "conflict",
      "Passkeys need an https address: the operator sets SOTTO_PUBLIC_URL.",
    );
  }
}

function challengeIn(clientDataJSON: string): string | null {
  try {
    const data: unknown = JSON.parse(Buffer.from(clientDataJSON, "base64url").toString());
    const isObject = typeof data === "object" && data !== null;
    return isObject && "challenge" in data && typeof data.challenge === "string" ? data.challenge : null;
  } catch {
    return null;
  }
}
