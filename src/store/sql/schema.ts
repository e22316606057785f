/**
 * The tables as TypeScript sees them. Times are whole milliseconds since 1970; a Postgres connection must
 * be set to read its 8-byte integers as numbers.
 */
import type { Kysely, Transaction } from "kysely";
import type { ChangelogItem, Outcomes } from "../../core/admin/ports.js";
import type { Account, ApiKey, KeyLimits, Plan, Quotas, TeamRole } from "../../core/entities.js";
import type { Delivery, Webhook } from "../../core/events/ports.js";
import type { Passkey, SignInStep } from "../../core/factors/ports.js";
import type { ScimUser } from "../../core/scim/ports.js";
import type { MaintenanceWindow } from "../../core/serving/maintenance-gate.js";
import type { NewLink, Session } from "../../core/sign-in/ports.js";
import type { LinkedIdentity, Round } from "../../core/single-sign-on/ports.js";
import type { QuotaDay, UsageBucketRow } from "../../core/usage/ports.js";

export interface Schema {
  accounts: AccountRow;
  plans: PlanRow;
  keys: KeyRow;
  teams: TeamRow;
  memberships: MembershipRow;
  scim_users: ScimUserRow;
  sessions: SessionRow;
  /** An authenticator app. */
  totp: {
    account_id: string;
    sealed_secret: string;
    /** The latest step of time of which a code was used. */
    last_step: number;
    created_at: number;
    /** Null until the first code was typed. */
    confirmed_at: number | null;
  };
  passkeys: PasskeyRow;
  /** One that was not used. */
  recovery_codes: { hash: Uint8Array; account_id: string };
  sign_in_steps: Row<SignInStep>;
  oidc_identities: OidcIdentityRow;
  oidc_rounds: OidcRoundRow;
  /** What a session was begun by, where it was a provider. */
  oidc_sessions: {
    session_hash: Uint8Array;
    provider: string;
    issuer: string;
    subject: string;
    /** The provider's own session. */
    sid: string | null;
  };
  /** A logout token that was used. */
  oidc_logouts: {
    /** SHA-256 of its issuer and id. */
    hash: Uint8Array;
    expires_at: number;
  };
  links: LinkRow;
  usage: UsageRow;
  account_days: AccountDayRow;
  key_days: KeyDayRow;
  key_spans: KeySpanRow;
  quota_days: Row<Omit<QuotaDay, "memberId">>;
  /** A warning that was mailed: for one quota, window and level. */
  quota_warnings: { account_id: string; name: string; sent_at: number };
  /** What all accounts did together. */
  service_usage: Omit<UsageRow, "account_id" | "key_id">;
  outcomes: OutcomeRow;
  changelog: Row<ChangelogItem>;
  maintenance: Row<MaintenanceWindow>;
  /** Names people by their account's id, so that a deleted account leaves no address behind. */
  audit: {
    id: string;
    at: number;
    actor: string;
    /** The key of the actor's that it was done with. */
    actor_key: string | null;
    action: string;
    target: string;
  };
  settings: { name: string; value: string };
  /** Kept for an hour or two. */
  changes: { id: number; kind: string; subject: string; at: number };
  /** One row. */
  change_counter: { id: 1; last: number };
  /** Rows are appended, and never changed or deleted. */
  statement_log: {
    /** From 0, without gaps. */
    number: number;
    at: number;
    /** The signed entry as canonical JSON. */
    body: string;
  };
  webhooks: WebhookRow;
  webhook_deliveries: WebhookDeliveryRow;
  /** A migration that was applied to this database. */
  migrations: {
    number: number;
    name: string;
    applied_at: number;
    /** Of the program that applied it. */
    version: string | null;
  };
}

export type Db = Kysely<Schema>;
export type DbTransaction = Transaction<Schema>;

/** In the order of references: a table comes after those that it refers to. */
export const primaryKeys: {
  readonly [Table in keyof Schema]: readonly (keyof Schema[Table] & string)[];
} = {
  plans: ["id"],
  accounts: ["id"],
  teams: ["id"],
  memberships: ["team_id", "account_id"],
  scim_users: ["account_id"],
  keys: ["id"],
  sessions: ["hash"],
  totp: ["account_id"],
  passkeys: ["id"],
  recovery_codes: ["hash"],
  sign_in_steps: ["hash"],
  oidc_identities: ["id"],
  oidc_rounds: ["hash"],
  oidc_sessions: ["session_hash"],
  oidc_logouts: ["hash"],
  links: ["hash"],
  usage: ["account_id", "hour", "key_id", "model"],
  account_days: ["account_id", "day", "model"],
  key_days: ["account_id", "day", "key_id", "model"],
  key_spans: ["account_id", "span", "key_id", "model"],
  quota_days: ["account_id", "day", "key_id"],
  quota_warnings: ["account_id", "name"],
  service_usage: ["hour", "model"],
  outcomes: ["hour", "model", "code"],
  changelog: ["id"],
  maintenance: ["id"],
  audit: ["id"],
  settings: ["name"],
  changes: ["id"],
  change_counter: ["id"],
  statement_log: ["number"],
  webhooks: ["id"],
  webhook_deliveries: ["id"],
  migrations: ["number"],
};

/** The columns of an entity. Fields of any other kind have to be left out of it. */
export type Row<Entity> = {
  [Name in keyof Entity & string as Column<Name>]-?: Cell<Name, Entity[Name]>;
};

type Column<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Column<Rest>}`
  : "";

type TimeName = `${string}${"At" | "Since" | "Until"}`;
type FlagName = `${"is" | "can" | "requires"}${string}`;

type Cell<Name extends string, Value> = Value extends string | number | Uint8Array | null
  ? Value
  : Value extends undefined
    ? null
    : [Name, Value] extends [TimeName, Date] | [FlagName, boolean]
      ? number
      : never;

/** Of a team: `email` is its name, `email_lower` its id, so that no address is the same. */
export type AccountRow = Row<Account> & { email_lower: string; password_hash: string | null };

export type QuotaColumns = Row<Quotas>;

export type LimitColumns = Row<KeyLimits>;

/** Models are comma-separated; null for every one. */
export type PlanRow = Row<Omit<Plan, "models">> & { models: string | null };

type KeyList = "models" | "operations" | "tags" | "allowFrom" | "scopes";

/** Lists are comma-separated; null for none, of models, operations and networks for any. */
export type KeyRow = Row<Omit<ApiKey, KeyList | "limits" | "lastUsedModel" | "lineage">> &
  LimitColumns &
  Record<"models" | "operations" | "tags" | "allow_from" | "scopes", string | null> & {
    /** SHA-256 of the key's text. */
    hash: Uint8Array;
    /** Of any version: one that this version does not know is read as none. */
    last_used_model: string | null;
    /** Null for `id`. */
    lineage: string | null;
  };

/** What a team has besides its account. Quotas replace those of its plan; null where the plan's count. */
export interface TeamRow extends QuotaColumns {
  id: string;
  /** Whoever has a verified address there may join; null for nobody. */
  join_domain: string | null;
  /** Networks, comma-separated; null for any. */
  allow_from: string | null;
  /** How long members have to add a second factor, and since when they must; both null where they need not. */
  second_factor_days: number | null;
  second_factor_since: number | null;
  /** What SCIM calls it; null for nothing. */
  external_id: string | null;
}

/** Limits are those of the member in this team; null where only the team's count. */
export interface MembershipRow extends LimitColumns {
  team_id: string;
  account_id: string;
  role: TeamRole;
  created_at: number;
  /** The identity provider whose groups made it; null for one that people or SCIM made. */
  provider_id: string | null;
}

/** What SCIM has said about an account. `user_name_lower` is what is compared. */
export type ScimUserRow = Row<Omit<ScimUser, "account">> & { account_id: string; user_name_lower: string };

/** `confirmed_at` is null where that was when it began. */
export type SessionRow = Row<Omit<Session, "confirmedAt">> & { confirmed_at: number | null };

/** Transports are comma-separated. */
export type PasskeyRow = Row<Omit<Passkey, "transports">> & { transports: string };

/** A one-time link that has not been used. */
export type LinkRow = Row<Omit<NewLink, "team">> & { team_id: string | null; team_role: TeamRole | null };

/** How many replies had their first token in this step of the histogram. */
export type FirstTokenColumn = `first_token_${number}`;

/** `model` is empty for requests that were refused before it was known; `hour` is when it began. */
export type UsageRow = Row<Omit<UsageBucketRow, "firstTokens" | "model" | "start">> &
  Record<FirstTokenColumn, number> & { model: string; hour: number };

/** What an account did on one day, in UTC: the sum of its hours. */
export interface AccountDayRow extends Omit<UsageRow, "key_id" | "hour"> {
  /** When the day began. */
  day: number;
}

/** What one of its keys did, in the counts that are shown of a key. */
export interface KeyDayRow {
  account_id: string;
  day: number;
  key_id: string;
  model: string;
  requests: number;
  errors: number;
  /** Rate-limited or unavailable. */
  refused: number;
  tokens: number;
}

/** The sum of some of its days. */
export interface KeySpanRow extends Omit<KeyDayRow, "day"> {
  /** When the first of 32 days began. */
  span: number;
}

/** How requests ended, of all accounts and of callers without one, by the hour. `model` is empty where it was not known yet. */
export type OutcomeRow = Row<Pick<Outcomes, "requests">> & { hour: number; model: string; code: string };

/** `provider` is the id of one, which may be gone. */
export type OidcIdentityRow = Row<Omit<LinkedIdentity, "providerId">> & { provider: string };

/** A sign-in with a provider that is under way, for ten minutes. `identity` is JSON. */
export type OidcRoundRow = Row<Omit<Round, "providerId" | "identity">> & {
  provider: string;
  identity: string | null;
};

/** Events are comma-separated; null for all. */
export type WebhookRow = Row<Omit<Webhook, "events" | "off">> & {
  events: string | null;
  off_at: number | null;
  off_reason: string | null;
};

/** `next_at` is also when it is due again after a server that has claimed it. */
export type WebhookDeliveryRow = Row<Omit<Delivery, "type" | "error">> & {
  type: string;
  error: string | null;
};
