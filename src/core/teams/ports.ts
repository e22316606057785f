/** What teams need from the store. */
import type { Account, KeyLimits, Plan, Quotas, TeamRole } from "../entities.js";
import type { NewLink } from "../sign-in/ports.js";

/** As an account it holds the team's keys, plan and usage. */
export interface Team extends Account {
  name: string;
  /** In place of the plan's; null where the plan's count. */
  quotas: Quotas;
  /** Whoever has a verified address there may join as a member; null for nobody. */
  joinDomain: string | null;
  /** Networks that its keys and pages may be used from, as in `networks.ts`; null: any. */
  allowFrom: readonly string[] | null;
  /** Members must have a second factor; null where they need not. */
  secondFactor: TeamFactor | null;
}

interface TeamFactor {
  /** Before it is required of a member, from `since` or from when they joined. */
  graceDays: number;
  since: Date;
}

export interface TeamSummary {
  team: Team;
  members: number;
  /** How many of its keys have neither expired nor been revoked. */
  liveKeys: number;
}

export interface Membership {
  teamId: string;
  accountId: string;
  email: string;
  /** Of the account. */
  suspendedAt: Date | null;
  role: TeamRole;
  /** The member's own in this team. */
  limits: KeyLimits;
  joinedAt: Date;
  /** The identity provider whose groups made it, and may end it; null for any other. */
  providerId: string | null;
}

/** What a deleted team takes with it. */
export interface TeamCounts {
  members: number;
  keys: number;
  liveKeys: number;
  invitations: number;
}

export interface TeamChange {
  name?: string;
  planId?: string;
  quotas?: Quotas;
  joinDomain?: string | null;
  allowFrom?: readonly string[] | null;
  secondFactor?: TeamFactor | null;
}

/** `last_owner`: nothing was done, since the team would have no owner. `none`: there is no such member. */
export type MemberOutcome = "done" | "last_owner" | "none";

/** Changes to a team apply to its next request, on every replica. Reads return null for a team that does not exist. */
export interface TeamStore {
  /** Without an owner, admins of the service decide about it until they appoint one. */
  create(team: { name: string; planId: string; ownerId: string | null }): Promise<Team>;
  find(id: string): Promise<Team | null>;
  /** With the plan that counts; null unless the account is in the team. */
  findFor(id: string, accountId: string): Promise<{ team: Team; plan: Plan; role: TeamRole } | null>;
  /** By name; `search` is part of it or the beginning of an id. */
  list(
    search: string,
    page: { offset: number; limit: number },
    now: Date,
  ): Promise<{ teams: TeamSummary[]; total: number }>;
  /** Those that the account is in, by name. */
  ofAccount(accountId: string): Promise<{ team: Team; role: TeamRole }[]>;
  /** Those that an address of this domain may join, by name. */
  byDomain(domain: string, limit: number): Promise<Team[]>;
  change(id: string, change: TeamChange): Promise<Team | null>;
  /** A time refuses its keys and ends its streams. */
  setSuspended(id: string, at: Date | null): Promise<void>;
  count(id: string, now: Date): Promise<TeamCounts>;
  /** With its keys, memberships, invitations and usage. */
  remove(id: string): Promise<void>;

  membership(id: string, accountId: string): Promise<Membership | null>;
  /** Owners first, then by address. */
  members(id: string): Promise<Membership[]>;
  /** Every membership of the account. */
  membershipsOf(accountId: string): Promise<Membership[]>;
  /** False when the account is in the team already, or is no person's. `providerId` as in `Membership`. */
  addMember(id: string, accountId: string, role: TeamRole, providerId?: string | null): Promise<boolean>;
  /**
   * The keys of one who becomes a viewer are revoked in the same transaction, and the invitations of one who does not
   * become an owner.
   */
  setRole(id: string, accountId: string, role: TeamRole, at: Date): Promise<MemberOutcome>;
  /** False when there is no such member. */
  setLimits(id: string, accountId: string, limits: KeyLimits): Promise<boolean>;
  /** The member's keys and invitations are revoked in the same transaction. */
  removeMember(id: string, accountId: string, at: Date): Promise<MemberOutcome>;

  /** Invitations that were not used and have not expired, newest first. */
  listInvites(id: string, now: Date, limit: number): Promise<NewLink[]>;
  /** False when there is no such invitation to this team (any more). */
  revokeInvite(id: string, hash: Uint8Array): Promise<boolean>;
  /**
   * Uses up an invitation, and makes the account a member; one who is in the team already keeps the role. Null when the
   * invitation does not work (any more) for this address.
   */
  acceptInvite(
    hash: Uint8Array,
    account: { id: string; emailHash: Uint8Array },
    now: Date,
  ): Promise<Team | null>;
}
