/**
 * Invitations that wait for someone to sign up. While one is pending its address is kept, so that admins can tell
 * them apart; once it is used, revoked or expired nothing is left of it but its id in the audit trail, the beginning of
 * a hash, which only someone who kept the link could match to it.
 */
import type { SignUpMode } from "./sign-up-mode.js";
import type { Actor, Audit } from "../audit.js";
import { DashboardError } from "../dashboard-error.js";
import type { LinkStore } from "../sign-in/ports.js";
import type { Clock } from "../clock.js";
import type { Store } from "../store.js";
import { inviteMail } from "../sign-in/mail.js";
import { addressTaken, checkedEmail } from "./sign-up.js";
import {
  notPending,
  pendingInvite,
  requireRoomForInvite,
  type CreatedLink,
  type OneTimeLinks,
  type PendingInvite,
} from "../sign-in/one-time-links.js";
import { checkPlanId } from "./plans.js";
import type { Outbox } from "../sign-in/outbox.js";

const dayMs = 24 * 60 * 60_000;
/** So that the list can be shown whole. */
const mostPending = 500;

export interface InviteRequest {
  /** Null for anyone. */
  email: string | null;
  /** Null for the default plan. */
  planId: string | null;
  days: number;
}

interface InvitesParts {
  store: Store & { readonly links: LinkStore };
  links: OneTimeLinks;
  audit: Audit;
  outbox: Outbox;
  signUp: SignUpMode;
  ownerName: () => string;
  publicUrl: () => string;
  clock: Clock;
}

export class Invites {
  constructor(private readonly parts: InvitesParts) {}

  /** Mailed too when it is for an address and there is a mail server. */
  async create(actor: Actor, { email: typed, planId, days }: InviteRequest): Promise<CreatedLink> {
    const { store, links, audit, outbox, publicUrl, ownerName, signUp } = this.parts;
    if (signUp === "closed") {
      throw new DashboardError("conflict", "Sign-up is closed, so an invitation would not work.");
    }
    const email = typed === null ? null : checkedEmail(typed);
    if (planId !== null) await checkPlanId(store, planId);
    if (email !== null && (await store.findAccountByEmail(email)) !== null) throw addressTaken();
    requireRoomForInvite(await this.pending(), mostPending);
    const made = await links.invite(email, { planId, lifeMs: days * dayMs });
    await audit.record(actor, "created invitation", made.id);
    if (email !== null)
      outbox.post(async () => inviteMail(email, publicUrl() + made.path, ownerName(), days));
    return made;
  }

  /** Newest first. */
  async pending(): Promise<PendingInvite[]> {
    const found = await this.parts.store.links.listInvites(this.parts.clock.now(), mostPending);
    return found.map(pendingInvite);
  }

  /** Throws `not_found` unless it is pending. */
  async require(id: string): Promise<PendingInvite> {
    const invite = (await this.pending()).find((pending) => pending.id === id);
    if (invite === undefined) throw notPending();
    return invite;
  }

  /** Its link stops working. */
  async revoke(actor: Actor, id: string): Promise<void> {
    const { hash } = await this.require(id);
    if (!(await this.parts.store.links.revokeInvite(hash))) throw notPending();
    await this.parts.audit.record(actor, "revoked invitation", id);
  }
}
