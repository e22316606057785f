/** What a team used: in sums for its members, by member and key for those who may see that. */
import { isPlayground } from "../bounds.js";
import type { Account } from "../entities.js";
import type { Store } from "../store.js";
import type { UsageReports, UsageRequest } from "../usage/usage-report.js";
import type { UsageReport } from "../usage/usage-views.js";
import type { UsageShare } from "../usage/ports.js";
import { invalid } from "../dashboard-error.js";
import { memberPlaygroundId } from "../serving/playground.js";
import type { TeamStore } from "./ports.js";
import { hasRight } from "./roles.js";
import type { OpenTeam } from "./teams.js";

export interface MemberUsage extends UsageShare {
  /** Null for service keys, and for keys that are gone with the account of their member. */
  accountId: string | null;
  email: string | null;
  kind: (typeof kinds)[number];
}

/** In the order in which equal usage is listed. */
const kinds = ["member", "former member", "service keys", "deleted keys"] as const;

export class TeamUsage {
  constructor(
    private readonly store: Pick<Store, "listKeys" | "findKey"> & { readonly teams: TeamStore },
    private readonly reports: UsageReports,
  ) {}

  /** One who sees sums only sees the keys of others as one. */
  async report(account: Account, { team, role }: OpenTeam, request: UsageRequest): Promise<UsageReport> {
    const seesParts = hasRight(role, "usage_parts");
    if (!seesParts && request.key !== undefined) await this.#requireOwn(account, team.id, request.key);
    const report = await this.reports.report(team.id, request);
    if (seesParts) return this.#withOwners(team.id, report);
    const own = new Set(await this.#ownKeys(account, team.id));
    const others = report.byKey.filter(({ keyId }) => !own.has(keyId));
    const rest = { keyId: "others", name: "Keys of others", lastFour: null, ...sumOf(others) };
    return {
      ...report,
      byKey: [...report.byKey.filter(({ keyId }) => own.has(keyId)), ...(others.length === 0 ? [] : [rest])],
    };
  }

  /** The one who used most first. */
  async byMember(teamId: string, period: Pick<UsageRequest, "from" | "to" | "step">): Promise<MemberUsage[]> {
    const [shares, keys, members] = await Promise.all([
      this.reports.byKey(teamId, period),
      this.store.listKeys(teamId),
      this.store.teams.members(teamId),
    ]);
    const memberOf = new Map([
      ...keys.map((key) => [key.id, key.memberId] as const),
      ...members.map(({ accountId }) => [memberPlaygroundId(teamId, accountId), accountId] as const),
    ]);
    const emails = new Map(members.map(({ accountId, email }) => [accountId, email]));
    const sums = new Map<string, MemberUsage>();
    for (const { keyId, requests, tokens, refused } of shares) {
      const memberId = memberOf.get(keyId);
      const who = whoOf(memberId, emails);
      const name = who.accountId ?? who.kind;
      const sum = sums.get(name) ?? { ...who, requests: 0, refused: 0, tokens: 0 };
      sums.set(name, { ...sum, ...sumOf([sum, { requests, tokens, refused }]) });
    }
    return [...sums.values()].sort(
      (a, b) =>
        b.requests - a.requests ||
        b.tokens - a.tokens ||
        kinds.indexOf(a.kind) - kinds.indexOf(b.kind) ||
        (a.email ?? a.accountId ?? "").localeCompare(b.email ?? b.accountId ?? ""),
    );
  }

  /** Whose playground it was. */
  async #withOwners(teamId: string, report: UsageReport): Promise<UsageReport> {
    if (!report.byKey.some(({ keyId }) => isPlayground(keyId))) return report;
    const members = await this.store.teams.members(teamId);
    const emails = new Map(members.map((one) => [memberPlaygroundId(teamId, one.accountId), one.email]));
    const named = report.byKey.map((share) => {
      const email = emails.get(share.keyId);
      return email === undefined ? share : { ...share, name: `Playground of ${email}` };
    });
    return { ...report, byKey: named };
  }

  async #ownKeys(account: Account, teamId: string): Promise<string[]> {
    const keys = await this.store.listKeys(teamId);
    const own = keys.filter(({ memberId }) => memberId === account.id).map(({ id }) => id);
    return [...own, memberPlaygroundId(teamId, account.id)];
  }

  async #requireOwn(account: Account, teamId: string, keyId: string): Promise<void> {
    if (keyId === memberPlaygroundId(teamId, account.id)) return;
    const key = await this.store.findKey(keyId);
    if (key?.accountId === teamId && key.memberId === account.id) return;
    throw invalid("key", "There is no such key.");
  }
}

/** Undefined for a key that is gone. */
function whoOf(
  memberId: string | null | undefined,
  emails: ReadonlyMap<string, string>,
): Pick<MemberUsage, "accountId" | "email" | "kind"> {
  if (memberId === undefined) return { accountId: null, email: null, kind: "deleted keys" };
  if (memberId === null) return { accountId: null, email: null, kind: "service keys" };
  const email = emails.get(memberId);
  if (email !== undefined) return { accountId: memberId, email, kind: "member" };
  return { accountId: memberId, email: null, kind: "former member" };
}

const sumOf = (shares: readonly UsageShare[]): UsageShare =>
  shares.reduce(
    (sum, { requests, refused, tokens }) => ({
      requests: sum.requests + requests,
      refused: sum.refused + refused,
      tokens: sum.tokens + tokens,
    }),
    { requests: 0, refused: 0, tokens: 0 },
  );
