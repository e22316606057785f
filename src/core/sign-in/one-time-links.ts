/**
 * Links that work once: to set the service up, to choose a new password, to accept an invitation, to sign in, to
 * verify or change an address. The token is in the fragment, which browsers send to no server and put into no
 * Referer. Only its hash is stored.
 */
import { DashboardError } from "../dashboard-error.js";
import type { LinkKind, LinkStore, NewLink } from "./ports.js";
import type { Clock } from "../clock.js";
import type { Audit } from "../audit.js";
import type { Account, TeamRole } from "../entities.js";
import { emailHash, newHashedToken, tokenHash } from "./secret-token.js";

const hourMs = 60 * 60_000;
/** How long each works, and the page that it leads to. */
const linkKinds: Record<LinkKind, { lifeMs: number; page: string }> = {
  setup: { lifeMs: 24 * hourMs, page: "/setup#token=" },
  reset: { lifeMs: hourMs, page: "/reset#token=" },
  invite: { lifeMs: 7 * 24 * hourMs, page: "/sign-up#invite=" },
  verify: { lifeMs: 7 * 24 * hourMs, page: "/confirm#token=" },
  change_from: { lifeMs: 24 * hourMs, page: "/confirm#change=" },
  change_to: { lifeMs: 24 * hourMs, page: "/confirm#change=" },
  sign_in: { lifeMs: 5 * 60_000, page: "/sign-in#token=" },
  team: { lifeMs: 7 * 24 * hourMs, page: "/join#token=" },
};

export interface CreatedLink {
  /** What follows the service's address, token included: to be shown once. */
  path: string;
  expiresAt: Date;
}

export interface CreatedInvite extends CreatedLink {
  /** Names it to admins; the link cannot be found from it. */
  id: string;
}

export const inviteIdStart = "inv_";

/** The beginning of the hash of a random token: enough to distinguish invitations, and useless to anyone else. */
const inviteId = (hash: Uint8Array): string => inviteIdStart + Buffer.from(hash).toString("hex").slice(0, 16);

export interface PendingInvite extends NewLink {
  /** Names it to admins; the link cannot be found from it. */
  id: string;
}

export const pendingInvite = (link: NewLink): PendingInvite => ({ ...link, id: inviteId(link.hash) });

export const notPending = (): DashboardError =>
  new DashboardError("not_found", "This invitation was used, revoked or has expired already.");

export function requireRoomForInvite(pending: readonly PendingInvite[], most: number): void {
  if (pending.length < most) return;
  throw new DashboardError(
    "limit_reached",
    `${most} invitations are pending. Revoke some that are no longer needed.`,
  );
}

/** Whether someone with this address may use the link. */
export const isForAddress = (link: Pick<NewLink, "emailHash">, email: string): boolean =>
  link.emailHash === null || Buffer.from(link.emailHash).equals(emailHash(email));

interface InviteOptions {
  /** Of the account that it creates; null for the default one. */
  planId?: string | null;
  lifeMs?: number | undefined;
}

export class OneTimeLinks {
  constructor(
    private readonly store: LinkStore,
    private readonly clock: Clock,
  ) {}

  async reset(accountId: string): Promise<CreatedLink> {
    return this.#create("reset", { accountId });
  }

  /** For the operator at the command line: whoever opens it is signed in to that account. */
  async signIn(accountId: string): Promise<CreatedLink> {
    return this.#create("sign_in", { accountId });
  }

  /** `email` restricts it to that address, which the link then carries, so that its page can fill it in. */
  async invite(email: string | null, { planId = null, lifeMs }: InviteOptions = {}): Promise<CreatedInvite> {
    const made = await this.#create("invite", { ...restrictedTo(email), planId }, lifeMs);
    return email === null ? made : { ...made, path: `${made.path}&email=${encodeURIComponent(email)}` };
  }

  /** Into a team, by a member of it; `email` restricts it to the account with that address. */
  team(
    team: { id: string; role: TeamRole },
    invitedBy: string,
    email: string | null,
    lifeMs: number,
  ): Promise<CreatedInvite> {
    return this.#create("team", { ...restrictedTo(email), accountId: invitedBy, team }, lifeMs);
  }

  /** Null while an admin exists, or a set-up link that still works. */
  async setup(): Promise<CreatedLink | null> {
    const { link, made } = this.#make("setup", {});
    return (await this.store.createSetup(link)) ? made : null;
  }

  /** The earlier one stops working. */
  async verify(accountId: string): Promise<CreatedLink> {
    const { link, made } = this.#make("verify", {});
    await this.store.replaceOwn({ ...link, kind: "verify", accountId });
    return made;
  }

  /** For the present address of the account; an earlier change that waits is called off. */
  async changeFrom(accountId: string, email: string): Promise<CreatedLink> {
    const { link, made } = this.#make("change_from", { email });
    await this.store.replaceOwn({ ...link, kind: "change_from", accountId });
    return made;
  }

  /** For the new address, in exchange for the one above. Null when that does not work (any more). */
  async changeTo(from: Uint8Array): Promise<(CreatedLink & { email: string | null }) | null> {
    const { link, made } = this.#make("change_to", {});
    const stored = await this.store.agreeToEmailChange(from, link.createdAt, link);
    return stored && { ...made, email: stored.email ?? null };
  }

  async #create(kind: LinkKind, use: LinkUse, lifeMs?: number): Promise<CreatedInvite> {
    const { link, made } = this.#make(kind, use, lifeMs);
    await this.store.create(link);
    return { ...made, id: inviteId(link.hash) };
  }

  #make(kind: LinkKind, use: LinkUse, lifeMs = linkKinds[kind].lifeMs): { link: NewLink; made: CreatedLink } {
    const { token, hash } = newHashedToken();
    const createdAt = this.clock.now();
    const expiresAt = new Date(createdAt.getTime() + lifeMs);
    return {
      link: { kind, hash, accountId: null, emailHash: null, ...use, createdAt, expiresAt },
      made: { path: linkKinds[kind].page + token, expiresAt },
    };
  }
}

type LinkUse = Partial<Pick<NewLink, "accountId" | "emailHash" | "email" | "planId" | "team">>;

const restrictedTo = (email: string | null): LinkUse => ({
  email,
  emailHash: email === null ? null : emailHash(email),
});

/**
 * For the start of the server: the link that creates the first admin's account, once. Null while an admin exists
 * or an earlier link still works; one that was never used expires and is replaced at a later start.
 */
export async function ensureSetupLink(
  store: { readonly links: LinkStore },
  clock: Clock,
  baseUrl: string,
): Promise<string | null> {
  const made = await new OneTimeLinks(store.links, clock).setup();
  return made === null ? null : baseUrl + made.path;
}

/** Uses up a sign-in link. Throws `DashboardError` when it does not work (any more). */
export async function signInByLink(
  { links, audit, clock }: { links: LinkStore; audit: Audit; clock: Clock },
  token: string,
): Promise<Account> {
  const hash = tokenHash(token);
  const account = hash === null ? null : await links.signIn(hash, clock.now());
  if (account === null) throw deadLink();
  await audit.record({ accountId: account.id }, "signed in", account.id);
  return account;
}

export const deadLink = (): DashboardError =>
  new DashboardError("not_found", "This link was used already or has expired. Ask for a new one.", {
    field: "token",
  });
