/**
 * What happens in the service that other programs may want to know. Events carry ids and counts, never content, secrets
 * or addresses of people. `data` is sent as it is here; docs/webhooks.md describes each.
 */
import type { TeamRole } from "../entities.js";

interface OfKey {
  account_id: string;
  key_id: string;
  expires_at: string | null;
  /** From when on it is refused; null where it was not revoked. */
  revoked_at: string | null;
}

interface OfAccount {
  account_id: string;
  plan_id: string;
}

interface OfTeam {
  team_id: string;
  plan_id: string;
}

interface OfMember {
  team_id: string;
  account_id: string;
  /** Null for one who has left. */
  role: TeamRole | null;
}

interface OfMaintenance {
  maintenance_id: string;
  starts_at: string;
  ends_at: string;
}

interface OfEngine {
  model: string;
  /** The machine whose server noticed it: each replica has its own view of an engine. */
  server: string;
}

interface OfQuota {
  account_id: string;
  /** The first key of its chain of rotations; null for a quota of the account. */
  key_id: string | null;
  /** The member of the team whose own quota it is; null for that of a key or the whole account. */
  member_id: string | null;
  unit: "requests" | "tokens";
  period: "day" | "month";
  /** As in 2026-11-17 or 2026-11. */
  window: string;
  percent: 80 | 100;
  used: number;
  limit: number;
}

/** Those that a webhook can ask for, in the order in which they are shown. */
export const eventTypes = [
  "quota.reached",
  "engine.down",
  "engine.up",
  "key.created",
  "key.rotated",
  "key.expiring",
  "key.revoked",
  "account.created",
  "account.suspended",
  "account.reactivated",
  "account.plan_changed",
  "account.deleted",
  "team.created",
  "team.changed",
  "team.suspended",
  "team.reactivated",
  "team.deleted",
  "team.member_joined",
  "team.member_left",
  "team.member_changed",
  "maintenance.announced",
  "maintenance.ended",
] as const;

export type SubscribedType = (typeof eventTypes)[number];

/** `webhook.test` is sent on demand, to one webhook. */
export type EventType = SubscribedType | "webhook.test";

type Of<Area extends string> = Extract<SubscribedType, `${Area}.${string}`>;
type MemberEvent = Extract<SubscribedType, `team.member_${string}`>;

type EventData = Record<Of<"quota">, OfQuota> &
  Record<Of<"engine">, OfEngine> &
  Record<Of<"key">, OfKey> &
  Record<Exclude<Of<"account">, "account.deleted">, OfAccount> &
  Record<"account.deleted", { account_id: string }> &
  Record<Exclude<Of<"team">, MemberEvent | "team.deleted">, OfTeam> &
  Record<"team.deleted", { team_id: string }> &
  Record<MemberEvent, OfMember> &
  Record<Of<"maintenance">, OfMaintenance> &
  Record<"webhook.test", { webhook_id: string }>;

export type ServiceEvent = { [Type in EventType]: { type: Type; data: EventData[Type] } }[EventType];

export interface PublishOptions {
  /** Names the occurrence: of several replicas that publish it, one is heard. */
  once?: string;
}

export interface EventSink {
  /** Whether anything listens, as far as is known: what costs a query to find out can be left. */
  readonly isListening: boolean;
  /** Returns immediately and never throws. An event is lost while the database is unreachable. */
  publish(event: ServiceEvent, options?: PublishOptions): void;
}
