/**
 * Events about accounts, keys, teams and maintenance, from the audit trail: whatever is changed, by whichever page, command or
 * API, is recorded there. A deleted account has no id in it; `account.deleted` is published where accounts end.
 */
import type { AuditAction } from "../audit-actions.js";
import type { TeamMatter } from "../audit.js";
import type { Account, ApiKey, TeamRole } from "../entities.js";
import type { EventSink, ServiceEvent } from "./events.js";

export interface AnnouncedWindow {
  id: string;
  startsAt: Date;
  endsAt: Date;
}

export interface AuditEventParts {
  findKey: (id: string) => Promise<ApiKey | null>;
  findAccount: (id: string) => Promise<Account | null>;
  findRole: (teamId: string, accountId: string) => Promise<TeamRole | null>;
  findWindow: (id: string) => Promise<AnnouncedWindow | null>;
  events: EventSink;
}

const ofKeys: Partial<Record<AuditAction, "key.created" | "key.rotated" | "key.revoked">> = {
  "created key": "key.created",
  "rotated key": "key.rotated",
  "revoked key": "key.revoked",
};

type AccountEventType =
  "account.created" | "account.suspended" | "account.reactivated" | "account.plan_changed";

const ofAccounts: Partial<Record<AuditAction, AccountEventType>> = {
  "set up the service": "account.created",
  "signed up": "account.created",
  "created account": "account.created",
  "suspended account": "account.suspended",
  "resumed account": "account.reactivated",
  "changed plan of account": "account.plan_changed",
};

type TeamEventType = "team.created" | "team.changed" | "team.suspended" | "team.reactivated" | "team.deleted";

const ofTeams: Partial<Record<AuditAction, TeamEventType>> = {
  "created team": "team.created",
  "changed team": "team.changed",
  "changed plan of team": "team.changed",
  "changed quotas of team": "team.changed",
  "changed security of team": "team.changed",
  "suspended team": "team.suspended",
  "resumed team": "team.reactivated",
  "deleted team": "team.deleted",
};

type MemberEventType = "team.member_joined" | "team.member_left" | "team.member_changed";

const ofMembers: Partial<Record<AuditAction, MemberEventType>> = {
  "joined team": "team.member_joined",
  "added member of team": "team.member_joined",
  "left team": "team.member_left",
  "removed member of team": "team.member_left",
  "changed role in team": "team.member_changed",
};

const ofMaintenance: Partial<Record<AuditAction, "maintenance.announced" | "maintenance.ended">> = {
  "scheduled maintenance": "maintenance.announced",
  "changed maintenance": "maintenance.announced",
  "called off maintenance": "maintenance.ended",
  "ended maintenance": "maintenance.ended",
};

/** To be called with every line of the audit trail. */
export const auditEvents =
  (parts: AuditEventParts) =>
  async (action: AuditAction, target: string, team?: TeamMatter): Promise<void> => {
    const { findKey, findAccount, findWindow, events } = parts;
    const [keyType, accountType] = [ofKeys[action], ofAccounts[action]];
    const windowType = ofMaintenance[action];
    if (keyType !== undefined) {
      const key = await findKey(target);
      if (key !== null) events.publish(keyEvent(keyType, key));
    }
    if (accountType !== undefined) {
      const account = await findAccount(target);
      if (account === null) return;
      events.publish({ type: accountType, data: { account_id: account.id, plan_id: account.planId } });
    }
    if (team !== undefined) await teamEvents(parts, action, team);
    if (windowType !== undefined) {
      const window = await findWindow(target);
      if (window === null) return;
      // The end is also noticed by the clock (event-watch.ts).
      const options = windowType === "maintenance.ended" ? { once: window.id } : {};
      events.publish(maintenanceEvent(windowType, window), options);
    }
  };

async function teamEvents(
  { findAccount, findRole, events }: AuditEventParts,
  action: AuditAction,
  { teamId, memberId }: TeamMatter,
): Promise<void> {
  const [teamType, memberType] = [ofTeams[action], ofMembers[action]];
  if (teamType === "team.deleted") events.publish({ type: teamType, data: { team_id: teamId } });
  else if (teamType !== undefined) {
    const team = await findAccount(teamId);
    if (team !== null) events.publish({ type: teamType, data: { team_id: teamId, plan_id: team.planId } });
  }
  if (memberType !== undefined && memberId !== undefined && (await findAccount(memberId)) !== null) {
    const role = await findRole(teamId, memberId);
    events.publish({ type: memberType, data: { team_id: teamId, account_id: memberId, role } });
  }
}

export const keyEvent = (
  type: "key.created" | "key.rotated" | "key.expiring" | "key.revoked",
  { id, accountId, expiresAt, revokedAt }: Pick<ApiKey, "id" | "accountId" | "expiresAt" | "revokedAt">,
): ServiceEvent => ({
  type,
  data: {
    account_id: accountId,
    key_id: id,
    expires_at: expiresAt?.toISOString() ?? null,
    revoked_at: revokedAt?.toISOString() ?? null,
  },
});

export const maintenanceEvent = (
  type: "maintenance.announced" | "maintenance.ended",
  { id, startsAt, endsAt }: AnnouncedWindow,
): ServiceEvent => ({
  type,
  data: { maintenance_id: id, starts_at: startsAt.toISOString(), ends_at: endsAt.toISOString() },
});
