/**
 * What happens in the service that other programs may want to know. Events carry ids and counts, never content, secrets
 * or addresses of people. `data` is sent as it is here; docs/webhooks.md describes each.
 */
import type { TeamRole } from "../entities.js";

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

type EventData = Record<
  Of<"quota">,
  {
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
> &
  /** `server`: the machine whose server noticed it, since each replica has its own view of an engine. */
  Record<Of<"engine">, { model: string; server: string }> &
  /** `revoked_at`: from when on it is refused; null where it was not revoked. */
  Record<
    Of<"key">,
    { account_id: string; key_id: string; expires_at: string | null; revoked_at: string | null }
  > &
  Record<Exclude<Of<"account">, "account.deleted">, { account_id: string; plan_id: string }> &
  Record<"account.deleted", { account_id: string }> &
  Record<Exclude<Of<"team">, MemberEvent | "team.deleted">, { team_id: string; plan_id: string }> &
  Record<"team.deleted", { team_id: string }> &
  /** `role`: null for one who has left. */
  Record<MemberEvent, { team_id: string; account_id: string; role: TeamRole | null }> &
  Record<Of<"maintenance">, { maintenance_id: string; starts_at: string; ends_at: string }> &
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
