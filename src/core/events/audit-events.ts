/**
 * Events about accounts, keys, teams and maintenance, from the audit trail: whatever is changed, by whichever page, command or
 * API, is recorded there. A deleted account has no id in it; `account.deleted` is published where accounts end.
 */
import type { AuditAction } from "../audit-actions.js";
import type { TeamMatter } from "../audit.js";
import type { Account, ApiKey, TeamRole } from "../entities.js";
import type { EventSink, ServiceEvent, SubscribedType } from "./events.js";

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

type AuditedType = Exclude<
  SubscribedType,
  "quota.reached" | "engine.down" | "engine.up" | "key.expiring" | "account.deleted"
>;

const typeOf: Partial<Record<AuditAction, AuditedType>> = {
  "created key": "key.created",
  "rotated key": "key.rotated",
  "revoked key": "key.revoked",
  "set up the service": "account.created",
  "signed up": "account.created",
  "created account": "account.created",
  "suspended account": "account.suspended",
  "resumed account": "account.reactivated",
  "changed plan of account": "account.plan_changed",
  "created team": "team.created",
  "changed team": "team.changed",
  "changed plan of team": "team.changed",
  "changed quotas of team": "team.changed",
  "changed security of team": "team.changed",
  "suspended team": "team.suspended",
  "resumed team": "team.reactivated",
  "deleted team": "team.deleted",
  "joined team": "team.member_joined",
  "added member of team": "team.member_joined",
  "left team": "team.member_left",
  "removed member of team": "team.member_left",
  "changed role in team": "team.member_changed",
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
    const type = typeOf[action];
    if (type === undefined) return;
    if (isOf(type, "key.")) {
      const key = await findKey(target);
      if (key !== null) events.publish(keyEvent(type, key));
    } else if (isOf(type, "account.")) {
      const account = await findAccount(target);
      if (account === null) return;
      events.publish({ type, data: { account_id: account.id, plan_id: account.planId } });
    } else if (isOf(type, "maintenance.")) {
      const window = await findWindow(target);
      if (window === null) return;
      // The end is also noticed by the clock (event-watch.ts).
      const options = type === "maintenance.ended" ? { once: window.id } : {};
      events.publish(maintenanceEvent(type, window), options);
    } else if (team !== undefined) await teamEvent(parts, type, team);
  };

async function teamEvent(
  { findAccount, findRole, events }: AuditEventParts,
  type: Extract<AuditedType, `team.${string}`>,
  { teamId, memberId }: TeamMatter,
): Promise<void> {
  if (type === "team.deleted") events.publish({ type, data: { team_id: teamId } });
  else if (isOf(type, "team.member_")) {
    if (memberId === undefined || (await findAccount(memberId)) === null) return;
    const role = await findRole(teamId, memberId);
    events.publish({ type, data: { team_id: teamId, account_id: memberId, role } });
  } else {
    const team = await findAccount(teamId);
    if (team !== null) events.publish({ type, data: { team_id: teamId, plan_id: team.planId } });
  }
}

const isOf = <Area extends string>(
  type: AuditedType,
  area: Area,
): type is Extract<AuditedType, `${Area}${string}`> => type.startsWith(area);

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
