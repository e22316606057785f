/**
 * What is stored, and left after an account is deleted, in words: the source of /docs/privacy, docs/privacy.md and the
 * account page. Tests compare it with the tables and columns that exist (`test/contract/store`) and with the pages.
 * What admins can read is in `protocol/dashboard/admin-visible.ts`.
 */

export interface StoredTable {
  title: string;
  /** Columns, separated by spaces, by the words for them; `first_token_*` stands for the steps of the histogram. */
  columns: Readonly<Record<string, string>>;
  kept: string;
  /** For a table with rows about accounts: why, told to their owner. */
  why?: string;
  /** What a deleted account leaves in it, and for how long; absent where nothing. */
  leaves?: Leftover;
}

export interface Leftover {
  what: string;
  until: string;
}

const created = "time of creation";
const expiry = "time of expiry";
const withAccount = "until the account is deleted";
const asUsage = "400 days, unless the operator changes it";
const withHours = "as long as usage";
const always = "as long as the service";

const counts = {
  model: "model",
  "number of requests": "requests",
  "number of errors": "errors",
  "number of refusals": "rate_limited unavailable",
  "number of tokens of prompts and replies": "prompt_tokens completion_tokens",
  "sum, minimum, maximum and histogram of the time to first token":
    "first_token_ms first_token_min_ms first_token_max_ms first_token_*",
};

const keyCounts = {
  account: "account_id",
  key: "key_id",
  model: "model",
  "number of requests": "requests",
  "number of errors": "errors",
  "number of refusals": "refused",
  "number of tokens": "tokens",
};

const quotaColumns = "requests_per_day tokens_per_day requests_per_month tokens_per_month";
const limits = { limits: `requests_per_minute tokens_per_minute concurrent_requests ${quotaColumns}` };

const announcement = {
  id: "id",
  title: "title",
  text: "body",
  "times of publication and of the last change": "published_at updated_at",
};

/** Every table of the database. */
export const storedTables: Readonly<Record<string, StoredTable>> = {
  accounts: {
    title: "Accounts",
    columns: {
      id: "id",
      "person or team": "kind",
      "email address, or the name of a team": "email",
      "the same in lowercase": "email_lower",
      "when the address was verified": "email_verified_at",
      "password hash (argon2id)": "password_hash",
      role: "role",
      plan: "plan_id",
      [created]: "created_at",
      "time of suspension": "suspended_at",
    },
    kept: withAccount,
    why: "Your account: the address you sign in with and when it was verified, a hash of your password, your role and plan.",
  },
  account_numbers: {
    title: "Numbers of accounts (SQLite)",
    columns: { "a number for the search index": "number", account: "account_id" },
    kept: withAccount,
  },
  account_addresses: {
    title: "Search index (SQLite)",
    columns: { "pieces of three characters of email addresses": "address" },
    kept: withAccount,
  },
  keys: {
    title: "Keys",
    columns: {
      id: "id",
      account: "account_id",
      "SHA-256 of the key": "hash",
      "its last four characters": "last_four",
      name: "name",
      "allowed models and operations": "models operations",
      ...limits,
      tags: "tags",
      "the key it replaced and the first in that chain": "replaces lineage",
      "networks it may be used from": "allow_from",
      "the member of a team whose key it is": "member_id",
      "what it may do besides using models": "scopes",
      [created]: "created_at",
      [expiry]: "expires_at",
      "time of disabling": "disabled_at",
      "time of revocation": "revoked_at",
      "day and model of the last use": "last_used_at last_used_model",
    },
    kept: `${withAccount}, revoked and expired keys too`,
    why: "Your API keys, also those in teams, as hashes that the keys on requests are compared with, and the day and model of their last use.",
  },
  teams: {
    title: "Teams",
    columns: {
      id: "id",
      "domain whose verified addresses may join": "join_domain",
      "networks it may be used from": "allow_from",
      "whether and since when members need a second factor": "second_factor_days second_factor_since",
      "what it is called where it is managed over SCIM": "external_id",
      quotas: quotaColumns,
    },
    kept: "until the team is deleted",
  },
  memberships: {
    title: "Memberships",
    columns: {
      team: "team_id",
      account: "account_id",
      "role in the team": "role",
      ...limits,
      "time of joining": "created_at",
      "identity provider whose groups decide about it": "provider_id",
    },
    kept: "until leaving the team",
    why: "The teams that you are in, with your role and your limits there. Gone when you leave.",
  },
  scim_users: {
    title: "Users of SCIM",
    columns: {
      account: "account_id",
      "name and id where the account is managed over SCIM": "user_name user_name_lower external_id",
      "time of a suspension over SCIM": "inactive_since",
    },
    kept: withAccount,
    why: "What your organisation calls you where it manages your account from its own directory.",
  },
  sessions: {
    title: "Sessions",
    columns: {
      "SHA-256 of the session token": "hash",
      account: "account_id",
      "how you signed in (password, passkey, identity provider, link)": "method",
      "kind of browser and system, as in “Firefox on Linux”": "device",
      [created]: "created_at",
      "when you last proved who you are": "confirmed_at",
      "time of last use": "last_seen_at",
      [expiry]: "expires_at",
    },
    kept: "until signing out, 7 days without use, or 30 days, unless the operator changes these",
    why: "Where you are signed in, as hashes of the cookies, with the kind of browser. Gone when you sign out or they expire.",
  },
  totp: {
    title: "Authenticator apps",
    columns: {
      account: "account_id",
      "the secret that codes are computed from, encrypted under the service key": "sealed_secret",
      "time step of the last code": "last_step",
      [created]: "created_at",
      "when the first code was typed": "confirmed_at",
    },
    kept: "until removed",
    why: "Your authenticator app, so that its codes can be checked, each once.",
  },
  passkeys: {
    title: "Passkeys",
    columns: {
      "id of the credential": "id",
      account: "account_id",
      name: "name",
      "public key": "public_key",
      "its count of uses": "counter",
      "how a browser reaches it": "transports",
      "whether it may be, and is, copied between devices": "can_sync is_synced",
      [created]: "created_at",
      "time of last use": "last_used_at",
    },
    kept: "until removed",
    why: "Your passkeys: public keys that prove that you hold the private ones.",
  },
  recovery_codes: {
    title: "Recovery codes",
    columns: { "SHA-256 of the code": "hash", account: "account_id" },
    kept: "until used or replaced",
    why: "Your unused recovery codes, as hashes.",
  },
  sign_in_steps: {
    title: "Sign-ins in progress",
    columns: {
      "SHA-256 of a random token": "hash",
      "which step it is": "kind",
      account: "account_id",
      [expiry]: "expires_at",
    },
    kept: "until finished, 5 minutes at most, then deleted within the hour",
    why: "Sign-ins that wait for a second factor or a passkey. Gone within the hour.",
  },
  oidc_identities: {
    title: "Linked identities",
    columns: {
      id: "id",
      account: "account_id",
      "identity provider": "provider",
      "issuer and subject, by which the provider names the person": "issuer subject",
      "time of linking": "created_at",
      "time of last use": "last_used_at",
    },
    kept: "until unlinked or the account is deleted",
    why: "The identity providers that you sign in with, and what they call you.",
  },
  oidc_rounds: {
    title: "Sign-ins with a provider under way",
    columns: {
      "SHA-256 of the token in the browser’s cookie": "hash",
      "identity provider": "provider",
      "what it is for (signing in, linking, joining an account, confirming who someone is)": "purpose",
      account: "account_id",
      "page to open afterwards": "next",
      "SHA-256 of the token of an invitation": "invite_hash",
      "while an account’s password is asked for: issuer, subject, email address, groups and session at the provider":
        "identity",
      [expiry]: "expires_at",
    },
    kept: "ten minutes at most, deleted within the hour",
    why: "A sign-in with an identity provider, or the linking of one, that you have begun and not finished.",
  },
  oidc_sessions: {
    title: "Sessions begun with a provider",
    columns: {
      "SHA-256 of the session token": "session_hash",
      "identity provider": "provider",
      "issuer and subject, by which the provider names the person": "issuer subject",
      "id of the session at the provider": "sid",
    },
    kept: "as long as the session",
    why: "Which of your sessions an identity provider began, so that signing out there ends them here.",
  },
  oidc_logouts: {
    title: "Used logout tokens",
    columns: { "SHA-256 of issuer and id of a logout token": "hash", [expiry]: "expires_at" },
    kept: "until the token expires, deleted within the hour",
  },
  links: {
    title: "One-time links",
    columns: {
      "SHA-256 of the token": "hash",
      "what it is for (set-up, invitation, invitation to a team, password, signing in, verifying or changing an address)":
        "kind",
      account: "account_id",
      "invited or new email address": "email",
      "SHA-256 of an invited address (unsalted)": "email_hash",
      "plan of an invitation": "plan_id",
      "team of an invitation, and the role in it": "team_id team_role",
      [created]: "created_at",
      [expiry]: "expires_at",
    },
    kept: "until used or revoked: signing in 5 minutes, password 1 hour, set-up and change of address 1 day, verification 7 days, invitation 1 to 90 days at most",
    why: "Links to choose a new password, to sign in, to verify or change your address, and invitations to it, that were not used yet. Gone once used, revoked or expired.",
  },
  usage: {
    title: "Usage by hour",
    columns: { account: "account_id", key: "key_id", hour: "hour", ...counts },
    kept: asUsage,
    why: "Counts by the hour, so that you can see what you used. There is no field for what you wrote.",
  },
  account_days: {
    title: "Usage by day",
    columns: { account: "account_id", day: "day", ...counts },
    kept: withHours,
    why: "The same counts by the day, so that months can be shown quickly. Gone with the hours.",
  },
  key_days: {
    title: "Usage of keys by day",
    columns: { day: "day", ...keyCounts },
    kept: withHours,
    why: "What each of your keys used by the day, in counts. Gone with the hours.",
  },
  key_spans: {
    title: "Usage of keys by 32 days",
    columns: { "first day": "span", ...keyCounts },
    kept: withHours,
    why: "The same in sums of 32 days, so that a year can be shown quickly. Gone with the hours.",
  },
  quota_days: {
    title: "Quota days",
    columns: {
      account: "account_id",
      key: "key_id",
      day: "day",
      "number of requests": "requests",
      "number of tokens": "tokens",
    },
    kept: "62 days",
    why: "What each key used by the day, so that quotas hold after a restart. Gone after two months.",
  },
  quota_warnings: {
    title: "Quota warnings",
    columns: {
      account: "account_id",
      "quota, period and level that a warning was mailed or sent to webhooks for": "name",
      "when it was sent": "sent_at",
    },
    kept: "62 days",
    why: "Which warnings about quotas were mailed to you or sent to the operator's webhooks, so that each is sent once. Gone after two months.",
  },
  audit: {
    title: "Audit trail",
    columns: {
      id: "id",
      time: "at",
      "id of the account that acted, or the command line": "actor",
      "id of the key that it acted with in the operator's API or over SCIM": "actor_key",
      "what was done: sign-ups, sign-ins, changes of passwords and addresses, linked identities, and changes to accounts, keys, plans, models, announcements, identity providers and the operator’s details":
        "action",
      "id of what it was done to": "target",
    },
    kept: asUsage,
    why: "What was done to your account and by whom, so that misuse can be found. Kept as long as usage; when you delete your account, what you did to it goes with it, and your id is taken out of the rest.",
    leaves: {
      what: "audit lines between the account and others, with “deleted account” in place of its id, and one line that an account was deleted",
      until: "as long as usage",
    },
  },
  changes: {
    title: "Changes",
    columns: {
      number: "id",
      "kind of change": "kind",
      "id of the key, account or plan that every server must learn about": "subject",
      time: "at",
    },
    kept: "two hours at most",
    why: "That a key, a session or your account changed, so that every server learns of it at once. Gone within two hours, also when you delete your account.",
    leaves: {
      what: "the bare ids of the account and of keys that changed recently",
      until: "two hours at most",
    },
  },
  change_counter: {
    title: "Number of changes",
    columns: { "one row": "id", "the number of the latest change": "last" },
    kept: always,
  },
  service_usage: {
    title: "Service totals",
    columns: { hour: "hour", ...counts },
    kept: asUsage,
    leaves: {
      what: "its share of the service’s totals by hour and model, which name no account",
      until: "as long as usage",
    },
  },
  outcomes: {
    title: "Outcomes",
    columns: {
      hour: "hour",
      model: "model",
      "error code, or none": "code",
      "number of requests of all accounts": "requests",
    },
    kept: asUsage,
  },
  changelog: { title: "Changelog", columns: announcement, kept: "until an admin deletes it" },
  maintenance: {
    title: "Maintenance",
    columns: {
      ...announcement,
      "times of begin and end": "starts_at ends_at ended_at",
    },
    kept: "until an admin deletes it",
  },
  plans: {
    title: "Plans",
    columns: {
      id: "id",
      name: "name",
      ...limits,
      "most keys": "max_keys",
      "longest reply": "max_tokens",
      "allowed models": "models",
      "whether requests must be encrypted": "requires_encryption",
      "weight in the queue": "weight",
    },
    kept: "until an admin deletes it",
  },
  settings: {
    title: "Settings",
    columns: {
      name: "name",
      "the service’s own state: the operator’s name and contact (shown publicly), internal secrets, current and previous source of each model (including API keys of engines), identity providers (encrypted), measured speed and hash of each weights file (shown publicly), ids of usage batches already counted, the feed’s id, marker of the first run, the set-up checklist with the time of the last backup, the result of the last privacy check (shown publicly)":
        "value",
    },
    kept: always,
  },
  statement_log: {
    title: "Statement log",
    columns: {
      number: "number",
      time: "at",
      "a signed statement of the service about itself (version, models, settings, keys), a change of the signing key or a loss of entries; shown publicly":
        "body",
    },
    kept: always,
  },
  webhooks: {
    title: "Webhooks",
    columns: {
      id: "id",
      "address that events are sent to": "url",
      description: "description",
      "which events": "events",
      [created]: "created_at",
      "when and why it was switched off": "off_at off_reason",
      "since when deliveries fail": "failing_since",
    },
    kept: "until an admin deletes them",
  },
  webhook_deliveries: {
    title: "Webhook deliveries",
    columns: {
      id: "id",
      webhook: "webhook_id",
      account: "account_id",
      "what happened": "type",
      "the event: ids of account, key and plan, counts and times": "body",
      [created]: "created_at",
      "when it is sent next, and given up": "retry_until next_at",
      "number of attempts": "attempts",
      "when it arrived": "delivered_at",
      "time, status, error and duration of the last attempt": "last_at response_status error duration_ms",
    },
    kept: "7 days",
    why: "Events about you that were sent to addresses of the operator's choice: that your account or a key was created or changed, or a quota used up. Gone after a week.",
    leaves: { what: "the event that the account was deleted, with its id", until: "7 days" },
  },
  migrations: {
    title: "Migrations",
    columns: {
      number: "number",
      name: "name",
      "when it was applied": "applied_at",
      "the version that applied it": "version",
    },
    kept: always,
  },
};

/** What a table holds, as one list. */
export const columnsText = ({ columns }: StoredTable): string => Object.keys(columns).join(", ");

/** What a deleted account leaves outside of the tables, and for how long. */
const leftElsewhere = {
  "the id in an audit line of a request that was in progress at that moment": "an hour at most",
  "in the memory of servers: cached conversation state and compiled schemas, encrypted items of replies, routing hashes":
    "ten minutes at most; items are dropped immediately",
  "in the memory of servers: its cache salt (an HMAC of its id)": "until the process restarts",
  "what engines on the network keep in their caches": "as long as those engines keep it",
  "counters for limits and sign-in attempts, in memory (by id) or in Redis (under hashed names)":
    "an hour at most; for quotas the rest of their day or month",
  "its counts in usage-waiting.json of a server that is stopped":
    "until that server starts; its database then refuses them",
  "SQLite: nothing in its files. Deleted rows are overwritten with zeros and the write-ahead log is emptied, immediately unless another process is reading, else within an hour. The disk itself may keep old blocks":
    "until the disk reuses them; an encrypted disk avoids this",
  "Postgres: deleted rows in its tables and its write-ahead log":
    "until it vacuums and recycles them, and in archives of the log as long as the operator keeps those",
  "the old sotto.db after “sotto store copy”": "until the operator deletes it",
  "the sotto_device cookie in other browsers": "up to 400 days",
  "with SQLite: copies of the database that upgrades take first":
    "30 days, unless the operator set another time",
  "log lines with its account and key ids, and backups": "as long as the operator keeps them",
  "mails that were sent to it": "as long as mail servers keep them",
};

/** Everything that a deleted account leaves: in the tables, then elsewhere. */
export const leftovers: readonly Leftover[] = [
  ...Object.values(storedTables).flatMap(({ leaves }) => leaves ?? []),
  ...Object.entries(leftElsewhere).map(([what, until]) => ({ what, until })),
];
