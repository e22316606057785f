/** What the service knows, in the shapes of the dashboard's API. */
import type { AccountSummary } from "../../core/accounts/ports.js";
import type { Announcement, WindowState } from "../../core/admin/news.js";
import type { ChangelogItem } from "../../core/admin/ports.js";
import { type AuditLine, deletedAccount, deletedKey } from "../../core/audit.js";
import type { ApiKey, Plan } from "../../core/entities.js";
import type { ListedKey } from "../../core/keys/key-list.js";
import { keyStatus } from "../../core/keys/key-status.js";
import type { QuotaNow, RateReading } from "../../core/limits/limits.js";
import { isOld, type SavedPrivacyCheck } from "../../core/proof/privacy-check.js";
import type { MaintenanceWindow } from "../../core/serving/maintenance-gate.js";
import type { CreatedLink } from "../../core/sign-in/one-time-links.js";
import type { SessionRecord } from "../../core/sign-in/ports.js";
import type * as wire from "../../protocol/dashboard/api.js";
import type { AuditEntry } from "../../protocol/dashboard/audit.js";
import { fieldsInJson } from "../../protocol/dashboard/in-json.js";
import type { KeyReference, ListedKeyView } from "../../protocol/dashboard/keys.js";
import type { DashboardServices } from "./services.js";

export const planView = ({ models, ...plan }: Plan): wire.PlanView => ({
  ...plan,
  models: models === null ? null : [...models],
});

export async function meView(
  { factorRequirement, clock }: Pick<DashboardServices, "factorRequirement" | "clock">,
  me: SessionRecord,
): Promise<wire.Me> {
  const { account, plan } = me;
  const missing = await factorRequirement.missing(me);
  return {
    account: {
      ...fieldsInJson(account, "id", "email", "role", "createdAt"),
      isEmailVerified: account.emailVerifiedAt !== null,
    },
    plan: planView(plan),
    missingFactor: missing && {
      by: missing.by.toISOString(),
      of: missing.of,
      isDue: missing.by <= clock.now(),
    },
  };
}

export const privacyCheckView = (saved: SavedPrivacyCheck | null, now: Date): wire.PrivacyCheckView | null =>
  saved && {
    at: saved.result.at,
    verdict: saved.verdict,
    isOld: isOld(saved.result, now),
    isSigned: saved.isSigned,
    requests: saved.result.requests_sent,
    waitedSeconds: saved.result.waited_seconds,
    places: saved.result.places,
  };

export function keyView(key: ApiKey, now: Date): wire.KeyView {
  const status = keyStatus(key, now);
  return {
    ...fieldsInJson(key, "id", "name", "lastFour", "models", "limits", "createdAt", "expiresAt"),
    ...fieldsInJson(key, "lastUsedModel", "tags", "allowFrom", "memberId", "scopes"),
    lastUsedDay: day(key.lastUsedAt),
    status,
    worksUntil: status === "expiring" ? time(key.revokedAt) : null,
  };
}

export const listedKeyView = ({ key, replaces, replacedBy }: ListedKey, now: Date): ListedKeyView => ({
  ...keyView(key, now),
  replaces: keyReference(replaces),
  replacedBy: keyReference(replacedBy),
});

const keyReference = (key: ApiKey | null): KeyReference | null =>
  key && fieldsInJson(key, "id", "name", "lastFour");

export const accountView = ({ account, ...summary }: AccountSummary): wire.AccountView => ({
  ...fieldsInJson(account, "id", "email", "role", "planId", "createdAt", "suspendedAt"),
  isEmailVerified: account.emailVerifiedAt !== null,
  canSignIn: summary.canSignIn,
  keys: summary.liveKeys,
  lastUsedDay: day(summary.lastUsedAt),
});

export const linkView = (made: CreatedLink, baseUrl: string): wire.OneTimeLink => ({
  link: baseUrl + made.path,
  expiresAt: made.expiresAt.toISOString(),
});

export const maintenanceView = (window: MaintenanceWindow, state: WindowState): wire.Maintenance => ({
  ...fieldsInJson(window, "id", "title", "body", "startsAt", "endsAt", "endedAt"),
  state,
});

export const entryView = (item: ChangelogItem): wire.ChangelogEntry => ({
  ...fieldsInJson(item, "id", "title", "body", "publishedAt"),
  kind: "entry",
  maintenance: null,
});

export function announcementView(
  announcement: Announcement,
  stateOf: (window: MaintenanceWindow) => WindowState,
): wire.ChangelogEntry {
  if (announcement.kind === "entry") return entryView(announcement.item);
  const window = announcement.item;
  return {
    ...entryView(window),
    kind: "maintenance",
    maintenance: maintenanceView(window, stateOf(window)),
  };
}

/** `targetName` is what the target is called now, unless it is an account or gone. */
export function auditView(line: AuditLine, targetName: string | null): AuditEntry {
  const { actorKeyName, targetKey } = line;
  const known = line.targetEmail ?? (targetKey && keyName(targetKey)) ?? targetName;
  return {
    id: line.id,
    at: line.at.toISOString(),
    actor: line.actorEmail ?? line.actor,
    actorId: line.actorEmail === null ? null : line.actor,
    actorKey: actorKeyName && keyName(actorKeyName),
    action: line.action,
    target: known ?? line.target,
    targetAccountId: line.targetEmail === null ? (targetKey?.accountId ?? null) : line.target,
    targetOwner: targetKey?.ownerEmail ?? null,
    targetIsId: known === null && !isWord(line.target),
  };
}

const keyName = ({ name, lastFour }: { name: string; lastFour: string }): string => `${name} (…${lastFour})`;

const isWord = (target: string): boolean => ["", deletedAccount, deletedKey].includes(target);

/** Nothing is waited for while everything is free. */
export const gaugeView = ({ limit, remaining, resetMs }: RateReading): wire.Gauge => ({
  limit,
  remaining,
  resetSeconds: remaining === limit ? 0 : Math.ceil(resetMs / 1000),
});

export const quotaView = ({ kind, window, limit, remaining }: QuotaNow): wire.QuotaNow => ({
  kind,
  period: window.period,
  limit,
  remaining,
  resetsAt: window.endsAt.toISOString(),
});

/** The day in UTC. */
const day = (date: Date | null): string | null => date?.toISOString().slice(0, 10) ?? null;

const time = (date: Date | null): string | null => date?.toISOString() ?? null;
