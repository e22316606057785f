/** `sotto keys`: the keys with which programs use the service. */
import type { Command } from "commander";
import { parseCount, parseDuration, parseQuota } from "../option-values.js";
import { findTeam } from "../find-team.js";
import { changedLimits, describeLimits, type LimitOptions, limitsJson, quotaOptions } from "../limits.js";
import { tableOf, time } from "../output.js";
import { storeCommand } from "../store-command.js";
import { requireAccount } from "../../core/accounts/accounts.js";
import { systemClock } from "../../core/clock.js";
import { type Account, type ApiKey, noKeyLimits } from "../../core/entities.js";
import { createKey, defaultGraceMs, revokeKey, rotateKey } from "../../core/keys/issue-keys.js";
import { keyStatus } from "../../core/keys/key-status.js";
import { hasRight } from "../../core/teams/roles.js";
import { UserError } from "../../core/user-error.js";
import type { FullStore } from "../../store/full-store.js";

export function keysCommand(program: Command): void {
  const keys = program.command("keys").description("create, list, revoke and rotate API keys");
  createCommand(keys);
  listCommand(keys);
  revokeCommand(keys);
  rotateCommand(keys);
}

interface CreateOptions extends LimitOptions {
  name: string;
  team?: string;
  models?: string[];
  operations?: string[];
  expires?: number;
  allowFrom?: string[];
  scope?: string[];
}

function createCommand(keys: Command): void {
  const create = storeCommand(
    keys,
    "create [email]",
    "create a key for an account or a team, shown only once",
  )
    .option("--team <team>", "in this team, by its name or id; without an account a service key")
    .option("--name <name>", "what it is for", "default")
    .option("--models <list>", "only these models, such as omega,prism (default: all)", parseList)
    .option("--operations <list>", "only these operations: chat, models (default: all)", parseList)
    .option(
      "--expires <time>",
      "expire after this time, such as 30d, 12h or 90m (default: never)",
      parseDuration,
    )
    .option("--allow-from <list>", "only from these networks, such as 192.0.2.0/24 (default: any)", parseList)
    .option(
      "--scope <list>",
      "for the operator's API: admin:read, admin:write, scim (default: none)",
      parseList,
    )
    .option("--requests-per-minute <n>", "a limit for this key, below that of the plan", parseCount)
    .option("--tokens-per-minute <n>", "likewise, for tokens of prompts and replies", parseCount)
    .option("--concurrent <n>", "likewise, for concurrent requests", parseCount);
  quotaOptions(create, parseQuota)
    .notes(
      `
Examples:
  sotto keys create ada@example.com --name laptop
  sotto keys create ada@example.com --name tests --requests-per-minute 30 --concurrent 2
  sotto keys create ada@example.com --name ci --models omega --operations chat --expires 30d
  sotto keys create ada@example.com --name backend --allow-from 192.0.2.0/24,2001:db8::/48
  sotto keys create admin@example.com --name terraform --scope admin:write --expires 90d
  sotto keys create --team Research --name ci
  KEY=$(sotto keys create ada@example.com --json | jq -r .key)`,
    )
    .onStore(async ({ store, record }, email: string | undefined, options: CreateOptions) => {
      const { name, models = null, operations = null, expires, allowFrom = null, scope = [] } = options;
      const expiresAt = expires === undefined ? null : new Date(systemClock.now().getTime() + expires);
      const { account, memberId } = await findKeyOwner(store, email, options.team);
      const limits = changedLimits(noKeyLimits, options);
      const request = { name, models, operations, limits, expiresAt, allowFrom, scopes: scope };
      const { key, text } = await createKey(store, systemClock, account, request, memberId);
      await record("created key", key.id);
      return [{ ...toJson(key), key: text }, showOnce(key, text)];
    });
}

function listCommand(keys: Command): void {
  storeCommand(keys, "list [email]", "list the keys of an account or a team")
    .option("--team <team>", "those of this team, by its name or id; of one member or all")
    .onStore(async ({ store }, email: string | undefined, { team }: { team?: string }) => {
      const { account, memberId } = await findKeyOwner(store, email, team);
      const all = await store.listKeys(account.id);
      const listed = memberId === null ? all : all.filter((key) => key.memberId === memberId);
      const create = team === undefined ? account.email : `--team ${account.id}`;
      const none = `${account.email} has no keys. Create one: sotto keys create ${create}`;
      return [listed.map(toJson), keyTable(listed) || none];
    });
}

function revokeCommand(keys: Command): void {
  storeCommand(keys, "revoke <id>", "revoke a key immediately and permanently").onStore(
    async ({ store, record }, id: string) => {
      const key = await revokeKey(store, systemClock, id);
      await record("revoked key", id);
      const text = `The key ${key.name} (${key.id}) is revoked: a running server refuses it within 2 seconds.`;
      return [toJson(key), text];
    },
  );
}

function rotateCommand(keys: Command): void {
  storeCommand(keys, "rotate <id>", "replace a key with a new one that has the same permissions")
    .option(
      "--grace <time>",
      "keep the old key working for this long, such as 24h or 90m; 0 revokes it immediately (default: 24h)",
      parseDuration,
    )
    .notes(
      `
Examples:
  sotto keys rotate key_4fJ2…            the old key works for another 24 hours
  sotto keys rotate key_4fJ2… --grace 0  the old key leaked: end it now`,
    )
    .onStore(async ({ store, record }, id: string, { grace = defaultGraceMs }: { grace?: number }) => {
      const { key, text, replaced } = await rotateKey(store, systemClock, id, grace);
      await record("rotated key", id);
      const end = grace === 0 ? "is revoked" : `ends at ${time(replaced.revokedAt)} UTC`;
      return [
        { ...toJson(key), key: text, replaced: toJson(replaced) },
        `${showOnce(key, text)}\n\nThe old key, ${replaced.id}, ${end}.`,
      ];
    });
}

/** An account, a team, or a member of a team, who is null for service keys. */
async function findKeyOwner(
  store: FullStore,
  email: string | undefined,
  teamName: string | undefined,
): Promise<{ account: Account; memberId: string | null }> {
  const person = email === undefined ? null : await requireAccount(store, email);
  if (teamName === undefined) {
    if (person === null) throw new UserError("Name an account, or a team with --team.");
    return { account: person, memberId: null };
  }
  const account = await findTeam(store.teams, teamName);
  if (person === null) return { account, memberId: null };
  const member = await store.teams.membership(account.id, person.id);
  if (member === null) throw new UserError(`${person.email} is not in the team ${account.name}.`);
  if (!hasRight(member.role, "own_keys"))
    throw new UserError(`${person.email} is a ${member.role} of the team, who has no keys.`);
  return { account, memberId: person.id };
}

const parseList = (text: string): string[] => text.split(",").map((item) => item.trim());

const ownLimits = ({ limits }: ApiKey): string => describeLimits(limits).join(", ") || "the plan's";

const showOnce = (key: ApiKey, text: string): string => `The new key, shown only once:

  ${text}

id          ${key.id}
name        ${key.name}
models      ${permissions(key.models)}
operations  ${permissions(key.operations)}
limits      ${ownLimits(key)}
networks    ${key.allowFrom?.join(", ") ?? "any"}
scopes      ${scopes(key)}
expires     ${time(key.expiresAt)}${key.expiresAt === null ? "" : " UTC"}`;

const keyTable = (keys: readonly ApiKey[]): string =>
  tableOf(keys, {
    id: (key) => key.id,
    name: (key) => key.name,
    key: (key) => `…${key.lastFour}`,
    state,
    models: (key) => permissions(key.models),
    operations: (key) => permissions(key.operations),
    scopes,
    limits: ownLimits,
    "created (utc)": (key) => time(key.createdAt),
    expires: (key) => time(key.expiresAt),
    "last used": lastUse,
  });

/** The day and the model: nothing finer is kept. */
function lastUse({ lastUsedAt, lastUsedModel }: ApiKey): string {
  if (lastUsedAt === null) return "never";
  return [dayOf(lastUsedAt), lastUsedModel ?? []].flat().join(", ");
}

const dayOf = (date: Date): string => date.toISOString().slice(0, 10);

const permissions = (names: readonly string[] | null): string => names?.join(", ") ?? "all";

const scopes = ({ scopes: names }: ApiKey): string => (names.length === 0 ? "none" : names.join(", "));

function state(key: ApiKey): string {
  const status = keyStatus(key, systemClock.now());
  return status === "expiring" ? "ending" : status;
}

const toJson = (key: ApiKey) => ({
  id: key.id,
  account_id: key.accountId,
  member_id: key.memberId,
  name: key.name,
  last_four: key.lastFour,
  state: state(key),
  models: key.models,
  operations: key.operations,
  ...limitsJson(key.limits),
  created_at: key.createdAt,
  expires_at: key.expiresAt,
  revoked_at: key.revokedAt,
  disabled_at: key.disabledAt,
  last_used_day: key.lastUsedAt === null ? null : dayOf(key.lastUsedAt),
  last_used_model: key.lastUsedModel,
  tags: key.tags,
  allow_from: key.allowFrom,
  scopes: key.scopes,
  replaces: key.replaces,
});
