/**
 * The audit trail, for admins. It keeps ids; what an id refers to now is looked up when it is read: people and keys
 * in the store, plans, announcements and pending invitations here.
 */
import { Readable } from "node:stream";
import type { PendingInvite } from "../../core/sign-in/one-time-links.js";
import { deletedAccount, type AuditFilter } from "../../core/audit.js";
import { DashboardError } from "../../core/dashboard-error.js";
import { inviteIdStart } from "../../core/sign-in/one-time-links.js";
import { toCsv } from "../../core/usage/csv.js";
import {
  auditExportQuery,
  auditQuery,
  mostExportedLines,
  type AuditEntry,
  type AuditFilters,
  type AuditPage,
} from "../../protocol/dashboard/audit.js";
import type { DashboardParts } from "./parts.js";
import { admin, type DashboardRoute } from "./route.js";
import { auditView } from "./views.js";

const csvColumns = {
  time: "at",
  actor: "actor",
  actor_account: "actorId",
  actor_key: "actorKey",
  action: "action",
  target: "target",
  target_account: "targetAccountId",
  key_owner: "targetOwner",
} as const satisfies Record<string, keyof AuditEntry>;

/** Null for what is gone, or is called nothing here. */
type Names = (target: string) => string | null;

export function auditRoutes({ dashboard }: DashboardParts): DashboardRoute[] {
  return [
    admin("GET", "/admin/audit", async (visit): Promise<AuditPage> => {
      const { before = null, ...filters } = visit.query(auditQuery);
      const [{ lines, next }, names] = await Promise.all([
        dashboard.audit.page(before, await filterOf(dashboard, filters)),
        targetNames(dashboard),
      ]);
      return { entries: lines.map((line) => auditView(line, names(line.target))), next };
    }),
    admin("GET", "/admin/audit.csv", async (visit) => {
      const filter = await filterOf(dashboard, visit.query(auditExportQuery));
      const names = await targetNames(dashboard);
      visit.attach("sotto-audit.csv", "text/csv");
      return Readable.from(csvOf(dashboard, filter, names));
    }),
  ];
}

async function* csvOf(
  { audit }: DashboardParts["dashboard"],
  filter: AuditFilter,
  names: Names,
): AsyncGenerator<string> {
  yield toCsv(Object.keys(csvColumns), []);
  for await (const lines of audit.parts(filter, mostExportedLines)) {
    const entries = lines.map((line) => auditView(line, names(line.target)));
    yield toCsv(null, entries.map(csvCells));
  }
}

const csvCells = (entry: AuditEntry) => Object.values(csvColumns).map((field) => entry[field]);

async function filterOf(
  { store }: DashboardParts["dashboard"],
  { who, what, from, to, account }: AuditFilters,
): Promise<AuditFilter> {
  return {
    actor: who === undefined || who === "" ? undefined : await actorOf(who),
    action: what,
    from: from === undefined ? undefined : new Date(from),
    to: to === undefined ? undefined : new Date(to),
    account,
  };

  /** As the trail has it: accounts by their id. */
  async function actorOf(text: string): Promise<string> {
    if (["command line", deletedAccount].includes(text.toLowerCase())) return text.toLowerCase();
    if (/^acc_\w+$/.test(text)) return text;
    const found = await store.findAccountByEmail(text);
    if (found !== null) return found.id;
    throw new DashboardError("bad_request", "No account has this address.", { field: "who" });
  }
}

async function targetNames({ store, news, invites }: DashboardParts["dashboard"]): Promise<Names> {
  const [plans, announcements, pending] = await Promise.all([
    store.listPlans(),
    news.list(),
    invites.pending(),
  ]);
  const names = new Map([
    ...plans.map((plan) => [plan.id, plan.name] as const),
    ...announcements.map(({ item }) => [item.id, item.title] as const),
    ...pending.map((invite) => [invite.id, addresseeOf(invite)] as const),
  ]);
  const ofGone = (target: string) => (target.startsWith(inviteIdStart) ? "no longer pending" : null);
  return (target) => names.get(target) ?? ofGone(target);
}

/** Invitations of earlier versions have a hash of their address alone. */
const addresseeOf = ({ email, emailHash }: PendingInvite): string =>
  email ?? (emailHash === null ? "anyone" : "one address");
