/**
 * Invitations into a team, by link. Whoever opens one needs an account: a team's members decide who joins the team, not
 * who joins the service. Like other invitations they leave nothing behind but their id in the audit trail.
 */
import type { Audit } from "../audit.js";
import { checkedEmail } from "../accounts/sign-up.js";
import type { Clock } from "../clock.js";
import type { Admissions } from "../counters.js";
import { DashboardError } from "../dashboard-error.js";
import type { Account, TeamRole } from "../entities.js";
import { teamInviteMail } from "../sign-in/mail.js";
import {
  type CreatedLink,
  deadLink,
  isForAddress,
  notPending,
  type OneTimeLinks,
  pendingInvite,
  type PendingInvite,
  requireRoomForInvite,
} from "../sign-in/one-time-links.js";
import type { Outbox } from "../sign-in/outbox.js";
import type { LinkStore, NewLink } from "../sign-in/ports.js";
import { emailHash, tokenHash } from "../sign-in/secret-token.js";
import { Throttle } from "../sign-in/throttle.js";
import type { Team, TeamStore } from "./ports.js";
import { mayDecideOn } from "./roles.js";
import type { Teams } from "./teams.js";

const dayMs = 24 * 60 * 60_000;
const mostPending = 200;
/** Each goes to an address that the sender chooses. */
const mostMails = { name: "team-invitations", limit: 100, windowMs: 60 * 60_000 };

export interface TeamInviteRequest {
  /** Null for anyone who has an account. */
  email: string | null;
  role: TeamRole;
  days: number;
}

export interface TeamInvitesParts {
  teams: Pick<Teams, "open" | "requireRoom">;
  store: Pick<TeamStore, "find" | "listInvites" | "revokeInvite" | "acceptInvite">;
  linkStore: Pick<LinkStore, "find">;
  links: Pick<OneTimeLinks, "team">;
  audit: Pick<Audit, "record">;
  outbox: Pick<Outbox, "post">;
  ownerName: () => string;
  publicUrl: () => string;
  admissions: Admissions;
  clock: Clock;
}

export class TeamInvites {
  readonly #mails: Throttle;

  constructor(private readonly parts: TeamInvitesParts) {
    this.#mails = new Throttle(parts.admissions, parts.clock, mostMails);
  }

  /** Mailed too when it is for an address and there is a mail server. */
  async create(
    account: Account,
    teamId: string,
    { email: typed, role, days }: TeamInviteRequest,
  ): Promise<CreatedLink> {
    const { teams, links, audit, outbox, publicUrl, ownerName } = this.parts;
    const { team, role: by } = await teams.open(account, teamId, "manage");
    if (!mayDecideOn(by, role)) {
      throw new DashboardError("forbidden", "Only an owner may invite an owner.");
    }
    const email = typed === null ? null : checkedEmail(typed);
    await teams.requireRoom(teamId);
    requireRoomForInvite(await this.#pending(teamId), mostPending);
    if (email !== null) await this.#mails.attempt(account.id);
    const made = await links.team({ id: teamId, role }, account.id, email, days * dayMs);
    await audit.record({ accountId: account.id }, "created invitation to team", teamId);
    if (email !== null) {
      outbox.post(async () =>
        teamInviteMail(email, publicUrl() + made.path, { owner: ownerName(), team: team.name, days }),
      );
    }
    return made;
  }

  /** Newest first. */
  async list(account: Account, teamId: string): Promise<PendingInvite[]> {
    await this.parts.teams.open(account, teamId, "manage");
    return this.#pending(teamId);
  }

  async revoke(account: Account, teamId: string, id: string): Promise<void> {
    const { teams, store, audit } = this.parts;
    await teams.open(account, teamId, "manage");
    const invite = (await this.#pending(teamId)).find((pending) => pending.id === id);
    if (invite === undefined || !(await store.revokeInvite(teamId, invite.hash))) throw notPending();
    await audit.record({ accountId: account.id }, "revoked invitation to team", teamId);
  }

  /** What an invitation is to. Throws when it does not work (any more) for this account. */
  async look(account: Account, token: string): Promise<{ team: Team; role: TeamRole; hash: Uint8Array }> {
    const { linkStore, store, clock } = this.parts;
    const hash = tokenHash(token);
    const link = hash === null ? null : await linkStore.find("team", hash, clock.now());
    if (link?.team == null) throw deadLink();
    requireAddress(link, account);
    const team = await store.find(link.team.id);
    if (team === null || team.suspendedAt !== null) throw deadLink();
    return { team, role: link.team.role, hash: link.hash };
  }

  /** One who is in the team already keeps the role. */
  async accept(account: Account, token: string): Promise<Team> {
    const { team, hash } = await this.look(account, token);
    await this.parts.teams.requireRoom(team.id);
    const whose = { id: account.id, emailHash: emailHash(account.email) };
    const joined = await this.parts.store.acceptInvite(hash, whose, this.parts.clock.now());
    if (joined === null) throw deadLink();
    const matter = { teamId: team.id, memberId: account.id };
    await this.parts.audit.record({ accountId: account.id }, "joined team", team.id, matter);
    return joined;
  }

  /** The link stops working. */
  async decline(account: Account, token: string): Promise<void> {
    const { team, hash } = await this.look(account, token);
    if (!(await this.parts.store.revokeInvite(team.id, hash))) throw deadLink();
    await this.parts.audit.record({ accountId: account.id }, "declined invitation to team", team.id);
  }

  async #pending(teamId: string): Promise<PendingInvite[]> {
    const { store, clock } = this.parts;
    const found = await store.listInvites(teamId, clock.now(), mostPending);
    return found.map(pendingInvite);
  }
}

function requireAddress(link: NewLink, { email }: Account): void {
  if (isForAddress(link, email)) return;
  throw new DashboardError("forbidden", "This invitation is for another address. Sign in with that one.", {
    field: "token",
  });
}
