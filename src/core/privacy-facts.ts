/**
 * What is stored, mailed, and left after an account is deleted, in words: the source of /docs/privacy,
 * docs/privacy.md and the account page. Tests compare it with the tables and columns that exist
 * (`test/contract/store`) and with the pages; a mail whose kind is not listed here does not compile. What admins can
 * read is in `protocol/dashboard/admin-visible.ts`.
 */

export interface StoredTable {
  title: string;
  /** By column; `first_token_*` stands for the steps of the histogram. Columns with the same words are listed once. */
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

const account = "account";
const key = "key";
const created = "time of creation";
const expiry = "time of expiry";
const withAccount = "until the account is deleted";
const asUsage = "400 days, unless the operator changes it";
const withHours = "as long as usage";
const always = "as long as the service";

const counts = {
  model: "model",
  requests: "number of requests",
  errors: "number of errors",
  rate_limited: "number of refusals",
  unavailable: "number of refusals",
  prompt_tokens: "number of tokens of prompts and replies",
  completion_tokens: "number of tokens of prompts and replies",
  first_token_ms: "sum, minimum, maximum and histogram of the time to first token",
  first_token_min_ms: "sum, minimum, maximum and histogram of the time to first token",
  first_token_max_ms: "sum, minimum, maximum and histogram of the time to first token",
  "first_token_*": "sum, minimum, maximum and histogram of the time to first token",
};

const keyCounts = {
  account_id: account,
  key_id: key,
  model: "model",
  requests: "number of requests",
  errors: "number of errors",
  refused: "number of refusals",
  tokens: "number of tokens",
};

const limits = {
  requests_per_minute: "limits",
  tokens_per_minute: "limits",
  concurrent_requests: "limits",
  requests_per_day: "limits",
  tokens_per_day: "limits",
  requests_per_month: "limits",
  tokens_per_month: "limits",
};

const announcement = {
  id: "id",
  title: "title",
  body: "text",
  published_at: "times of publication and of the last change",
  updated_at: "times of publication and of the last change",
};

/** Every table of the database. */
export const storedTables: Readonly<Record<string, StoredTable>> = {
  accounts: {
    title: "Accounts",
    columns: {
      id: "id",
      kind: "person or team",
      email: "email address, or the name of a team",
      email_lower: "email address",
      email_verified_at: "when the address was verified",
      password_hash: "password hash (argon2id)",
      role: "role",
      plan_id: "plan",
      created_at: created,
      suspended_at: "time of suspension",
    },
    kept: withAccount,
    why: "Your account: the address you sign in with and when it was verified, a hash of your password, your role and plan.",
  },
  account_numbers: {
    title: "Numbers of accounts (SQLite)",
    columns: { number: "a number for the search index", account_id: account },
    kept: withAccount,
  },
  account_addresses: {
    title: "Search index (SQLite)",
    columns: { address: "pieces of three characters of email addresses" },
    kept: withAccount,
  },
  keys: {
    title: "Keys",
    columns: {
      id: "id",
      account_id: account,
      hash: "SHA-256 of the key",
      last_four: "its last four characters",
      name: "name",
      models: "allowed models and operations",
      operations: "allowed models and operations",
      ...limits,
      tags: "tags",
      replaces: "the key it replaced and the first in that chain",
      lineage: "the key it replaced and the first in that chain",
      allow_from: "networks it may be used from",
      member_id: "the member of a team whose key it is",
      scopes: "what it may do besides using models",
      created_at: created,
      expires_at: expiry,
      disabled_at: "time of disabling",
      revoked_at: "time of revocation",
      last_used_at: "day and model of the last use",
      last_used_model: "day and model of the last use",
    },
    kept: `${withAccount}, revoked and expired keys too`,
    why: "Your API keys, also those in teams, as hashes that the keys on requests are compared with, and the day and model of their last use.",
  },
  teams: {
    title: "Teams",
    columns: {
      id: "id",
      join_domain: "domain whose verified addresses may join",
      allow_from: "networks it may be used from",
      second_factor_days: "whether and since when members need a second factor",
      second_factor_since: "whether and since when members need a second factor",
      external_id: "what it is called where it is managed over SCIM",
      requests_per_day: "quotas",
      tokens_per_day: "quotas",
      requests_per_month: "quotas",
      tokens_per_month: "quotas",
    },
    kept: "until the team is deleted",
  },
  memberships: {
    title: "Memberships",
    columns: {
      team_id: "team",
      account_id: account,
      role: "role in the team",
      ...limits,
      created_at: "time of joining",
      provider_id: "identity provider whose groups decide about it",
    },
    kept: "until leaving the team",
    why: "The teams that you are in, with your role and your limits there. Gone when you leave.",
  },
  scim_users: {
    title: "Users of SCIM",
    columns: {
      account_id: account,
      user_name: "name and id where the account is managed over SCIM",
      user_name_lower: "name and id where the account is managed over SCIM",
      external_id: "name and id where the account is managed over SCIM",
      inactive_since: "time of a suspension over SCIM",
    },
    kept: withAccount,
    why: "What your organisation calls you where it manages your account from its own directory.",
  },
  sessions: {
    title: "Sessions",
    columns: {
      hash: "SHA-256 of the session token",
      account_id: account,
      method: "how you signed in (password, passkey, identity provider, link)",
      device: "kind of browser and system, as in “Firefox on Linux”",
      created_at: created,
      confirmed_at: "when you last proved who you are",
      last_seen_at: "time of last use",
      expires_at: expiry,
    },
    kept: "until signing out, 7 days without use, or 30 days, unless the operator changes these",
    why: "Where you are signed in, as hashes of the cookies, with the kind of browser. Gone when you sign out or they expire.",
  },
  totp: {
    title: "Authenticator apps",
    columns: {
      account_id: account,
      sealed_secret: "the secret that codes are computed from, encrypted under the service key",
      last_step: "time step of the last code",
      created_at: created,
      confirmed_at: "when the first code was typed",
    },
    kept: "until removed",
    why: "Your authenticator app, so that its codes can be checked, each once.",
  },
  passkeys: {
    title: "Passkeys",
    columns: {
      id: "id of the credential",
      account_id: account,
      name: "name",
      public_key: "public key",
      counter: "its count of uses",
      transports: "how a browser reaches it",
      can_sync: "whether it may be, and is, copied between devices",
      is_synced: "whether it may be, and is, copied between devices",
      created_at: created,
      last_used_at: "time of last use",
    },
    kept: "until removed",
    why: "Your passkeys: public keys that prove that you hold the private ones.",
  },
  recovery_codes: {
    title: "Recovery codes",
    columns: { hash: "SHA-256 of the code", account_id: account },
    kept: "until used or replaced",
    why: "Your unused recovery codes, as hashes.",
  },
  sign_in_steps: {
    title: "Sign-ins in progress",
    columns: {
      hash: "SHA-256 of a random token",
      kind: "which step it is",
      account_id: account,
      expires_at: expiry,
    },
    kept: "until finished, 5 minutes at most, then deleted within the hour",
    why: "Sign-ins that wait for a second factor or a passkey. Gone within the hour.",
  },
  oidc_identities: {
    title: "Linked identities",
    columns: {
      id: "id",
      account_id: account,
      provider: "identity provider",
      issuer: "issuer and subject, by which the provider names the person",
      subject: "issuer and subject, by which the provider names the person",
      created_at: "time of linking",
      last_used_at: "time of last use",
    },
    kept: "until unlinked or the account is deleted",
    why: "The identity providers that you sign in with, and what they call you.",
  },
  oidc_rounds: {
    title: "Sign-ins with a provider under way",
    columns: {
      hash: "SHA-256 of the token in the browser’s cookie",
      provider: "identity provider",
      purpose: "what it is for (signing in, linking, joining an account, confirming who someone is)",
      account_id: account,
      next: "page to open afterwards",
      invite_hash: "SHA-256 of the token of an invitation",
      identity:
        "while an account’s password is asked for: issuer, subject, email address, groups and session at the provider",
      expires_at: expiry,
    },
    kept: "ten minutes at most, deleted within the hour",
    why: "A sign-in with an identity provider, or the linking of one, that you have begun and not finished.",
  },
  oidc_sessions: {
    title: "Sessions begun with a provider",
    columns: {
      session_hash: "SHA-256 of the session token",
      provider: "identity provider",
      issuer: "issuer and subject, by which the provider names the person",
      subject: "issuer and subject, by which the provider names the person",
      sid: "id of the session at the provider",
    },
    kept: "as long as the session",
    why: "Which of your sessions an identity provider began, so that signing out there ends them here.",
  },
  oidc_logouts: {
    title: "Used logout tokens",
    columns: { hash: "SHA-256 of issuer and id of a logout token", expires_at: expiry },
    kept: "until the token expires, deleted within the hour",
  },
  links: {
    title: "One-time links",
    columns: {
      hash: "SHA-256 of the token",
      kind: "what it is for (set-up, invitation, invitation to a team, password, signing in, verifying or changing an address)",
      account_id: account,
      email: "invited or new email address",
      email_hash: "SHA-256 of an invited address (unsalted)",
      plan_id: "plan of an invitation",
      team_id: "team of an invitation, and the role in it",
      team_role: "team of an invitation, and the role in it",
      created_at: created,
      expires_at: expiry,
    },
    kept: "until used or revoked: signing in 5 minutes, password 1 hour, set-up and change of address 1 day, verification 7 days, invitation 1 to 90 days at most",
    why: "Links to choose a new password, to sign in, to verify or change your address, and invitations to it, that were not used yet. Gone once used, revoked or expired.",
  },
  usage: {
    title: "Usage by hour",
    columns: { account_id: account, key_id: key, hour: "hour", ...counts },
    kept: asUsage,
    why: "Counts by the hour, so that you can see what you used. There is no field for what you wrote.",
  },
  account_days: {
    title: "Usage by day",
    columns: { account_id: account, day: "day", ...counts },
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
    columns: { span: "first day", ...keyCounts },
    kept: withHours,
    why: "The same in sums of 32 days, so that a year can be shown quickly. Gone with the hours.",
  },
  quota_days: {
    title: "Quota days",
    columns: {
      account_id: account,
      key_id: key,
      day: "day",
      requests: "number of requests",
      tokens: "number of tokens",
    },
    kept: "62 days",
    why: "What each key used by the day, so that quotas hold after a restart. Gone after two months.",
  },
  quota_warnings: {
    title: "Quota warnings",
    columns: {
      account_id: account,
      name: "quota, period and level that a warning was mailed or sent to webhooks for",
      sent_at: "when it was sent",
    },
    kept: "62 days",
    why: "Which warnings about quotas were mailed to you or sent to the operator's webhooks, so that each is sent once. Gone after two months.",
  },
  audit: {
    title: "Audit trail",
    columns: {
      id: "id",
      at: "time",
      actor: "id of the account that acted, or the command line",
      action:
        "what was done: sign-ups, sign-ins, changes of passwords and addresses, linked identities, and changes to accounts, keys, plans, models, announcements, identity providers and the operator’s details",
      target: "id of what it was done to",
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
      id: "number",
      kind: "kind of change",
      subject: "id of the key, account or plan that every server must learn about",
      at: "time",
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
    columns: { id: "one row", last: "the number of the latest change" },
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
      code: "error code, or none",
      requests: "number of requests of all accounts",
    },
    kept: asUsage,
  },
  changelog: { title: "Changelog", columns: announcement, kept: "until an admin deletes it" },
  maintenance: {
    title: "Maintenance",
    columns: {
      ...announcement,
      starts_at: "times of begin and end",
      ends_at: "times of begin and end",
      ended_at: "times of begin and end",
    },
    kept: "until an admin deletes it",
  },
  plans: {
    title: "Plans",
    columns: {
      id: "id",
      name: "name",
      ...limits,
      max_keys: "most keys",
      max_tokens: "longest reply",
      models: "allowed models",
      requires_encryption: "whether requests must be encrypted",
      weight: "weight in the queue",
    },
    kept: "until an admin deletes it",
  },
  settings: {
    title: "Settings",
    columns: {
      name: "name",
      value:
        "the service’s own state: the operator’s name and contact (shown publicly), internal secrets, current and previous source of each model (including API keys of engines), identity providers (encrypted), measured speed and hash of each weights file (shown publicly), ids of usage batches already counted, the feed’s id, marker of the first run, the set-up checklist with the time of the last backup, the result of the last privacy check (shown publicly)",
    },
    kept: always,
  },
  statement_log: {
    title: "Statement log",
    columns: {
      number: "number",
      at: "time",
      body: "a signed statement of the service about itself (version, models, settings, keys), a change of the signing key or a loss of entries; shown publicly",
    },
    kept: always,
  },
  webhooks: {
    title: "Webhooks",
    columns: {
      id: "id",
      url: "address that events are sent to",
      description: "description",
      events: "which events",
      created_at: created,
      off_at: "when and why it was switched off",
      off_reason: "when and why it was switched off",
      failing_since: "since when deliveries fail",
    },
    kept: "until an admin deletes them",
  },
  webhook_deliveries: {
    title: "Webhook deliveries",
    columns: {
      id: "id",
      webhook_id: "webhook",
      account_id: account,
      type: "what happened",
      body: "the event: ids of account, key and plan, counts and times",
      created_at: created,
      retry_until: "when it is sent next, and given up",
      next_at: "when it is sent next, and given up",
      attempts: "number of attempts",
      delivered_at: "when it arrived",
      last_at: "time, status, error and duration of the last attempt",
      response_status: "time, status, error and duration of the last attempt",
      error: "time, status, error and duration of the last attempt",
      duration_ms: "time, status, error and duration of the last attempt",
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
      applied_at: "when it was applied",
      version: "the version that applied it",
    },
    kept: always,
  },
};

/** What a table holds, as one list. */
export const columnsText = ({ columns }: StoredTable): string =>
  [...new Set(Object.values(columns))].join(", ");

/** Everything that a deleted account leaves: in the tables, then elsewhere. */
export const leftovers: readonly Leftover[] = [
  ...Object.values(storedTables).flatMap(({ leaves }) => leaves ?? []),
  {
    what: "the id in an audit line of a request that was in progress at that moment",
    until: "an hour at most",
  },
  {
    what: "in the memory of servers: cached conversation state and compiled schemas, encrypted items of replies, routing hashes",
    until: "ten minutes at most; items are dropped immediately",
  },
  {
    what: "in the memory of servers: its cache salt (an HMAC of its id)",
    until: "until the process restarts",
  },
  {
    what: "what engines on the network keep in their caches",
    until: "as long as those engines keep it",
  },
  {
    what: "counters for limits and sign-in attempts, in memory (by id) or in Redis (under hashed names)",
    until: "an hour at most; for quotas the rest of their day or month",
  },
  {
    what: "its counts in usage-waiting.json of a server that is stopped",
    until: "until that server starts; its database then refuses them",
  },
  {
    what: "SQLite: nothing in its files. Deleted rows are overwritten with zeros and the write-ahead log is emptied, immediately unless another process is reading, else within an hour. The disk itself may keep old blocks",
    until: "until the disk reuses them; an encrypted disk avoids this",
  },
  {
    what: "Postgres: deleted rows in its tables and its write-ahead log",
    until:
      "until it vacuums and recycles them, and in archives of the log as long as the operator keeps those",
  },
  { what: "the old sotto.db after “sotto store copy”", until: "until the operator deletes it" },
  { what: "the sotto_device cookie in other browsers", until: "up to 400 days" },
  {
    what: "with SQLite: copies of the database that upgrades take first",
    until: "30 days, unless the operator set another time",
  },
  {
    what: "log lines with its account and key ids, and backups",
    until: "as long as the operator keeps them",
  },
  { what: "mails that were sent to it", until: "as long as mail servers keep them" },
];

/** Every mail that is sent, all with the recipient's address and the operator's name. */
export const mails = {
  reset: "a link to choose a new password",
  invite: "an invitation to create an account",
  team_invite: "an invitation to a team, with its name",
  verify: "a link to verify an address",
  change_from: "a link to agree to a new address, with that address",
  change_to: "a link to confirm a new address",
  factors_reset: "a notice that an admin removed the account’s second factors",
  quota:
    "a warning that most or all of a quota is used: numbers, the name of the plan or team, the last four characters of a key",
} as const;

export type MailKind = keyof typeof mails;

/**
 * `proven`: whoever checks need not believe the operator. `promised`: the program does so, and tests show it, but the
 * operator could run another one. `not given`: nothing keeps them from it.
 */
export type Standing = "proven" | "promised" | "not given";

export interface Protection {
  who: string;
  /** What they are kept from, or not. */
  what: string;
  means: string;
  standing: Standing;
}

/** Who is kept from seeing what, by which means. Nothing here may be stronger than what its means give. */
export const protections: readonly Protection[] = [
  {
    who: "Someone on the network",
    what: "requests and replies on their way",
    means: "TLS, which your client checks; with encrypted bodies a second time",
    standing: "proven",
  },
  {
    who: "A proxy, load balancer or CDN in front",
    what: "bodies, from clients that encrypt them to the key in the signed statement",
    means:
      "encrypted bodies (EHBP) and a pinned signing key. Paths, API keys, sizes and times stay visible to it",
    standing: "proven",
  },
  {
    who: "A proxy, load balancer or CDN in front",
    what: "bodies, from clients that do not encrypt them",
    means: "none: TLS ends there",
    standing: "not given",
  },
  {
    who: "Other users of the machine, without root",
    what: "conversations in memory, keys and the database",
    means: "the operating system’s isolation of processes; files that the service’s user alone can read",
    standing: "promised",
  },
  {
    who: "Other accounts of the service",
    what: "your conversations, also by what caches and timing reveal",
    means: "caches, items and queues kept apart by account, which tests check",
    standing: "promised",
  },
  {
    who: "Readers of the operator’s logs, database, metrics and backups",
    what: "prompts and replies",
    means: "they are never written: closed lists of fields, searched for planted marks by tests",
    standing: "promised",
  },
  {
    who: "The operator, afterwards",
    what: "changing or dropping what the service stated to you earlier",
    means: "signed statements in an append-only log, for whoever runs “sotto verify” more than once",
    standing: "proven",
  },
  {
    who: "The operator",
    what: "showing you another log than others",
    means: "none by itself: it is found when people compare the checkpoints they saw, which are signed",
    standing: "not given",
  },
  {
    who: "The operator, afterwards",
    what: "denying that the service gave you a reply to a request",
    means: "receipts, signed over both. Which model computed it is what the service says",
    standing: "proven",
  },
  {
    who: "The operator, with root",
    what: "running another program or other weights than the statement names",
    means: "the statement is signed and cannot be taken back; that it is true would take hardware evidence",
    standing: "promised",
  },
  {
    who: "The operator, with root",
    what: "reading the memory of the running service",
    means: "none without confidential-computing hardware, which this version has no support for",
    standing: "not given",
  },
  {
    who: "Operators of engines on the network",
    what: "the conversations that they compute",
    means: "a preflight of what the engine reports, whose findings are in the statement",
    standing: "promised",
  },
  {
    who: "The operator",
    what: "who uses the service, when and how much",
    means: "none: keys belong to accounts, and their requests and tokens are counted",
    standing: "not given",
  },
];
