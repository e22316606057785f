/**
 * The audit trail, for admins. It keeps ids; what an id refers to now is looked up when it is read: people and keys
 * in the store, plans and announcements here.
 */
import { Readable } from "node:stream";
import { deletedAccount } from "../../core/audit.js";
import { DashboardError } from "../../core/dashboard-error.js";
import type { AuditFilter } from "../../core/dashboard-ports.js";
import { toCsv } from "../../core/usage/csv.js";
import {
  auditExportQuery,
  auditQuery,
  mostExportedLines,
  type AuditEntry,
  type AuditFilters,
  type AuditPage,
} from "../../protocol/dashboard-audit.js";
import type { DashboardParts } from "./parts.js";
import { admin, type DashboardRoute } from "./route.js";
import { auditView } from "./views.js";

const csvHeadings = ["time", "actor", "actor_account", "action", "target", "target_account", "key_owner"];

type Names = ReadonlyMap<string, string>;

export function auditRoutes({ dashboard }: DashboardParts): DashboardRoute[] {
  return [
    admin("GET", "/admin/audit", async (visit): Promise<AuditPage> => {
      const { before = null, ...filters } = visit.query(auditQuery);
      const [{ lines, next }, names] = await Promise.all([
        dashboard.audit.page(before, await filterOf(dashboard, filters)),
        targetNames(dashboard),
      ]);
      return { entries: lines.map((line) => auditView(line, names.get(line.target) ?? null)), next };
    }),
    admin("GET", "/admin/audit.csv", async (visit) => {
      const filter = await filterOf(dashboard, visit.query(auditExportQuery));
      const names = await targetNames(dashboard);
      visit.reply.header("content-type", "text/csv; charset=utf-8");
      visit.reply.header("content-disposition", 'attachment; filename="sotto-audit.csv"');
      return Readable.from(csvOf(dashboard, filter, names));
    }),
  ];
}

async function* csvOf(
  { audit }: DashboardParts["dashboard"],
  filter: AuditFilter,
  names: Names,
): AsyncGenerator<string> {
  yield toCsv(csvHeadings, []);
  for await (const lines of audit.parts(filter, mostExportedLines)) {
    const entries = lines.map((line) => auditView(line, names.get(line.target) ?? null));
    yield toCsv(null, entries.map(csvCells));
  }
}

const csvCells = (entry: AuditEntry) => [
  entry.at,
  entry.actor,
  entry.actorId,
  entry.action,
  entry.target,
  entry.targetAccountId,
  entry.targetOwner,
];

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

async function targetNames({ store, news }: DashboardParts["dashboard"]): Promise<Names> {
  const [plans, announcements] = await Promise.all([store.listPlans(), news.list()]);
  return new Map([
    ...plans.map((plan) => [plan.id, plan.name] as const),
    ...announcements.map(({ item }) => [item.id, item.title] as const),
  ]);
}
