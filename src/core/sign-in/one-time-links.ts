/**
 * Links that work once: to set the service up, to choose a new password, to accept an invitation. The token
 * is in the fragment, which browsers send to no server and put into no Referer. Only its hash is stored.
 */
import { DashboardError } from "../dashboard-error.js";
import type { LinkKind, LinkStore, NewLink } from "./ports.js";
import type { Clock } from "../clock.js";
import { emailHash, newHashedToken } from "./secret-token.js";

const hourMs = 60 * 60_000;
const linkLifeMs: Record<LinkKind, number> = {
  setup: 24 * hourMs,
  reset: hourMs,
  invite: 7 * 24 * hourMs,
};

const pages: Record<LinkKind, string> = {
  setup: "/setup#token=",
  reset: "/reset#token=",
  invite: "/sign-up#invite=",
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
export const inviteId = (hash: Uint8Array): string =>
  inviteIdStart + Buffer.from(hash).toString("hex").slice(0, 16);

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
    const { link, made } = this.#make("reset", { accountId });
    await this.store.create(link);
    return made;
  }

  /** `email` restricts it to that address, which the link then carries, so that its page can fill it in. */
  async invite(email: string | null, { planId = null, lifeMs }: InviteOptions = {}): Promise<CreatedInvite> {
    const whose = { email, emailHash: email === null ? null : emailHash(email) };
    const { link, made } = this.#make("invite", { ...whose, planId }, lifeMs);
    await this.store.create(link);
    const path = email === null ? made.path : `${made.path}&email=${encodeURIComponent(email)}`;
    return { ...made, path, id: inviteId(link.hash) };
  }

  /** Null while an admin exists, or a set-up link that still works. */
  async setup(): Promise<CreatedLink | null> {
    const { link, made } = this.#make("setup", {});
    return (await this.store.createSetup(link)) ? made : null;
  }

  #make(
    kind: LinkKind,
    use: Partial<Pick<NewLink, "accountId" | "emailHash" | "email" | "planId">>,
    lifeMs = linkLifeMs[kind],
  ): { link: NewLink; made: CreatedLink } {
    const { token, hash } = newHashedToken();
    const createdAt = this.clock.now();
    const expiresAt = new Date(createdAt.getTime() + lifeMs);
    return {
      link: { kind, hash, accountId: null, emailHash: null, ...use, createdAt, expiresAt },
      made: { path: pages[kind] + token, expiresAt },
    };
  }
}

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

export const deadLink = (): DashboardError =>
  new DashboardError("not_found", "This link was used already or has expired. Ask for a new one.", {
    field: "token",
  });
