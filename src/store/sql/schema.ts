/**
 * The tables as TypeScript sees them. Times are whole milliseconds since 1970; a Postgres connection must
 * be set to read its 8-byte integers as numbers.
 */
import type { StepKind } from "../../core/factors/ports.js";
import type { LinkKind, SessionMethod } from "../../core/sign-in/ports.js";
import type { AccountKind, Role, TeamRole } from "../../core/entities.js";
import type { Round } from "../../core/single-sign-on/ports.js";

export interface Schema {
  accounts: AccountRow;
  plans: PlanRow;
  keys: KeyRow;
  teams: TeamRow;
  memberships: MembershipRow;
  scim_users: ScimUserRow;
  sessions: SessionRow;
  totp: TotpRow;
  passkeys: PasskeyRow;
  recovery_codes: RecoveryCodeRow;
  sign_in_steps: SignInStepRow;
  oidc_identities: OidcIdentityRow;
  oidc_rounds: OidcRoundRow;
  oidc_sessions: OidcSessionRow;
  oidc_logouts: OidcLogoutRow;
  links: LinkRow;
  usage: UsageRow;
  account_days: AccountDayRow;
  key_days: KeyDayRow;
  key_spans: KeySpanRow;
  quota_days: QuotaDayRow;
  quota_warnings: QuotaWarningRow;
  service_usage: ServiceUsageRow;
  outcomes: OutcomeRow;
  changelog: ChangelogRow;
  maintenance: MaintenanceRow;
  audit: AuditRow;
  settings: SettingRow;
  changes: ChangeRow;
  change_counter: ChangeCounterRow;
  statement_log: StatementLogRow;
  webhooks: WebhookRow;
  webhook_deliveries: WebhookDeliveryRow;
  migrations: MigrationRow;
}

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

export interface AccountRow {
  id: string;
  kind: AccountKind;
  /** Of a team: its name. */
  email: string;
  /** The email as it is compared; of a team its id, so that no address is the same. */
  email_lower: string;
  /** When a link mailed to it was opened; null where none was. */
  email_verified_at: number | null;
  password_hash: string | null;
  role: Role;
  plan_id: string;
  suspended_at: number | null;
  created_at: number;
}

/** Null: none. */
export interface QuotaColumns {
  requests_per_day: number | null;
  tokens_per_day: number | null;
  requests_per_month: number | null;
  tokens_per_month: number | null;
}

export interface PlanRow extends QuotaColumns {
  id: string;
  name: string;
  requests_per_minute: number;
  tokens_per_minute: number;
  concurrent_requests: number;
  max_keys: number;
  max_tokens: number | null;
  /** Comma-separated; null for every model. */
  models: string | null;
  /** 1 or 0. */
  requires_encryption: number;
  weight: number;
}

export interface KeyRow extends QuotaColumns {
  id: string;
  account_id: string;
  /** SHA-256 of the key's text. */
  hash: Uint8Array;
  last_four: string;
  name: string;
  /** Comma-separated; null for every model. */
  models: string | null;
  /** Comma-separated; null for every operation. */
  operations: string | null;
  /** Null where the plan's limit alone counts. */
  requests_per_minute: number | null;
  tokens_per_minute: number | null;
  concurrent_requests: number | null;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  disabled_at: number | null;
  /** When the day began, in UTC: nothing finer is kept. */
  last_used_at: number | null;
  /** The model of the last request of that day that named one. */
  last_used_model: string | null;
  /** Comma-separated; null for none. */
  tags: string | null;
  /** The id of the key that this one took the place of. */
  replaces: string | null;
  /** The id that its own limits are counted under; null for `id`. */
  lineage: string | null;
  /** Networks, comma-separated; null for any. */
  allow_from: string | null;
  /** In a team: whose key it is; null for a service key, and for the key of a person's own account. */
  member_id: string | null;
  /** Comma-separated; null for none. */
  scopes: string | null;
}

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
export interface MembershipRow extends QuotaColumns {
  team_id: string;
  account_id: string;
  role: TeamRole;
  requests_per_minute: number | null;
  tokens_per_minute: number | null;
  concurrent_requests: number | null;
  created_at: number;
  /** The identity provider whose groups made it; null for one that people or SCIM made. */
  provider_id: string | null;
}

/** What SCIM has said about an account. */
export interface ScimUserRow {
  account_id: string;
  user_name: string;
  /** As it is compared. */
  user_name_lower: string;
  external_id: string | null;
  /** The time of the suspension that SCIM asked for, which it alone may lift over SCIM; null without one. */
  inactive_since: number | null;
}

export interface SessionRow {
  /** SHA-256 of the token in the cookie. */
  hash: Uint8Array;
  account_id: string;
  method: SessionMethod;
  /** The kind of browser; null where it is not known. */
  device: string | null;
  created_at: number;
  /** Null where that was when it began. */
  confirmed_at: number | null;
  last_seen_at: number;
  /** When it ends even if it is used every day. */
  expires_at: number;
}

/** An authenticator app. */
export interface TotpRow {
  account_id: string;
  sealed_secret: string;
  /** The latest step of time of which a code was used. */
  last_step: number;
  created_at: number;
  /** Null until the first code was typed. */
  confirmed_at: number | null;
}

export interface PasskeyRow {
  id: string;
  account_id: string;
  name: string;
  public_key: string;
  counter: number;
  /** Comma-separated. */
  transports: string;
  /** 1 or 0. */
  can_sync: number;
  is_synced: number;
  created_at: number;
  last_used_at: number | null;
}

/** One that was not used. */
export interface RecoveryCodeRow {
  hash: Uint8Array;
  account_id: string;
}

export interface SignInStepRow {
  /** SHA-256 of a random token. */
  hash: Uint8Array;
  kind: StepKind;
  account_id: string | null;
  expires_at: number;
}

/** A one-time link that has not been used. */
export interface LinkRow {
  /** SHA-256 of the token in the link. */
  hash: Uint8Array;
  kind: LinkKind;
  /** The account of a link about one that exists; null for set-up and invitations. */
  account_id: string | null;
  /** SHA-256 of the address that an invitation is for; null for any. */
  email_hash: Uint8Array | null;
  /** The same address as it is shown to admins while the invitation is pending; or the new address of an account. */
  email: string | null;
  /** The plan of the account that an invitation creates; null for the default one. */
  plan_id: string | null;
  /** The team that an invitation is to, and the role in it. */
  team_id: string | null;
  team_role: TeamRole | null;
  created_at: number;
  expires_at: number;
}

/** How many replies had their first token in this step of the histogram. */
export type FirstTokenColumn = `first_token_${number}`;

export interface UsageRow extends Record<FirstTokenColumn, number> {
  account_id: string;
  /** A key's id, or `playground`. */
  key_id: string;
  /** Empty for requests that were refused before it was known. */
  model: string;
  /** When the hour began. */
  hour: number;
  requests: number;
  errors: number;
  rate_limited: number;
  unavailable: number;
  prompt_tokens: number;
  completion_tokens: number;
  first_token_ms: number;
  first_token_min_ms: number | null;
  first_token_max_ms: number | null;
}

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

export interface QuotaDayRow {
  account_id: string;
  /** As in 2026-11-16, in the time zone of the quotas. */
  day: string;
  /** A key's id, or `playground`. */
  key_id: string;
  requests: number;
  tokens: number;
}

/** A warning that was mailed: for one quota, window and level. */
export interface QuotaWarningRow {
  account_id: string;
  name: string;
  sent_at: number;
}

/** What all accounts did together. */
export type ServiceUsageRow = Omit<UsageRow, "account_id" | "key_id">;

/** How requests ended, of all accounts and of callers without one. */
export interface OutcomeRow {
  /** When the hour began. */
  hour: number;
  /** Empty where it was not known yet. */
  model: string;
  /** An error code, or `none`. */
  code: string;
  requests: number;
}

export interface ChangelogRow {
  id: string;
  title: string;
  body: string;
  published_at: number;
  updated_at: number;
}

export interface MaintenanceRow {
  id: string;
  title: string;
  body: string;
  starts_at: number;
  ends_at: number;
  ended_at: number | null;
  published_at: number;
  updated_at: number;
}

/** Someone at an identity provider, who may sign in to the account. */
export interface OidcIdentityRow {
  id: string;
  account_id: string;
  /** The id of the provider, which may be gone. */
  provider: string;
  issuer: string;
  subject: string;
  created_at: number;
  last_used_at: number;
}

/** A sign-in with a provider that is under way, for ten minutes. */
export interface OidcRoundRow {
  /** SHA-256 of the token in the browser's cookie. */
  hash: Uint8Array;
  provider: string;
  purpose: Round["purpose"];
  account_id: string | null;
  next: string;
  /** 1 or 0. */
  invite_hash: Uint8Array | null;
  /** JSON; null until the provider has answered. */
  identity: string | null;
  expires_at: number;
}

/** What a session was begun by, where it was a provider. */
export interface OidcSessionRow {
  session_hash: Uint8Array;
  provider: string;
  issuer: string;
  subject: string;
  /** The provider's own session. */
  sid: string | null;
}

/** A logout token that was used. */
export interface OidcLogoutRow {
  /** SHA-256 of its issuer and id. */
  hash: Uint8Array;
  expires_at: number;
}

/** Names people by their account's id, so that a deleted account leaves no address behind. */
export interface AuditRow {
  id: string;
  at: number;
  actor: string;
  action: string;
  target: string;
}

/** Rows are appended, and never changed or deleted. */
export interface StatementLogRow {
  /** From 0, without gaps. */
  number: number;
  at: number;
  /** The signed entry as canonical JSON. */
  body: string;
}

export interface WebhookRow {
  id: string;
  url: string;
  description: string;
  /** Comma-separated; null for all. */
  events: string | null;
  created_at: number;
  off_at: number | null;
  off_reason: string | null;
  failing_since: number | null;
}

export interface WebhookDeliveryRow {
  id: string;
  webhook_id: string;
  /** The account that it is about, if it is about one. */
  account_id: string | null;
  type: string;
  body: string;
  created_at: number;
  /** When it is given up. */
  retry_until: number;
  /** When it is due, also again after a server that has claimed it; null when it is done. */
  next_at: number | null;
  attempts: number;
  delivered_at: number | null;
  last_at: number | null;
  response_status: number | null;
  error: string | null;
  duration_ms: number | null;
}

export interface SettingRow {
  name: string;
  value: string;
}

/** Kept for an hour or two. */
export interface ChangeRow {
  id: number;
  kind: string;
  subject: string;
  at: number;
}

/** One row. */
export interface ChangeCounterRow {
  id: 1;
  last: number;
}

/** A migration that was applied to this database. */
export interface MigrationRow {
  number: number;
  name: string;
  applied_at: number;
  /** Of the program that applied it. */
  version: string | null;
}
